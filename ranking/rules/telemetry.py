"""Telemetry rules: it is this run's, taken while the log was written, and its readings agree with each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from ranking.case import Case, RunSet
from ranking.energy import MIN_SAMPLES, counted_watts, mean_over_time, samples_in_interval
from ranking.evidence.model import DeviceSample, HostSample, TelemetrySample, measured
from ranking.findings import Finding, hold, reject
from ranking.trace import US_PER_S, TelemetryLine, Trace, reading

LATE_US: Final = US_PER_S
"""Between asking for the telemetry's head and stamping the line that names it: microseconds, or a busy machine."""

LEAST_PERIOD_S: Final = 0.09
"""Mean of a telemetry's periods: the runner waits 100 ms at least between two samples."""

FEW: Final = 10
"""Samples below which a mean period or a share of equal samples says nothing."""

MOST_EQUAL: Final = 0.5
"""Part of a run's samples that may read as in another run; memory and counters differ in all of them, as seen."""

PERCENT: Final = 100.5
"""Of a share of time, with rounding."""

MOST: Final[Mapping[str, float]] = {
    "cpu_percent": PERCENT,
    "utilisation_percent": PERCENT,
    "load_1m": 1e6,
    "power_watts": 1e5,
    "clock_mhz": 1e5,
    "temperature_c": 200.0,
}
"""Largest values of readings: far beyond every machine, and short of nonsense. Bytes and energy have MOST_COUNT."""

MOST_COUNT: Final = 1e20

LEAST_TEMPERATURE_C: Final = -100.0

COUNTER_RATIO: Final = 1.25
COUNTER_RATIO_SECONDS: Final = 5.0
"""Power by counter over power as read, at most: sensors average over a second, which counts in short intervals."""


def heads(run_set: RunSet) -> Iterator[Finding]:
    """The telemetry that a log vouches for at an evaluation is the telemetry in the bundle."""
    for trace in run_set.traces:
        for logged in trace.telemetry_lines:
            samples = trace.run.telemetry
            if not logged.records:
                continue
            got = samples[logged.records - 1].head if logged.records <= len(samples) else f"{len(samples)} records"
            if got != logged.head:
                expected = f"record {logged.records} with head {logged.head}"
                yield reject("counts.telemetry_head", place=trace.place(logged.line), expected=expected, got=got)
                break


def in_step(run_set: RunSet) -> Iterator[Finding]:
    """What a log vouches for was sampled before that line, and all later samples after it: both tell one time."""
    for trace in run_set.traces:
        for logged in trace.telemetry_lines:
            wrong = _out_of_step(logged, trace.run.telemetry)
            if wrong is not None:
                expected = f"{logged.records} records until {logged.clock_us} us"
                got = f"record {wrong.number} at {wrong.clock_us} us"
                yield reject("time.telemetry_order", place=trace.place(logged.line), expected=expected, got=got)
                break


def _out_of_step(logged: TelemetryLine, samples: Sequence[TelemetrySample]) -> TelemetrySample | None:
    """The last sample that a line counts, or the first that it does not, where it lies on the wrong side."""
    count = logged.records
    if count is None or count > len(samples):
        return None
    if count and samples[count - 1].clock_us > logged.clock_us:
        return samples[count - 1]
    if count < len(samples) and samples[count].clock_us < logged.clock_us - LATE_US:
        return samples[count]
    return None


def period(run_set: RunSet) -> Iterator[Finding]:
    """Samples lie no closer than the runner takes them: a clock that was slowed down brings them together."""
    for trace in run_set.traces:
        samples = trace.run.telemetry
        if len(samples) < FEW:
            continue
        mean_s = (samples[-1].clock_us - samples[0].clock_us) / US_PER_S / (len(samples) - 1)
        if mean_s < LEAST_PERIOD_S:
            expected = f"a sample every {LEAST_PERIOD_S} s at most"
            yield hold("time.telemetry_period", place=_place(trace), expected=expected, got=f"one every {mean_s:.3f} s")


def distinct(run_set: RunSet) -> Iterator[Finding]:
    """No two runs have the same readings: memory, counters and power never come again sample by sample."""
    first: dict[object, int] = {}
    for trace in run_set.traces:
        prints = [(s.host, s.devices, s.package_energy_microjoules) for s in trace.run.telemetry if _is_telling(s)]
        owners = [first.setdefault(print_, trace.index) for print_ in prints]
        copied = [owner for owner in owners if owner != trace.index]
        if len(prints) >= FEW and len(copied) > MOST_EQUAL * len(prints):
            expected, got = f"other readings than run {copied[0]}'s", f"{len(copied)} of {len(prints)} samples equal"
            yield reject("counts.equal_telemetry", place=_place(trace), expected=expected, got=got)


def _is_telling(sample: TelemetrySample) -> bool:
    """Whether a sample has readings that are fine enough to be its own."""
    fine = (sample.host.memory_used_bytes, *(device.energy_millijoules for device in sample.devices))
    return any(measured(value) is not None for value in fine)


def readings(run_set: RunSet) -> Iterator[Finding]:
    """Readings are quantities: none is negative, no share is above one, and none is beyond all machines."""
    for trace in run_set.traces:
        wrong = next((found for sample in trace.run.telemetry for found in _wrong_readings(sample)), None)
        if wrong is not None:
            sample, name, least, most, got = wrong
            place, expected = f"{_place(trace)}:{sample.number}", f"{name} from {least:g} to {most:g}"
            yield reject("plausibility.reading", place=place, expected=expected, got=got)


def _wrong_readings(sample: TelemetrySample) -> Iterator[tuple[TelemetrySample, str, float, float, float]]:
    parts: tuple[HostSample | DeviceSample, ...] = (sample.host, *sample.devices)
    for part in parts:
        for name in part.__slots__:
            value = measured(getattr(part, name))
            least = LEAST_TEMPERATURE_C if name == "temperature_c" else 0.0
            most = MOST.get(name, MOST_COUNT)
            if value is not None and not least <= value <= most:
                yield sample, name, least, most, value


def counters(run_set: RunSet) -> Iterator[Finding]:
    """Energy counters only count up, within a run and, for accelerators, from run to run of one boot."""
    last: dict[tuple[object, int], tuple[int, float]] = {}
    for trace in run_set.traces:
        boot = trace.boot
        found = _falling_package(trace)
        for sample in trace.run.telemetry:
            for device in sample.devices:
                value = reading(device.energy_millijoules)
                run, before = last.get((boot, device.index), (trace.index, 0.0))
                if value is not None and value < before:
                    found = found or _fallen(trace, sample, f"at least {before:.0f} mJ, as in run {run}", value)
                if value is not None:
                    last[boot, device.index] = trace.index, value
        if found is not None:
            yield found


def _falling_package(trace: Trace) -> Finding | None:
    values = [(s, v) for s in trace.run.telemetry if (v := reading(s.package_energy_microjoules)) is not None]
    for (_, before), (sample, value) in pairwise(values):
        if value < before:
            return _fallen(trace, sample, f"at least {before:.0f} uJ", value)
    return None


def _fallen(trace: Trace, sample: TelemetrySample, expected: str, got: float) -> Finding:
    return hold("plausibility.counter", place=f"{_place(trace)}:{sample.number}", expected=expected, got=f"{got:.0f}")


def energy_agrees(case: Case) -> Iterator[Finding]:
    """A device's energy counter over time is its power: where they differ, time or counter was changed."""
    for trace in case.traces:
        samples = samples_in_interval(trace)
        if trace.seconds is None or len(samples) < MIN_SAMPLES:
            continue
        most = COUNTER_RATIO + COUNTER_RATIO_SECONDS / trace.seconds
        for by_counter, as_read in _powers(samples):
            if not 1 / most <= by_counter / as_read <= most:
                expected, got = f"about {as_read:.0f} W, as read", f"{by_counter:.0f} W by the energy counter"
                yield hold("plausibility.energy_differs", place=_place(trace), expected=expected, got=got)
                break


def _powers(samples: Sequence[TelemetrySample]) -> Iterator[tuple[float, float]]:
    """Mean power of each device by its counter, and as it was read, where both are known."""
    for place in range(min(len(sample.devices) for sample in samples)):
        devices = [sample.devices[place] for sample in samples]
        by_counter = counted_watts(samples, [device.energy_millijoules for device in devices], 1e-3)
        as_read = mean_over_time(list(_known(samples, devices)))
        if by_counter is not None and as_read:
            yield by_counter, as_read


def _known(samples: Sequence[TelemetrySample], devices: Sequence[DeviceSample]) -> Iterator[tuple[int, float]]:
    for sample, device in zip(samples, devices, strict=True):
        watts = reading(device.power_watts)
        if watts is not None:
            yield sample.clock_us, watts


def _place(trace: Trace) -> str:
    return f"runs/{trace.index}/telemetry.jsonl"
