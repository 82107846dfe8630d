"""Shows a run set while it goes on: a live table on a terminal, plain lines elsewhere, JSON lines for programs."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Protocol, Self, TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from runner.board import WAITING, Board
from runner.events import Event, Fetching, Notice, Packed, Progress, SetStarted, document
from runner.wording import duration, lines, share_of_bytes

PLAIN_PERIOD_S = 5.0
"""Between two plain lines of progress: enough to see that it goes on, few enough for a log."""

REFRESH_PER_S = 8
COLUMNS = ("epoch", "loss", "quality", "images/s", "FLOPS", "time")
BAR_WIDTH = 40


class Display(Protocol):
    """A listener that may hold the terminal while it lives."""

    def __enter__(self) -> Self:
        """Begin to show."""

    def __exit__(self, *_: object) -> None:
        """Leave the terminal in order."""

    def tell(self, event: Event) -> None:
        """Show the event."""


def display_for(stream: TextIO, *, as_json: bool) -> Display:
    """The display that suits where output goes."""
    if as_json:
        return JsonLines(stream)
    return LiveTable(stream) if stream.isatty() else PlainLines(stream)


@dataclass(slots=True)
class JsonLines:
    """One JSON object a line and event."""

    stream: TextIO

    def __enter__(self) -> Self:
        """Nothing to prepare."""
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to leave."""

    def tell(self, event: Event) -> None:
        """Print the event."""
        print(json.dumps(document(event)), file=self.stream, flush=True)


class PlainLines:
    """A line for each thing that happens, and one every few seconds while training goes on."""

    def __init__(self, stream: TextIO) -> None:
        """Print to ``stream``."""
        self._stream = stream
        self._board = Board()
        self._last_s = time.monotonic()

    def __enter__(self) -> Self:
        """Nothing to prepare."""
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to leave."""

    def tell(self, event: Event) -> None:
        """Print the event, unless it is progress and the last line of progress is young."""
        self._board.take(event)
        if isinstance(event, Progress | Fetching):
            if time.monotonic() - self._last_s < PLAIN_PERIOD_S:
                return
            self._last_s = time.monotonic()
        for line in lines(event, self._board):
            print(line, file=self._stream, flush=True)


class LiveTable:
    """A table of all runs that is drawn again as they go on."""

    def __init__(self, stream: TextIO) -> None:
        """Draw on the terminal behind ``stream``."""
        self._console = Console(file=stream, highlight=False)
        self._board = Board()
        self._live = Live(console=self._console, refresh_per_second=REFRESH_PER_S, get_renderable=self._render)

    def __enter__(self) -> Self:
        """Take the terminal."""
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Draw a last time and give the terminal back."""
        self._live.stop()

    def tell(self, event: Event) -> None:
        """Note the event for the next drawing; what is no progress is printed above the table."""
        self._board.take(event)
        if isinstance(event, Notice | SetStarted | Packed):
            self._console.print(Text("\n".join(lines(event, self._board))))

    def _render(self) -> Group:
        if self._board.runs:
            return Group(self._table(), self._bar())
        fetching = self._board.fetching
        return Group(Text(f"fetching {fetching.name}: {share_of_bytes(fetching)}" if fetching else "preparing"))

    def _table(self) -> Table:
        table = Table(box=None, pad_edge=False)
        table.add_column("run")
        table.add_column("phase", min_width=10)
        for title in COLUMNS:
            table.add_column(title, justify="right", min_width=8)
        for index in range(self._board.runs):
            row = self._board.row(index)
            cells = (row.phase, row.epoch, row.loss, row.quality, row.rate, row.flops, row.time)
            style = "bold" if index == self._board.current else "dim" if row.phase == WAITING else ""
            table.add_row(f"{index + 1}/{self._board.runs}", *cells, style=style)
        return table

    def _bar(self) -> Table:
        done = self._board.done()
        line = Table.grid(padding=(0, 1))
        bar = ProgressBar(total=1.0, completed=done, width=BAR_WIDTH)
        line.add_row(bar, f"{done:.0%}", f"{duration(self._board.left_s())} left")
        return line
