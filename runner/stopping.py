"""How a run is stopped from outside: a signal sets a flag, and the run ends between two steps, never within a line."""

from __future__ import annotations

import signal
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stopped(Exception):
    """Somebody asked this run to stop."""


class StopFlag:
    """Set by SIGINT or SIGTERM; a second signal has its usual effect, for a process that no longer gets to the flag."""

    def __init__(self) -> None:
        """Not set."""
        self._set = False

    def listen(self) -> None:
        """Take the signals; only in a process's main thread."""
        for number in SIGNALS:
            signal.signal(number, self._on_signal)

    def set(self) -> None:
        """Ask the run to stop."""
        self._set = True

    def raise_if_set(self) -> None:
        """Raise Stopped where the flag is set."""
        if self._set:
            raise Stopped

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self.set()
        for each in SIGNALS:
            signal.signal(each, signal.SIG_DFL)
