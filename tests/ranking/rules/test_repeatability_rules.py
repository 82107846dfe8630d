"""Repeatability rules: sets that vary too much are held at reference scale and noted below."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ranking.case import Case
from ranking.findings import Verdict
from ranking.rules import repeatability
from tests.bundles import Run
from tests.ranking.rules.judging import (
    REFERENCE,
    SMOKE,
    Forgery,
    assert_found,
    case_from,
    honest_case,
    shift,
    with_workload,
)
from workloads.definition import Calibration, Direction, Metric, Scale


def slower(run: Run) -> None:
    """The second run takes half as long again; everything in it, and after it, is later."""
    begin = run.events[0].clock_us
    if run.index == 1:
        shift(run, lambda clock_us: clock_us + (clock_us - begin) // 2)
    elif run.index > 1:
        shift(run, lambda clock_us: clock_us + 2_000_000)


FORGERIES = [
    Forgery(id="repeatability.flops", name="at smoke", verdict=Verdict.NOTE, options={"edit_run": slower}),
    Forgery(
        id="repeatability.flops",
        name="at reference scale",
        verdict=Verdict.HOLD,
        options={"edit_run": slower, "workload": REFERENCE},
    ),
    Forgery(id="repeatability.not_calibrated", name="reference", verdict=Verdict.NOTE, options={"workload": REFERENCE}),
]


@pytest.mark.parametrize("forgery", FORGERIES, ids=str)
def test_sets_that_vary(forgery: Forgery, tmp_path: Path) -> None:
    assert_found(tmp_path, forgery)


def calibrated(case: Case, *, mean: float, std: float, seeds: int = 59, **changes: Any) -> Case:
    calibration = Calibration(
        csv="calibration.csv",
        seeds=seeds,
        quality_mean=mean,
        quality_std=std,
        global_batch_size=SMOKE.default_global_batch_size,
    )
    return with_workload(case, calibration=calibration, **changes)


def verdicts(rule: Any, case: Case) -> list[Verdict]:
    return [found.verdict for found in rule(case)]


HONEST_STD = 0.0032
"""Standard deviation of the honest bundle's five qualities, rounded up."""


@pytest.mark.parametrize(
    ("std", "scale", "expected"),
    [
        (HONEST_STD, Scale.REFERENCE, []),
        (HONEST_STD / 2, Scale.REFERENCE, []),
        (HONEST_STD / 3, Scale.REFERENCE, [Verdict.HOLD]),
        (HONEST_STD / 3, Scale.LITE, [Verdict.NOTE]),
        (0.0, Scale.SMOKE, [Verdict.NOTE]),
    ],
)
def test_spread_of_quality_is_held_against_calibration(std: float, scale: Scale, expected: list[Verdict]) -> None:
    case = calibrated(honest_case(), mean=0.951, std=std, scale=scale)
    assert verdicts(repeatability.quality_spread, case) == expected


@pytest.mark.parametrize(
    ("mean", "scale", "expected"),
    [
        (0.951, Scale.REFERENCE, []),
        (0.99, Scale.REFERENCE, []),
        (0.9477, Scale.REFERENCE, [Verdict.NOTE]),
        (0.94, Scale.REFERENCE, [Verdict.HOLD]),
        (0.94, Scale.SMOKE, [Verdict.NOTE]),
    ],
)
def test_a_mean_that_is_too_good(mean: float, scale: Scale, expected: list[Verdict]) -> None:
    case = calibrated(honest_case(), mean=mean, std=HONEST_STD, scale=scale)
    assert verdicts(repeatability.too_good, case) == expected


def test_too_good_is_not_judged_by_few_or_other_reference_runs() -> None:
    few = calibrated(honest_case(), mean=0.9, std=HONEST_STD, seeds=20)
    assert verdicts(repeatability.too_good, few) == []
    calibration = few.workload.calibration
    assert calibration is not None
    other = with_workload(few, calibration=replace(calibration, seeds=59, global_batch_size=64))
    assert verdicts(repeatability.too_good, other) == []


def test_too_good_is_lower_where_lower_is_better() -> None:
    metric = Metric(name="error", title="error", direction=Direction.LOWER)
    case = calibrated(honest_case(), mean=0.96, std=HONEST_STD, metric=metric, scale=Scale.REFERENCE)
    assert verdicts(repeatability.too_good, case) == [Verdict.HOLD]
    assert verdicts(repeatability.too_good, with_workload(case, metric=SMOKE.metric)) == []


def test_a_workload_without_calibration_judges_nothing() -> None:
    case = with_workload(case_from(), calibration=None)
    assert verdicts(repeatability.quality_spread, case) == verdicts(repeatability.too_good, case) == []
