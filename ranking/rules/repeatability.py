"""Repeatability rules: the runs of a set vary as much as speed and training do, and are not better than they can be."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from typing import Final

from ranking.case import Case
from ranking.findings import Finding, Verdict, finding, note
from ranking.reference import Spread
from ranking.scoring import RunScore, variation
from workloads.definition import Direction

MAX_CV_FLOPS: Final = 0.05
"""Coefficient of variation of FLOPS; published runs on GPUs lie from 0.001 to 0.02."""

MIN_REFERENCE_RUNS: Final = 59
"""Reference runs from which too good a mean is told: their best one then lies beyond the 5 % point with 95 % chance."""

Z_NOTE: Final = 1.645
"""Standard score of p = 0.05, one-sided."""

Z_DOUBT: Final = 3.090
"""Standard score of p = 0.001, one-sided."""


def speed(case: Case) -> Iterator[Finding]:
    """FLOPS of the runs agree; where they do not, something else used the machine, or some runs were helped."""
    if case.score is not None and case.score.cv_flops > MAX_CV_FLOPS:
        expected = f"at most {MAX_CV_FLOPS:.0%} coefficient of variation"
        yield finding("repeatability.flops", case.doubt, expected=expected, got=f"{case.score.cv_flops:.1%}")


def calibrated(case: Case) -> Iterator[Finding]:
    """Said where a definition has no reference runs yet: its spread of quality is then not judged."""
    if case.reference is None:
        yield note("repeatability.not_calibrated", expected="calibration runs", got=case.workload.id)


def quality_spread(case: Case) -> Iterator[Finding]:
    """Final quality varies no more than in sets drawn from the reference runs, but for one in a thousand."""
    if case.reference is not None:
        yield from _spread("repeatability.quality", case, case.reference.quality, _qualities(case))


def epochs_spread(case: Case) -> Iterator[Finding]:
    """The same for epochs to target."""
    if case.reference is not None and case.reference.epochs is not None:
        yield from _spread("repeatability.epochs", case, case.reference.epochs, _epochs(case))


def _spread(id: str, case: Case, reference: Spread, values: Sequence[float]) -> Iterator[Finding]:
    got = variation(values)
    if got > reference.max_cv:
        expected = f"at most {reference.max_cv:.2%} coefficient of variation"
        yield finding(id, case.doubt, expected=expected, got=f"{got:.2%}")


def too_good(case: Case) -> Iterator[Finding]:
    """A mean quality that reference runs at this batch practically never have was not reached by this training."""
    if case.reference is not None:
        sign = 1 if case.workload.metric.direction is Direction.HIGHER else -1
        yield from _too_good("repeatability.too_good", case, case.reference.quality, _qualities(case), sign)


def too_early(case: Case) -> Iterator[Finding]:
    """The same for a target that is reached after fewer epochs than reference runs need."""
    if case.reference is not None and case.reference.epochs is not None:
        yield from _too_good("repeatability.too_early", case, case.reference.epochs, _epochs(case), -1)


def _too_good(id: str, case: Case, reference: Spread, values: Sequence[float], sign: int) -> Iterator[Finding]:
    if reference.runs < MIN_REFERENCE_RUNS or not values or not _at_reference_batch(case):
        return
    mean = statistics.fmean(values)
    error = reference.std * math.sqrt(1 / len(values) + 1 / reference.runs)
    better = sign * (mean - reference.mean) / error if error else 0.0
    if better > Z_NOTE:
        expected = f"a mean near {reference.mean:.4f}, as {reference.runs} reference runs have"
        got = f"{mean:.4f}, {better:.1f} standard errors better"
        yield finding(id, case.doubt if better > Z_DOUBT else Verdict.NOTE, expected=expected, got=got)


def _at_reference_batch(case: Case) -> bool:
    batch = case.claim.configuration.global_batch_size
    return case.reference is not None and batch == case.reference.global_batch_size


def _useful(case: Case) -> Sequence[RunScore]:
    return [run for run in case.runs if not run.useless]


def _qualities(case: Case) -> list[float]:
    return [run.quality for run in _useful(case) if run.quality is not None]


def _epochs(case: Case) -> list[float]:
    return [run.to_target.epochs for run in _useful(case) if run.to_target is not None]
