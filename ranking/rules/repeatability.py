"""Repeatability rules: the runs of a set vary as much as speed and training do, and are not better than they can be."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator
from typing import Final

from ranking.case import Case
from ranking.findings import Finding, Verdict, finding, note
from ranking.scoring import variation
from workloads.definition import Calibration, Direction

MAX_CV_FLOPS: Final = 0.05
"""Coefficient of variation of FLOPS; published runs on GPUs lie from 0.001 to 0.02."""

SPREAD_QUANTILE: Final = 2.149
"""99.9 % point of a five-run standard deviation over the true one: sqrt(chi-square(0.999, 4) / 4)."""

MIN_REFERENCE_RUNS: Final = 59
"""Calibration runs from which too good a mean is told: their 5 % tail then holds about three."""

Z_HOLD: Final = 3.090
"""Standard score of p = 0.001, one-sided."""

Z_NOTE: Final = 1.645
"""Standard score of p = 0.05, one-sided."""


def speed(case: Case) -> Iterator[Finding]:
    """FLOPS of the runs agree; where they do not, something else used the machine, or some runs were helped."""
    if case.score is not None and case.score.cv_flops > MAX_CV_FLOPS:
        expected = f"at most {MAX_CV_FLOPS:.0%} coefficient of variation"
        yield finding("repeatability.flops", case.doubt, expected=expected, got=f"{case.score.cv_flops:.1%}")


def quality_spread(case: Case) -> Iterator[Finding]:
    """Final quality varies no more than calibration runs do, beyond the 99.9 % point of sets of this size."""
    calibration, qualities = case.workload.calibration, _qualities(case)
    if calibration is None or len(qualities) < 2:
        return
    most = SPREAD_QUANTILE * calibration.quality_std / calibration.quality_mean
    got = variation(qualities)
    if got > most:
        expected = f"at most {most:.2%} coefficient of variation"
        yield finding("repeatability.quality", case.doubt, expected=expected, got=f"{got:.2%}")


def too_good(case: Case) -> Iterator[Finding]:
    """A mean quality that reference runs at this batch practically never have was not reached by this training."""
    calibration, qualities = case.workload.calibration, _qualities(case)
    if calibration is None or not qualities or not _comparable(case, calibration):
        return
    sign = 1 if case.workload.metric.direction is Direction.HIGHER else -1
    spread = calibration.quality_std * math.sqrt(1 / len(qualities) + 1 / calibration.seeds)
    score = sign * (statistics.fmean(qualities) - calibration.quality_mean) / spread if spread else 0.0
    if score > Z_NOTE:
        expected = f"a mean near {calibration.quality_mean:.4f}, as {calibration.seeds} reference runs have"
        got = f"{statistics.fmean(qualities):.4f}, {score:.1f} standard errors better"
        found = case.doubt if score > Z_HOLD else Verdict.NOTE
        yield finding("repeatability.too_good", found, expected=expected, got=got)


def _comparable(case: Case, calibration: Calibration) -> bool:
    batch = case.claim.configuration.global_batch_size
    return calibration.seeds >= MIN_REFERENCE_RUNS and batch == calibration.global_batch_size


def _qualities(case: Case) -> list[float]:
    return [run.quality for run in case.runs if run.quality is not None and not run.useless]


def calibrated(case: Case) -> Iterator[Finding]:
    """Said where a definition has no calibration yet: its spread of quality is then not judged."""
    if case.workload.calibration is None:
        yield note("repeatability.not_calibrated", expected="calibration runs", got=case.workload.id)
