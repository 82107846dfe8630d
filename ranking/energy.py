"""Energy: joules of a run's timed interval out of its telemetry, always with the scope that they were measured in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from ranking.evidence.model import Reading, TelemetrySample
from ranking.trace import US_PER_S, Trace, reading

MIN_SAMPLES = 20
"""Samples in the interval below which energy is unavailable: fewer say little about a load that varies by phase."""

MIN_COVERAGE = 0.9
"""Part of the interval that lies between first and last sample; the mean power between them stands for the rest."""


class Scope(StrEnum):
    """What was measured. Energies of two scopes are never compared."""

    ACCELERATORS = "accelerators"
    PACKAGE = "package"


@dataclass(frozen=True, slots=True, kw_only=True)
class Energy:
    """Energy of a stretch of time, with its mean power."""

    scope: Scope
    joules: float
    watts: float


def energy_of(trace: Trace) -> Energy | None:
    """Energy of the timed interval: of the accelerators where they answer, else of the processor packages.

    None where fewer than MIN_SAMPLES samples lie in the interval, where they cover too little of it, or where
    a counter was unreadable or ran backwards.
    """
    seconds = trace.seconds
    samples = samples_in_interval(trace)
    if seconds is None or len(samples) < MIN_SAMPLES:
        return None
    if (samples[-1].clock_us - samples[0].clock_us) / US_PER_S < MIN_COVERAGE * seconds:
        return None
    scope, watts = Scope.ACCELERATORS, _accelerators_watts(samples)
    if watts is None:
        scope, watts = Scope.PACKAGE, counted_watts(samples, [s.package_energy_microjoules for s in samples], 1e-6)
    return None if watts is None else Energy(scope=scope, joules=watts * seconds, watts=watts)


def samples_in_interval(trace: Trace) -> tuple[TelemetrySample, ...]:
    """Telemetry samples between run_start and run_stop."""
    if trace.start_us is None or trace.stop_us is None:
        return ()
    return tuple(s for s in trace.run.telemetry if trace.start_us <= s.clock_us <= trace.stop_us)


def _accelerators_watts(samples: Sequence[TelemetrySample]) -> float | None:
    """Mean power of all devices together; None where there is no device or one of them cannot be measured."""
    count = len(samples[0].devices)
    if count == 0 or any(len(s.devices) != count for s in samples):
        return None
    each = [_device_watts(samples, place) for place in range(count)]
    known = [watts for watts in each if watts is not None]
    return sum(known) if len(known) == count else None


def _device_watts(samples: Sequence[TelemetrySample], place: int) -> float | None:
    """Mean power of one device: by its energy counter, else by its power over time."""
    by_counter = counted_watts(samples, [s.devices[place].energy_millijoules for s in samples], 1e-3)
    if by_counter is not None:
        return by_counter
    points = [(s.clock_us, reading(s.devices[place].power_watts)) for s in samples]
    return mean_over_time([(clock_us, watts) for clock_us, watts in points if watts is not None])


def counted_watts(
    samples: Sequence[TelemetrySample], counter: Sequence[Reading], joules_per_count: float
) -> float | None:
    """Mean power by a counter that only counts up; None where it was unreadable once, ran backwards or stood still.

    ``counter`` has a reading for each of ``samples``.
    """
    counts = [reading(value) for value in counter]
    known = [c for c in counts if c is not None]
    span_us = samples[-1].clock_us - samples[0].clock_us
    if len(known) != len(counts) or span_us <= 0 or any(b < a for a, b in pairwise(known)) or known[-1] <= known[0]:
        return None
    return (known[-1] - known[0]) * joules_per_count / (span_us / US_PER_S)


def mean_over_time(points: Sequence[tuple[int, float]]) -> float | None:
    """Mean of a quantity that is linear between its points, in time; None below MIN_SAMPLES points."""
    if len(points) < MIN_SAMPLES or points[-1][0] <= points[0][0]:
        return None
    area = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(points))
    return area / (points[-1][0] - points[0][0])
