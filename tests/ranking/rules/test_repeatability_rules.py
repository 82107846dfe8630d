"""Repeatability rules: sets that vary too much are held at reference scale and noted below."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pytest

from ranking.case import Case
from ranking.findings import Verdict
from ranking.reference import Reference, Spread, reference_of, spread_of
from ranking.rules import repeatability
from tests.bundles import Run
from tests.ranking.rules.judging import (
    REFERENCE,
    SMOKE,
    Forgery,
    assert_found,
    honest_case,
    shift,
    with_workload,
)
from workloads.definition import Direction, Metric, Scale, Workload, registry


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


def spread(mean: float, std: float, *, runs: int = 59) -> Spread:
    """Reference runs with this mean and deviation, drawn without gaps from a normal distribution."""
    normal = NormalDist(mean, std)
    found = spread_of([normal.inv_cdf((n + 0.5) / runs) for n in range(runs)], size=5, seed="test")
    assert found is not None
    return replace(found, mean=mean, std=std)


def against(quality: Spread, *, epochs: Spread | None = None, batch: int | None = None, **changes: Any) -> Case:
    """The honest case held against such reference runs."""
    size = SMOKE.default_global_batch_size if batch is None else batch
    reference = Reference(global_batch_size=size, quality=quality, epochs=epochs, errors_per_loss=None, changes=())
    return replace(with_workload(honest_case(), **changes), reference=reference)


def verdicts(rule: Any, case: Case) -> list[Verdict]:
    return [found.verdict for found in rule(case)]


QUALITIES = [run.quality or 0.0 for run in honest_case().runs]
MEAN, STD = statistics.fmean(QUALITIES), statistics.stdev(QUALITIES)
EPOCHS = [run.to_target.epochs for run in honest_case().runs if run.to_target]
EPOCHS_MEAN, EPOCHS_STD = statistics.fmean(EPOCHS), statistics.stdev(EPOCHS)


@pytest.mark.parametrize(
    ("part", "scale", "expected"),
    [
        (1.0, Scale.REFERENCE, []),
        (1 / 1.5, Scale.REFERENCE, []),
        (1 / 3, Scale.REFERENCE, [Verdict.HOLD]),
        (1 / 3, Scale.LITE, [Verdict.NOTE]),
        (1e-6, Scale.SMOKE, [Verdict.NOTE]),
    ],
)
def test_spread_is_held_against_sets_drawn_from_reference_runs(
    part: float, scale: Scale, expected: list[Verdict]
) -> None:
    case = against(spread(MEAN, STD * part), epochs=spread(EPOCHS_MEAN, EPOCHS_STD * part), scale=scale)
    assert verdicts(repeatability.quality_spread, case) == expected
    assert verdicts(repeatability.epochs_spread, case) == expected


@pytest.mark.parametrize(
    ("errors", "scale", "expected"),
    [
        (0.0, Scale.REFERENCE, []),
        (-9.0, Scale.REFERENCE, []),
        (1.5, Scale.REFERENCE, []),
        (2.0, Scale.REFERENCE, [Verdict.NOTE]),
        (3.5, Scale.REFERENCE, [Verdict.HOLD]),
        (3.5, Scale.SMOKE, [Verdict.NOTE]),
    ],
)
def test_better_than_reference_runs_by_standard_errors(errors: float, scale: Scale, expected: list[Verdict]) -> None:
    error = math.sqrt(1 / 5 + 1 / 59)
    quality = spread(MEAN - errors * STD * error, STD)
    epochs = spread(EPOCHS_MEAN + errors * EPOCHS_STD * error, EPOCHS_STD)
    case = against(quality, epochs=epochs, scale=scale)
    assert verdicts(repeatability.too_good, case) == expected
    assert verdicts(repeatability.too_early, case) == expected


def test_too_good_is_not_judged_by_few_or_other_reference_runs() -> None:
    assert verdicts(repeatability.too_good, against(spread(0.9, STD, runs=20))) == []
    assert verdicts(repeatability.too_good, against(spread(0.9, STD), batch=64)) == []
    assert verdicts(repeatability.too_good, against(spread(0.9, STD))) == [Verdict.NOTE]


def test_too_good_is_lower_where_lower_is_better() -> None:
    error_rate = Metric(name="error", title="error", direction=Direction.LOWER)
    assert verdicts(repeatability.too_good, against(spread(MEAN + 9 * STD, STD), metric=error_rate)) == [Verdict.NOTE]
    assert verdicts(repeatability.too_good, against(spread(MEAN + 9 * STD, STD))) == []


def test_a_workload_without_reference_runs_judges_nothing() -> None:
    case = replace(honest_case(), reference=None)
    rules = (repeatability.quality_spread, repeatability.epochs_spread, repeatability.too_good, repeatability.too_early)
    assert [verdicts(rule, case) for rule in rules] == [[], [], [], []]


def test_drawn_variation_is_that_of_normal_sets_of_five() -> None:
    """99.9 % point of a five-run deviation: sqrt(chi-square(0.999, 4) / 4) = 2.149 true ones."""
    assert spread(1.0, 0.01, runs=999).max_cv == pytest.approx(0.02149, rel=0.05)


@pytest.mark.parametrize("values", [[], [1.0]])
def test_a_spread_needs_two_runs(values: list[float]) -> None:
    assert spread_of(values, size=5, seed="") is None


def test_a_bootstrap_can_be_repeated() -> None:
    assert spread(0.9, 0.01) == spread(0.9, 0.01)


@pytest.mark.parametrize("workload", registry(), ids=lambda workload: workload.id)
def test_definitions_with_a_calibration_have_reference_runs(workload: Workload) -> None:
    reference = reference_of(workload)
    assert (reference is None) == (workload.calibration is None)
    if reference is not None and workload.calibration is not None:
        assert reference.quality.mean == pytest.approx(workload.calibration.quality_mean, abs=1e-6)
        assert reference.quality.runs == workload.calibration.seeds
