"""What a run set tells whoever watches it: typed events, and their form as JSON lines between processes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from runner.errors import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Anything that is told; subclasses say what."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice(Event):
    """Something that a user should know, ``text``, and that changes nothing."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetching(Event):
    """Bytes of a dataset's file that have come so far from ``source``."""

    source: str
    name: str
    done_bytes: int
    total_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SetStarted(Event):
    """A run set begins or goes on; ``finished`` are the runs that are whole already."""

    workload: str
    title: str
    level: str
    device: str
    folder: str
    seeds: tuple[int, ...]
    finished: tuple[int, ...]
    total_samples: int
    train_samples: int
    target_quality: float
    metric: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted(Event):
    """Run ``run`` begins in a process of its own."""

    run: int
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress(Event):
    """Where run ``run`` stands: ``phase`` is preparing, training, evaluating or saving; rates are of training."""

    run: int
    phase: str
    samples: int = 0
    epoch: float = 0.0
    loss: float | None = None
    quality: float | None = None
    samples_per_s: float | None = None
    flops: float | None = None
    elapsed_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinished(Event):
    """Run ``run`` ended as ``status`` says, ``seconds`` being its timed interval."""

    run: int
    status: str
    seconds: float
    quality: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed(Event):
    """A run's process met a problem and ends."""

    problem: Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Packing(Event):
    """The evidence is being packed into ``path``."""

    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed(Event):
    """The bundle lies whole at ``path``."""

    path: str
    bundle: str
    size_bytes: int


class Listener(Protocol):
    """Whoever watches a run set."""

    def tell(self, event: Event) -> None:
        """Take the event; must be quick."""


_KINDS: Mapping[str, type[Event]] = {kind.__name__: kind for kind in Event.__subclasses__()}


def document(event: Event) -> dict[str, Any]:
    """The event as JSON: its kind in ``event``, in snake case, and its fields."""
    return {"event": _snake(type(event).__name__), **asdict(event)}


def dump(event: Event) -> bytes:
    """The event as one JSON line."""
    return json.dumps(document(event)).encode() + b"\n"


def load(line: bytes) -> Event:
    """The event of a line that ``dump`` made in another process of ours."""
    fields = json.loads(line)
    kind = _KINDS[fields.pop("event").title().replace("_", "")]
    if kind is Failed:
        return Failed(problem=Problem(**fields["problem"]))
    return kind(**fields)


def _snake(name: str) -> str:
    return "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")
