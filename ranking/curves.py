"""Curves: what happened over a run, in few enough points to draw; a point may stand for several measured ones."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from ranking.energy import samples_in_interval
from ranking.evidence import keys
from ranking.evidence.model import DeviceSample, Reading, TelemetrySample
from ranking.trace import US_PER_S, Evaluation, Trace, integer, number, reading

MAX_POINTS = 240
"""Points of one curve in a report: about what a chart of a column's width can show apart."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Points of one curve as JSON objects; ``measured`` is how many points they were averaged or thinned from.

    ``scope`` says what was measured: ``accelerators``, ``package`` or ``host``; empty where that needs no saying.
    """

    points: tuple[dict[str, float | int | None], ...]
    measured: int
    scope: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """A named stretch of a run, in seconds from run_start."""

    name: str
    start_s: float
    stop_s: float


def curves_of(trace: Trace) -> dict[str, Curve]:
    """Quality, throughput, power and utilisation over the run's timed interval."""
    if trace.start_us is None:
        return {name: Curve(points=(), measured=0) for name in ("quality", "throughput", "power", "utilisation")}
    return {
        "quality": _quality(trace, trace.start_us),
        "throughput": _throughput(trace, trace.start_us),
        "power": _power(trace, trace.start_us),
        "utilisation": _utilisation(trace, trace.start_us),
    }


def phases_of(trace: Trace) -> tuple[Phase, ...]:
    """Preparation, training, evaluation and checkpoint stretches, in their order."""
    if trace.start_us is None:
        return ()
    marks = ((line.clock_us, line.key) for line in trace.lines)
    found: list[Phase] = []
    open_since: dict[str, int] = {}
    for clock_us, key in marks:
        for name in _ENDS.get(key, ()):
            since = open_since.pop(name, None)
            if since is not None and clock_us >= since:
                found.append(_phase(name, since, clock_us, trace.start_us))
        for name in _BEGINS.get(key, ()):
            open_since[name] = clock_us
    return tuple(found[:MAX_PHASES])


MAX_PHASES = 2_000
"""Stretches of one run in a report; a run of 400 evaluations has 1,201."""

_BEGINS = {
    keys.INIT_START: ("preparation",),
    keys.BLOCK_START: ("training",),
    keys.EVAL_START: ("evaluation",),
    keys.EVAL_STOP: ("checkpoint",),
}
_ENDS = {
    keys.INIT_STOP: ("preparation",),
    keys.EVAL_START: ("training",),
    keys.EVAL_STOP: ("evaluation",),
    keys.CHECKPOINT: ("checkpoint",),
}


def _phase(name: str, since_us: int, until_us: int, start_us: int) -> Phase:
    return Phase(name=name, start_s=(since_us - start_us) / US_PER_S, stop_s=(until_us - start_us) / US_PER_S)


def _quality(trace: Trace, start_us: int) -> Curve:
    known = [e for e in trace.evaluations if e.samples is not None and e.quality is not None]
    step = math.ceil(len(known) / MAX_POINTS) or 1
    kept = known[::-1][::step][::-1]  # thinned from the end, because the last one is the result
    return Curve(points=tuple(_quality_point(e, start_us) for e in kept), measured=len(known))


def _quality_point(evaluation: Evaluation, start_us: int) -> dict[str, float | int | None]:
    return {
        "samples": evaluation.samples,
        "seconds": (evaluation.clock_us - start_us) / US_PER_S,
        "quality": evaluation.quality,
        "loss": evaluation.loss,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stretch:
    """Training between two lines of progress within one interval."""

    stop_us: int
    length_us: int
    samples: int
    loss: float | None


def _throughput(trace: Trace, start_us: int) -> Curve:
    stretches = list(_stretches(trace))
    points = tuple(_throughput_point(bunch, start_us) for bunch in _bunches(stretches))
    return Curve(points=points, measured=len(stretches))


def _stretches(trace: Trace) -> Iterator[_Stretch]:
    """Stretches of training; evaluation and checkpoints lie between intervals, and so in none of them."""
    marks = [mark for line in trace.lines if (mark := _mark(line.key, line.clock_us, line.value, line.metadata))]
    for before, after in pairwise(marks):
        length_us, samples = after[1] - before[1], after[2] - before[2]
        if after[0] == keys.PROGRESS and length_us > 0 and samples > 0:
            yield _Stretch(stop_us=after[1], length_us=length_us, samples=samples, loss=after[3])


def _mark(key: str, clock_us: int, value: object, metadata: object) -> tuple[str, int, int, float | None] | None:
    """Key, clock, cumulative samples and loss of a line that says how many samples are trained."""
    source = {keys.PROGRESS: value, keys.BLOCK_START: metadata}.get(key)
    if not isinstance(source, Mapping):
        return None
    samples = integer(source.get(keys.SAMPLES))
    return None if samples is None else (key, clock_us, samples, number(source.get(keys.LOSS)))


def _throughput_point(bunch: Sequence[_Stretch], start_us: int) -> dict[str, float | int | None]:
    losses = [s.loss for s in bunch if s.loss is not None]
    return {
        "seconds": (bunch[-1].stop_us - start_us) / US_PER_S,
        "samples_per_s": sum(s.samples for s in bunch) * US_PER_S / sum(s.length_us for s in bunch),
        "loss": statistics.fmean(losses) if losses else None,
    }


def _power(trace: Trace, start_us: int) -> Curve:
    samples = samples_in_interval(trace)
    watts = [(s.clock_us, total) for s in samples if (total := _sum(s, lambda d: d.power_watts)) is not None]
    if watts:
        return _averaged(watts, start_us, "watts", "accelerators")
    return _averaged(list(_package_watts(samples)), start_us, "watts", "package")


def _package_watts(samples: Sequence[TelemetrySample]) -> Iterator[tuple[int, float]]:
    for before, after in pairwise(samples):
        first, last = reading(before.package_energy_microjoules), reading(after.package_energy_microjoules)
        if first is not None and last is not None and last >= first and after.clock_us > before.clock_us:
            yield after.clock_us, (last - first) / (after.clock_us - before.clock_us)  # microjoules per microsecond


def _utilisation(trace: Trace, start_us: int) -> Curve:
    samples = samples_in_interval(trace)
    busy = [
        (s.clock_us, total / len(s.devices))
        for s in samples
        if (total := _sum(s, lambda d: d.utilisation_percent)) is not None
    ]
    if busy:
        return _averaged(busy, start_us, "percent", "accelerators")
    host = [(s.clock_us, cpu) for s in samples if (cpu := reading(s.host.cpu_percent)) is not None]
    return _averaged(host, start_us, "percent", "host")


def _sum(sample: TelemetrySample, of: Callable[[DeviceSample], Reading]) -> float | None:
    """Sum over the devices; None where there is none or one of them could not be read."""
    values = [value for device in sample.devices if (value := reading(of(device))) is not None]
    return float(sum(values)) if values and len(values) == len(sample.devices) else None


def _averaged(values: Sequence[tuple[int, float]], start_us: int, name: str, scope: str) -> Curve:
    points: list[dict[str, float | int | None]] = [
        {
            "seconds": (statistics.fmean(clock_us for clock_us, _ in bunch) - start_us) / US_PER_S,
            name: statistics.fmean(value for _, value in bunch),
        }
        for bunch in _bunches(values)
    ]
    return Curve(points=tuple(points), measured=len(values), scope=scope if values else "")


def _bunches(items: Sequence[T]) -> Iterator[Sequence[T]]:
    """``items`` in at most MAX_POINTS bunches of neighbours, of one length but for the last."""
    size = math.ceil(len(items) / MAX_POINTS) or 1
    for first in range(0, len(items), size):
        yield items[first : first + size]
