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

from runner.board import Board, Row
from runner.events import Event, Fetching, Notice, Packed, Packing, Progress, RunFinished, RunStarted, SetStarted, document

PLAIN_PERIOD_S = 5.0
"""Between two plain lines of progress: enough to see that it goes on, few enough for a log."""

REFRESH_PER_S = 8
MIB = 1 << 20


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
        self._last_s = 0.0

    def __enter__(self) -> Self:
        """Nothing to prepare."""
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to leave."""

    def tell(self, event: Event) -> None:
        """Print the event, unless it is progress and the last line of progress is young."""
        self._board.take(event)
        frequent = isinstance(event, Progress | Fetching)
        if frequent and time.monotonic() - self._last_s < PLAIN_PERIOD_S:
            return
        if frequent:
            self._last_s = time.monotonic()
        for line in _lines(event, self._board):
            print(line, file=self._stream, flush=True)


def _lines(event: Event, board: Board) -> list[str]:
    match event:
        case Notice(text=text):
            return [text]
        case Fetching():
            return [f"fetching {event.name}: {_share_of_bytes(event)}"]
        case SetStarted():
            return _heading(event)
        case RunStarted(run=run, seed=seed):
            return [f"run {run + 1}/{board.runs}: seed {seed}"]
        case Progress():
            return [_progress_line(event, board)]
        case RunFinished(run=run):
            return [f"run {run + 1}/{board.runs}: {event.status} in {event.seconds:.1f} s, quality {_number(event.quality)}"]
        case Packed():
            return [f"bundle: {event.path} ({event.size_bytes / MIB:.1f} MiB)"]
        case Packing():
            return ["packing and signing the evidence"]
    return []


def _heading(event: SetStarted) -> list[str]:
    lines = [
        f"{event.title}",
        f"{event.workload}, level {event.level}, on {event.device}; target {event.metric} {event.target_quality}",
        f"evidence in {event.folder}",
    ]
    if event.finished:
        lines.append(f"{len(event.finished)} of {len(event.seeds)} runs are whole already")
    return lines


def _progress_line(event: Progress, board: Board) -> str:
    row = Row.of(event)
    parts = [
        f"run {event.run + 1}/{board.runs}: {event.phase}",
        f"epoch {row.epoch}",
        f"loss {row.loss}",
        f"quality {row.quality}",
        f"{row.rate} images/s",
        f"{row.flops}",
        f"{_duration(board.left_s())} left",
    ]
    return "  ".join(parts)


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
            self._console.print(Text("\n".join(_lines(event, self._board))))

    def _render(self) -> Group:
        fetching = self._board.fetching
        if fetching is not None and not self._board.runs:
            return Group(Text(f"fetching {fetching.name}: {_share_of_bytes(fetching)}"))
        if not self._board.runs:
            return Group(Text("preparing"))
        return Group(self._table(), self._bar())

    def _table(self) -> Table:
        table = Table(box=None, pad_edge=False)
        table.add_column("run")
        table.add_column("phase", min_width=10)
        for title in ("epoch", "loss", "quality", "images/s", "FLOPS", "time"):
            table.add_column(title, justify="right", min_width=8)
        for index in range(self._board.runs):
            row = self._board.row(index)
            style = "" if index == self._board.current else "dim"
            cells = (row.phase, row.epoch, row.loss, row.quality, row.rate, row.flops, row.time)
            table.add_row(f"{index + 1}/{self._board.runs}", *cells, style=style)
        return table

    def _bar(self) -> Table:
        line = Table.grid(padding=(0, 1))
        done = self._board.done()
        line.add_row(
            ProgressBar(total=1.0, completed=done, width=40), f"{done:.0%}", f"{_duration(self._board.left_s())} left"
        )
        return line


def _share_of_bytes(event: Fetching) -> str:
    return f"{event.done_bytes / MIB:.1f} of {event.total_bytes / MIB:.1f} MiB from {event.source}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
