"""Where a run set stands, kept from its events: what displays draw, and how long it will still take."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ranking.layout import with_prefix
from runner.events import Event, Fetching, Packing, Progress, RunFinished, RunStarted, SetStarted

UNKNOWN = "-"
WAITING = "waiting"

MEASURED = 0.05
"""Part of all training after which its pace tells how long the rest takes, where no interval has ended before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One run as texts."""

    phase: str = WAITING
    epoch: str = UNKNOWN
    loss: str = UNKNOWN
    quality: str = UNKNOWN
    rate: str = UNKNOWN
    flops: str = UNKNOWN
    time: str = UNKNOWN

    @classmethod
    def of(cls, progress: Progress) -> Row:
        """The texts of a run's progress."""
        return cls(
            phase=progress.phase,
            epoch=f"{progress.epoch:.2f}",
            loss=UNKNOWN if progress.loss is None else f"{progress.loss:.4f}",
            quality=UNKNOWN if progress.quality is None else f"{progress.quality:.4f}",
            rate=UNKNOWN if progress.samples_per_s is None else f"{progress.samples_per_s:,.0f}",
            flops=with_prefix(progress.flops, "FLOPS"),
            time=f"{progress.elapsed_s:.1f} s",
        )


@dataclass(slots=True)
class Board:
    """What the events so far add up to."""

    clock: Callable[[], float] = time.monotonic
    runs: int = 0
    current: int | None = None
    fetching: Fetching | None = None
    _total_samples: int = 1
    _progress: dict[int, Progress] = field(default_factory=dict)
    _ended: dict[int, str] = field(default_factory=dict)
    _started_s: float = 0.0
    _done_before: float = 0.0
    _interval_ended: bool = False

    def take(self, event: Event) -> None:
        """Note the event."""
        match event:
            case Fetching():
                self.fetching = event
            case SetStarted():
                self._start(event)
            case RunStarted(run=run):
                self.current = run
            case Progress(run=run):
                self._progress[run] = event
                self._interval_ended |= event.quality is not None
            case RunFinished(run=run, status=status):
                self._ended[run] = status
                self._interval_ended = True
            case Packing():
                self.current = None

    def row(self, index: int) -> Row:
        """Run ``index`` as texts."""
        progress, ended = self._progress.get(index), self._ended.get(index)
        if progress is None:
            return Row(phase=ended or ("starting" if index == self.current else WAITING))
        row = Row.of(progress)
        return row if ended is None else replace(row, phase=ended)

    def done(self) -> float:
        """Part of all training that is done, 0 to 1."""
        open_runs = [p.samples / self._total_samples for i, p in self._progress.items() if i not in self._ended]
        return (len(self._ended) + sum(open_runs)) / max(1, self.runs)

    def left_s(self) -> float | None:
        """Seconds that the rest will take at the pace so far, starts and evaluations included.

        None before an interval or MEASURED of the training was done here: the pace of first steps says nothing.
        """
        done = self.done() - self._done_before
        if done <= 0 or (done < MEASURED and not self._interval_ended):
            return None
        return (self.clock() - self._started_s) / done * (1 - self.done())

    def _start(self, event: SetStarted) -> None:
        self.runs = len(event.seeds)
        self._total_samples = event.total_samples
        self._ended = dict.fromkeys(event.finished, "whole")
        self._started_s = self.clock()
        self._done_before = self.done()
