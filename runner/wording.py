"""The events of a run set in words: one or a few lines each."""

from __future__ import annotations

from runner.board import UNKNOWN, Board, Row
from runner.events import Event, Fetching, Notice, Packed, Packing, Progress, RunFinished, RunStarted, SetStarted

MIB_BYTES = 1 << 20


def lines(event: Event, board: Board) -> list[str]:
    """The event in words; ``board`` has taken it already."""
    match event:
        case Notice(text=text):
            found = [text]
        case Fetching():
            found = [f"fetching {event.name}: {share_of_bytes(event)}"]
        case SetStarted():
            found = _heading(event)
        case RunStarted(run=run, seed=seed):
            found = [f"run {run + 1}/{board.runs}: seed {seed}"]
        case Progress():
            found = [_progress(event, board)]
        case RunFinished():
            found = [_finished(event, board)]
        case Packing():
            found = ["packing and signing the evidence"]
        case Packed():
            found = [f"bundle: {event.path} ({event.size_bytes / MIB_BYTES:.1f} MiB)"]
        case _:
            found = []
    return found


def _heading(event: SetStarted) -> list[str]:
    found = [
        event.title,
        f"{event.workload}, level {event.level}, on {event.device}; target {event.metric} {event.target_quality}",
        f"evidence in {event.folder}",
    ]
    if event.finished:
        found.append(f"{len(event.finished)} of {len(event.seeds)} runs are whole already")
    return found


def _progress(event: Progress, board: Board) -> str:
    row = Row.of(event)
    return (
        f"run {event.run + 1}/{board.runs}: {event.phase}, epoch {row.epoch}, loss {row.loss}, quality {row.quality}, "
        f"{row.rate} images/s, {row.flops}, {duration(board.left_s())} left"
    )


def _finished(event: RunFinished, board: Board) -> str:
    quality = UNKNOWN if event.quality is None else f"{event.quality:.4f}"
    return f"run {event.run + 1}/{board.runs}: {event.status} in {event.seconds:.1f} s, quality {quality}"


def share_of_bytes(event: Fetching) -> str:
    """How much of a file has come."""
    done, total = event.done_bytes / MIB_BYTES, event.total_bytes / MIB_BYTES
    return f"{done:.1f} of {total:.1f} MiB from {event.source}"


def duration(seconds: float | None) -> str:
    """Seconds as ``m:ss`` or ``h:mm:ss``."""
    if seconds is None:
        return UNKNOWN
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
