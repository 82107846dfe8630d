"""Scoring: Valid FLOPS of a run and of a run set, with the figures that stand beside it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ranking.energy import Energy, energy_of
from ranking.evidence import keys
from ranking.trace import US_PER_S, Evaluation, Trace
from workloads.definition import Direction, Workload

FLOOR = 0.9
"""Part of the target below which a run did not learn the task: it ranks as worst, and a second one rejects the set."""

ROUNDING = 1e-9
"""Relative error of a quotient of decimal fractions, with room; far below one sample of any evaluation set."""

TRIMMED = 1
"""Runs dropped at each end before scores are taken together, as MLPerf drops its fastest and slowest run."""

MAX_USELESS_RUNS = 1
"""Runs that may be useless in a set that still has a score: more would leave one among the middle."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossing:
    """When quality first reached the target, by straight line between the evaluations around it."""

    seconds: float
    epochs: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RunScore:
    """One run's figures. ``valid_flops`` is None where there is nothing to score; ``useless`` runs rank as worst."""

    index: int
    useless: bool
    valid_flops: float | None
    flops: float | None
    quality: float | None
    factor: float | None
    seconds: float | None
    samples: int
    to_target: Crossing | None
    energy: Energy | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSetScore:
    """A run set's figures, all of the counted runs: their sums divided, and per run the means of ``seconds``,
    ``samples`` and energy.

    ``low`` and ``high`` span the counted runs' Valid FLOPS, ``all_low`` and ``all_high`` those of every scored run.
    ``cv_flops`` is the coefficient of variation of FLOPS over all scored runs (sample standard deviation / mean).
    """

    valid_flops: float
    flops: float
    quality: float
    factor: float
    seconds: float
    samples: float
    low: float
    high: float
    all_low: float
    all_high: float
    cv_flops: float
    to_target: Crossing | None
    energy: Energy | None
    counted: tuple[int, ...]


def score_run(trace: Trace, workload: Workload) -> RunScore:
    """A run's score: credited FLOPs over the timed interval, times the quality factor.

    Credited are the samples of the log's last evaluation, never more than the definition's budget.
    """
    samples = min(trace.samples, workload.total_samples)
    seconds, quality = trace.seconds, trace.quality
    flops = None if seconds is None else samples * workload.flops_per_sample / seconds
    factor = None if quality is None else quality_factor(quality, workload)
    valid = None if flops is None or factor is None else finite(flops * factor)
    return RunScore(
        index=trace.index,
        useless=valid is None or trace.status != keys.SUCCESS or is_below_floor(quality, workload),
        valid_flops=valid,
        flops=flops,
        quality=quality,
        factor=factor,
        seconds=seconds,
        samples=samples,
        to_target=crossing(trace, workload),
        energy=energy_of(trace),
    )


def score_run_set(runs: Sequence[RunScore], workload: Workload) -> RunSetScore | None:
    """The score of a complete run set by its middle runs; None where runs are missing, too many or too often useless.

    Useless runs rank below all others, so that one of them is dropped as the worst.
    """
    if len(runs) != workload.runs or sum(run.useless for run in runs) > MAX_USELESS_RUNS:
        return None
    by_score = sorted(runs, key=lambda run: (not run.useless, _valid(run), -run.index))
    middle = by_score[TRIMMED:-TRIMMED]
    seconds = math.fsum(run.seconds or math.nan for run in middle)
    quality = statistics.fmean(run.quality if run.quality is not None else math.nan for run in middle)
    factor = quality_factor(quality, workload)
    flops = sum(run.samples for run in middle) * workload.flops_per_sample / seconds
    if factor is None or finite(flops * factor) is None:
        return None
    scored = [run for run in runs if run.valid_flops is not None]
    return RunSetScore(
        valid_flops=flops * factor,
        flops=flops,
        quality=quality,
        factor=factor,
        seconds=seconds / len(middle),
        samples=sum(run.samples for run in middle) / len(middle),
        low=min(map(_valid, middle)),
        high=max(map(_valid, middle)),
        all_low=min(map(_valid, scored)),
        all_high=max(map(_valid, scored)),
        cv_flops=variation(run.flops for run in scored if run.flops is not None),
        to_target=_mean_crossing(middle),
        energy=_mean_energy(middle),
        counted=tuple(sorted(run.index for run in middle)),
    )


def quality_factor(quality: float, workload: Workload) -> float | None:
    """(achieved / target)^n, or (target / achieved)^n where lower is better; None where that is no finite number."""
    if quality < 0 or (quality == 0 and workload.metric.direction is Direction.LOWER):
        return None
    try:
        return finite(workload.quality_ratio(quality) ** workload.sensitivity_n)
    except OverflowError:
        return None


def is_below_floor(quality: float | None, workload: Workload) -> bool:
    """Whether ``quality`` is missing or less than FLOOR of the target; exactly FLOOR is enough, rounding aside."""
    if quality is None or not quality >= 0:
        return True
    ratio = _ratio(quality, workload)
    return ratio < FLOOR and not math.isclose(ratio, FLOOR, rel_tol=ROUNDING)


def reaches_target(quality: float, workload: Workload) -> bool:
    """Whether ``quality`` is at the target or better."""
    return _ratio(quality, workload) >= 1


def crossing(trace: Trace, workload: Workload) -> Crossing | None:
    """The first time at which quality reached the target; None where it never did.

    Where the first evaluation is there already, that evaluation's own time: nothing says how much earlier it was.
    """
    before: Evaluation | None = None
    for evaluation in trace.evaluations:
        if evaluation.quality is None or evaluation.samples is None or trace.start_us is None:
            return None
        if reaches_target(evaluation.quality, workload):
            return _crossing_between(before or evaluation, evaluation, trace.start_us, workload)
        before = evaluation
    return None


def _crossing_between(before: Evaluation, after: Evaluation, start_us: int, workload: Workload) -> Crossing:
    part = _part(before, after, workload.target_quality)
    clock_us = _between(before.clock_us, after.clock_us, part)
    samples = _between(before.samples or 0, after.samples or 0, part)
    return Crossing(seconds=(clock_us - start_us) / US_PER_S, epochs=samples / workload.dataset.train_samples)


def variation(values: Iterable[float]) -> float:
    """Coefficient of variation: sample standard deviation over mean; 0 for fewer than two values."""
    known = list(values)
    mean = statistics.fmean(known) if known else 0.0
    return statistics.stdev(known) / mean if len(known) > 1 and mean else 0.0


def finite(value: float) -> float | None:
    """``value`` where it is a finite number, else None."""
    return value if math.isfinite(value) else None


def _valid(run: RunScore) -> float:
    return run.valid_flops if run.valid_flops is not None else -math.inf


def _ratio(quality: float, workload: Workload) -> float:
    if quality == 0 and workload.metric.direction is Direction.LOWER:
        return math.inf
    return workload.quality_ratio(quality)


def _part(before: Evaluation, after: Evaluation, target: float) -> float:
    """Where between two evaluations the target lies, as a part of their distance."""
    if before.quality is None or after.quality is None or before.quality == after.quality:
        return 1.0
    return (target - before.quality) / (after.quality - before.quality)


def _between(first: float, last: float, part: float) -> float:
    return first + (last - first) * part


def _mean_crossing(runs: Sequence[RunScore]) -> Crossing | None:
    """Mean time and epochs to target; None where one of the runs never got there."""
    crossings = [run.to_target for run in runs if run.to_target is not None]
    if len(crossings) < len(runs):
        return None
    seconds = statistics.fmean(crossing.seconds for crossing in crossings)
    return Crossing(seconds=seconds, epochs=statistics.fmean(crossing.epochs for crossing in crossings))


def _mean_energy(runs: Sequence[RunScore]) -> Energy | None:
    """Mean energy of a run and mean power over all; None where a run has none, or where scopes differ."""
    energies = [run.energy for run in runs if run.energy is not None]
    if len(energies) < len(runs) or len({energy.scope for energy in energies}) > 1:
        return None
    seconds = math.fsum(run.seconds or 0.0 for run in runs)
    joules = math.fsum(energy.joules for energy in energies)
    return Energy(scope=energies[0].scope, joules=joules / len(runs), watts=joules / seconds)
