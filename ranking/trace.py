"""Trace: what a run's log says, typed once; what is missing or of the wrong type is None and a rule's business."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ranking.evidence import keys
from ranking.evidence.model import LogLine, Reading, RunEvidence, measured

US_PER_S = 1_000_000


MAX_MAGNITUDE = 1e30
"""Of a number that is computed with: beyond every quantity here, and far from where products overflow."""

MAX_COUNT = 2**53 - 1
"""Largest integer that canonical JSON writes."""


def number(value: object) -> float | None:
    """A JSON number as a float; None for anything else, booleans and numbers beyond MAX_MAGNITUDE included."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= MAX_MAGNITUDE:
        return None
    return float(value)


def integer(value: object) -> int | None:
    """A JSON number without a fraction as an int (canonical JSON writes 2.0 as 2); None for anything else."""
    converted = number(value)
    if converted is None or not converted.is_integer() or abs(converted) > MAX_COUNT:
        return None
    return int(converted)


def reading(value: Reading) -> float | None:
    """The number of a telemetry reading; None where it was unavailable or is no quantity."""
    return number(measured(value))


def text(value: object) -> str | None:
    """A JSON string; None for anything else."""
    return value if isinstance(value, str) else None


PARTS = ("data_s", "compute_s", "evaluation_s", "checkpoint_s")
"""What an interval's time goes to, as its line names them."""

OWN_KEYS = frozenset({keys.BEGIN, keys.PROGRESS, keys.CHECKPOINT, keys.TELEMETRY, keys.INTERVAL, keys.END})
"""Keys that MLPerf does not have."""


def namespace_of(key: str) -> str:
    """The namespace that ``key`` belongs to."""
    return keys.NAMESPACE if key in OWN_KEYS else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """One evaluation: its line, the clock where its value stands, and where it began and ended."""

    line: int
    clock_us: int
    samples: int | None
    epoch: float | None
    quality: float | None
    loss: float | None
    eval_samples: int | None
    start_us: int | None = None
    stop_us: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Cumulative training samples at one moment, with the training loss where it was read."""

    clock_us: int
    samples: int
    loss: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointLine:
    """What the log says of a checkpoint."""

    line: int
    clock_us: int
    name: str | None
    sha256: str | None
    size_bytes: int | None
    samples: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TelemetryLine:
    """How many telemetry records the log vouches for at one moment, and their chain's head."""

    line: int
    clock_us: int
    records: int | None
    head: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalLine:
    """What the log says of an interval at its end: samples so far, mean training loss, and what its time went to.

    ``length_s`` is how long it was by the log's clock, up to this line.
    """

    line: int
    clock_us: int
    samples: int | None
    loss: float | None
    parts_s: tuple[float, ...]
    length_s: float | None


@dataclass(frozen=True)
class Trace:
    """Typed view of one run's evidence; everything is derived from the log's lines, in their order."""

    run: RunEvidence

    @property
    def index(self) -> int:
        """Number of the run in its set."""
        return self.run.index

    @property
    def lines(self) -> Sequence[LogLine]:
        """The log's lines that could be read."""
        return self.run.lines

    @cached_property
    def by_key(self) -> Mapping[str, Sequence[LogLine]]:
        """Lines by key, in order; a line under the wrong namespace says nothing (``schema.namespace``)."""
        found: dict[str, list[LogLine]] = {}
        for line in self.lines:
            if line.namespace == namespace_of(line.key):
                found.setdefault(line.key, []).append(line)
        return found

    def every(self, key: str) -> Sequence[LogLine]:
        """All lines of ``key``."""
        return self.by_key.get(key, ())

    def first(self, key: str) -> LogLine | None:
        """First line of ``key``; a second one is ``schema.repeated_key`` where only one may stand."""
        return next(iter(self.every(key)), None)

    def value(self, key: str) -> object:
        """Value of the first line of ``key``; None where there is none."""
        line = self.first(key)
        return None if line is None else line.value

    def clock_us(self, key: str) -> int | None:
        """Clock of the first line of ``key``."""
        line = self.first(key)
        return None if line is None else line.clock_us

    def place(self, line: int | None = None) -> str:
        """Where a finding points: the log, or one line of it."""
        name = f"runs/{self.index}/log.txt"
        return name if line is None else f"{name}:{line}"

    @property
    def start_us(self) -> int | None:
        """First touch of training data."""
        return self.clock_us(keys.RUN_START)

    @property
    def stop_us(self) -> int | None:
        """End of the timed interval."""
        return self.clock_us(keys.RUN_STOP)

    @property
    def seconds(self) -> float | None:
        """Length of the timed interval; None where it has no positive length."""
        if self.start_us is None or self.stop_us is None or self.stop_us <= self.start_us:
            return None
        return (self.stop_us - self.start_us) / US_PER_S

    @property
    def boot(self) -> str | None:
        """Digest that stays the same from one start of the machine to the next."""
        return text(_mapping(self.value(keys.BEGIN)).get("boot"))

    @property
    def status(self) -> str | None:
        """``success`` or ``aborted``, as the log says; None where it says nothing."""
        line = self.first(keys.RUN_STOP)
        return None if line is None else text(line.metadata.get(keys.STATUS))

    @cached_property
    def evaluations(self) -> tuple[Evaluation, ...]:
        """Evaluations in the log's order."""
        starts, stops = self.every(keys.EVAL_START), self.every(keys.EVAL_STOP)
        return tuple(
            _evaluation(line, _clock_at(starts, i), _clock_at(stops, i))
            for i, line in enumerate(self.every(keys.EVAL_ACCURACY))
        )

    @cached_property
    def progress(self) -> tuple[Progress, ...]:
        """Cumulative samples over time."""
        return tuple(_progress(self.every(keys.PROGRESS)))

    @cached_property
    def checkpoints(self) -> tuple[CheckpointLine, ...]:
        """Checkpoints that the log vouches for."""
        return tuple(_checkpoint(line) for line in self.every(keys.CHECKPOINT))

    @cached_property
    def telemetry_lines(self) -> tuple[TelemetryLine, ...]:
        """Telemetry heads that the log vouches for."""
        return tuple(_telemetry(line) for line in self.every(keys.TELEMETRY))

    @cached_property
    def intervals(self) -> tuple[IntervalLine, ...]:
        """Ends of the intervals."""
        starts = self.every(keys.BLOCK_START)
        return tuple(_interval(line, _clock_at(starts, i)) for i, line in enumerate(self.every(keys.INTERVAL)))

    @property
    def samples(self) -> int:
        """Training samples that the log shows, by its last evaluation: what lies behind it trained nothing scored."""
        return max((e.samples for e in self.evaluations if e.samples is not None), default=0)

    @property
    def quality(self) -> float | None:
        """Quality of the last evaluation."""
        return self.evaluations[-1].quality if self.evaluations else None


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _clock_at(lines: Sequence[LogLine], place: int) -> int | None:
    return lines[place].clock_us if place < len(lines) else None


def _evaluation(line: LogLine, start_us: int | None, stop_us: int | None) -> Evaluation:
    return Evaluation(
        line=line.number,
        clock_us=line.clock_us,
        samples=integer(line.metadata.get(keys.SAMPLES)),
        epoch=number(line.metadata.get(keys.EPOCH_NUM)),
        quality=number(line.value),
        loss=number(line.metadata.get(keys.LOSS)),
        eval_samples=integer(line.metadata.get(keys.EVAL_SAMPLES)),
        start_us=start_us,
        stop_us=stop_us,
    )


def _progress(lines: Sequence[LogLine]) -> Iterator[Progress]:
    for line in lines:
        value = _mapping(line.value)
        samples = integer(value.get("samples"))
        if samples is not None:
            yield Progress(clock_us=line.clock_us, samples=samples, loss=number(value.get("loss")))


def _checkpoint(line: LogLine) -> CheckpointLine:
    value = _mapping(line.value)
    return CheckpointLine(
        line=line.number,
        clock_us=line.clock_us,
        name=text(value.get("name")),
        sha256=text(value.get("sha256")),
        size_bytes=integer(value.get("bytes")),
        samples=integer(line.metadata.get(keys.SAMPLES)),
    )


def _telemetry(line: LogLine) -> TelemetryLine:
    value = _mapping(line.value)
    return TelemetryLine(
        line=line.number,
        clock_us=line.clock_us,
        records=None if (records := integer(value.get("records"))) is None or records < 0 else records,
        head=text(value.get("head")),
    )


def _interval(line: LogLine, start_us: int | None) -> IntervalLine:
    value = _mapping(line.value)
    return IntervalLine(
        line=line.number,
        clock_us=line.clock_us,
        samples=integer(value.get("samples")),
        loss=number(value.get("loss")),
        parts_s=tuple(part for name in PARTS if (part := number(value.get(name))) is not None),
        length_s=None if start_us is None else (line.clock_us - start_us) / US_PER_S,
    )
