"""Plausibility rules: what is claimed is possible for these devices, and telemetry does not tell another story."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from ranking.case import Case
from ranking.devices import Kind
from ranking.energy import samples_in_interval
from ranking.evidence import keys
from ranking.evidence.model import TelemetrySample
from ranking.findings import Finding, finding, hold, note, reject
from ranking.trace import US_PER_S, Trace, reading

POWER_TOLERANCE: Final = 1.1
"""Of the default power limit: regulation overshoots for seconds, and sensors are good to 5 %."""

MAX_GAP_S: Final = 10.0
"""Between two telemetry samples: ten of the periods that are asked for at most."""

SHORT_GAP_S: Final = 2.0
MAX_GAP_PART: Final = 0.25
"""The same for short runs, as a part of the run but never less than a busy machine keeps a thread waiting."""

LEAST_WATTS: Final = 1.0
"""Of a device: none that trains takes less, even idle."""


def known_device(case: Case) -> Iterator[Finding]:
    """A device in the vocabulary can be held against its peak; an unknown one is looked at by a person first."""
    device = case.device
    if device is None:
        yield finding("plausibility.no_device", case.doubt, place="system.json", expected="a device", got="none named")
    elif device.canonical is None:
        expected = "a device of the vocabulary"
        yield finding(
            "plausibility.unknown_device", case.doubt, place="system.json", expected=expected, got=device.name
        )


def below_peak(case: Case) -> Iterator[Finding]:
    """No run, and no interval of one, is faster than all its devices' dense peak at the precision used."""
    peak = _peak(case)
    for run, trace in zip(case.runs, case.traces, strict=True):
        fastest = max(run.flops or 0.0, *_interval_flops(case, trace), 0.0)
        if peak is not None and fastest > peak:
            expected, got = f"at most {peak:.4g} FLOPS", f"{fastest:.4g} FLOPS"
            yield reject("plausibility.over_peak", place=trace.place(), expected=expected, got=got)


def _interval_flops(case: Case, trace: Trace) -> Iterator[float]:
    """FLOPS of the training in each interval, from its begin to its evaluation."""
    begun = [0, *(evaluation.samples for evaluation in trace.evaluations)]
    for start, first, evaluation in zip(trace.every(keys.BLOCK_START), begun, trace.evaluations, strict=False):
        if first is not None and evaluation.samples is not None and evaluation.start_us is not None:
            length_us = max(evaluation.start_us - start.clock_us, 1)
            yield (evaluation.samples - first) * case.workload.flops_per_sample * US_PER_S / length_us


def evaluation_below_peak(case: Case) -> Iterator[Finding]:
    """No evaluation is faster than its forward passes can be."""
    peak = _peak(case)
    if peak is None:
        return
    least_s = case.workload.dataset.eval_samples * case.workload.flops_forward_per_sample / peak
    for trace in case.traces:
        for evaluation in trace.evaluations:
            stop = evaluation.stop_us if evaluation.stop_us is not None else evaluation.clock_us
            if evaluation.start_us is not None and (stop - evaluation.start_us) / US_PER_S < least_s:
                got = f"{(stop - evaluation.start_us) / US_PER_S:.3g} s"
                place = trace.place(evaluation.line)
                yield reject("plausibility.evaluation", place=place, expected=f"at least {least_s:.3g} s", got=got)


def _peak(case: Case) -> float | None:
    """Dense peak of all devices together."""
    device = case.device
    return None if device is None or device.peak_flops is None else device.peak_flops * device.count


def energy_within_limit(case: Case) -> Iterator[Finding]:
    """Mean power is above nothing and below the devices' default limit; a raised limit is for a person to see."""
    device = case.device
    if device is None or device.power_limit_watts is None:
        return
    most = device.power_limit_watts * device.count * POWER_TOLERANCE
    for run, trace in zip(case.runs, case.traces, strict=True):
        if run.energy is not None and not LEAST_WATTS * device.count <= run.energy.watts <= most:
            place, expected = _telemetry(trace), f"{LEAST_WATTS * device.count:.0f} to {most:.0f} W"
            yield hold("plausibility.power", place=place, expected=expected, got=f"{run.energy.watts:.0f} W")


def telemetry_covers(case: Case) -> Iterator[Finding]:
    """Telemetry was taken throughout the interval, without gaps."""
    for trace in case.traces:
        if trace.start_us is None or trace.stop_us is None:
            continue
        clocks = [trace.start_us, *(s.clock_us for s in samples_in_interval(trace)), trace.stop_us]
        gap_s = max(after - before for before, after in pairwise(clocks)) / US_PER_S
        most_s = min(MAX_GAP_S, max(SHORT_GAP_S, MAX_GAP_PART * (trace.seconds or 0.0)))
        if gap_s > most_s:
            expected, got = f"a sample every {most_s:.3g} s", f"{gap_s:.3g} s without one"
            yield finding("plausibility.telemetry_gap", case.doubt, place=_telemetry(trace), expected=expected, got=got)


def device_was_used(case: Case) -> Iterator[Finding]:
    """Training shows in the utilisation of the devices that are said to train."""
    if case.device is None:
        return
    for trace in case.traces:
        known = [percent for sample in samples_in_interval(trace) for percent in _busy(sample, case.device.kind)]
        if not known:
            got = "no reading"
            yield note("plausibility.no_utilisation", place=_telemetry(trace), expected="utilisation", got=got)
        elif max(known) == 0:
            expected = "utilisation above 0 %"
            yield hold("plausibility.idle_device", place=_telemetry(trace), expected=expected, got="0 % throughout")


def _busy(sample: TelemetrySample, kind: Kind) -> Iterator[float]:
    """What could be read of the devices' utilisation, or of the host's where it trains by itself."""
    readings = (
        [d.utilisation_percent for d in sample.devices] if kind is Kind.ACCELERATOR else [sample.host.cpu_percent]
    )
    return (percent for value in readings if (percent := reading(value)) is not None)


def device_count(case: Case) -> Iterator[Finding]:
    """Telemetry knows the accelerators that the system description counts, and no others."""
    if case.device is None:
        return
    known = case.device.count if case.device.kind is Kind.ACCELERATOR else 0
    for trace in case.traces:
        counts = {len({device.index for device in s.devices}) for s in trace.run.telemetry}
        if counts and counts != {known}:
            expected, got = f"{known} devices", " and ".join(map(str, sorted(counts)))
            yield hold("plausibility.device_count", place=_telemetry(trace), expected=expected, got=got)


def _telemetry(trace: Trace) -> str:
    return f"runs/{trace.index}/telemetry.jsonl"
