"""Scores: the formula, the middle three, useless runs, crossings of the target and statistics of a set."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.energy import Energy, Scope
from ranking.evidence import keys
from ranking.evidence.model import LogLine, RunEvidence
from ranking.scoring import (
    Crossing,
    RunScore,
    RunSetScore,
    crossing,
    is_below_floor,
    quality_factor,
    score_run,
    score_run_set,
    variation,
)
from ranking.trace import Trace
from workloads.definition import Direction, Metric, Workload, find

SMOKE = find("image_classification", "smoke", "1")
WORKLOAD = replace(SMOKE, target_quality=0.8, sensitivity_n=5, flops_per_sample=1_000)
ERROR_RATE = replace(
    WORKLOAD, metric=Metric(name="error", title="error", direction=Direction.LOWER), target_quality=0.2
)
START_US = 10_000_000


def line(key: str, clock_s: float, value: object = None, **metadata: object) -> LogLine:
    return LogLine(
        number=1,
        event_type=keys.POINT_IN_TIME,
        namespace="",
        key=key,
        value=value,  # type: ignore[arg-type]
        metadata=metadata,  # type: ignore[arg-type]
        time_ms=0,
        clock_us=START_US + round(clock_s * 1e6),
        seq=0,
    )


def trace(*points: tuple[float, int, float], stop_s: float = 100.0, status: str = keys.SUCCESS) -> Trace:
    """A run with evaluations at (seconds, samples, quality)."""
    evaluations = [line(keys.EVAL_ACCURACY, at, quality, samples=samples) for at, samples, quality in points]
    lines = (line(keys.RUN_START, 0), *evaluations, line(keys.RUN_STOP, stop_s, status=status))
    return Trace(RunEvidence(index=0, seed=1, lines=lines, telemetry=(), checkpoints=()))


def run(index: int, *, flops: float = 100.0, quality: float = 0.8, useless: bool = False) -> RunScore:
    """A run of 1,000 samples whose length follows from its FLOPS."""
    factor = (quality / WORKLOAD.target_quality) ** 5
    return RunScore(
        index=index,
        useless=useless,
        valid_flops=flops * factor,
        flops=flops,
        quality=quality,
        factor=factor,
        seconds=1_000 * 1_000 / flops,
        samples=1_000,
        to_target=Crossing(seconds=10.0 + index, epochs=1.0),
        energy=Energy(scope=Scope.ACCELERATORS, joules=100.0 + index, watts=10.0),
    )


def score(*runs: RunScore, workload: Workload = WORKLOAD) -> RunSetScore:
    found = score_run_set(runs, workload)
    assert found is not None
    return found


def test_a_run_is_credited_flops_over_its_interval_times_the_factor() -> None:
    total = WORKLOAD.total_samples
    scored = score_run(trace((40.0, total // 2, 0.7), (90.0, total, 0.84)), WORKLOAD)
    assert scored.flops == pytest.approx(total * 1_000 / 100.0)
    assert scored.factor == pytest.approx(1.05**5)
    assert scored.valid_flops == pytest.approx(total * 10.0 * 1.05**5)
    assert not scored.useless


def test_samples_beyond_the_budget_are_not_credited() -> None:
    assert score_run(trace((90.0, WORKLOAD.total_samples * 3, 0.84)), WORKLOAD).samples == WORKLOAD.total_samples


@pytest.mark.parametrize(
    ("achieved", "factor"),
    [(0.8, 1.0), (0.84, 1.05**5), (0.4, 0.5**5), (0.0, 0.0), (1.6, 32.0), (-0.1, None), (1e80, None)],
)
def test_factor_is_the_ratio_to_the_power_n_and_never_capped(achieved: float, factor: float | None) -> None:
    assert quality_factor(achieved, WORKLOAD) == (None if factor is None else pytest.approx(factor))


def test_where_lower_is_better_the_ratio_is_target_over_achieved() -> None:
    assert quality_factor(0.1, ERROR_RATE) == pytest.approx(2**5)
    assert quality_factor(0.0, ERROR_RATE) is None
    assert (is_below_floor(0.22, ERROR_RATE), is_below_floor(0.23, ERROR_RATE)) == (False, True)


@pytest.mark.parametrize(
    ("quality", "below"), [(0.72, False), (0.7199, True), (None, True), (-1.0, True), (0.8, False), (0.0, True)]
)
def test_the_floor_is_nine_tenths_of_the_target(quality: float | None, below: bool) -> None:
    assert is_below_floor(quality, WORKLOAD) is below


@pytest.mark.parametrize(
    "broken",
    [
        trace((90.0, WORKLOAD.total_samples, 0.84), status=keys.ABORTED),
        trace((90.0, WORKLOAD.total_samples, 0.84), stop_s=0.0),
        trace((90.0, WORKLOAD.total_samples, math.nan)),
        trace((90.0, WORKLOAD.total_samples, 0.5)),
        trace(),
    ],
    ids=["aborted", "no interval", "no number", "below the floor", "never evaluated"],
)
def test_runs_without_use(broken: Trace) -> None:
    assert score_run(broken, WORKLOAD).useless


def test_the_middle_three_of_five_count() -> None:
    scored = score(*(run(i, flops=flops) for i, flops in enumerate([100.0, 300.0, 200.0, 400.0, 250.0])))
    assert scored.counted == (1, 2, 4)
    assert scored.flops == pytest.approx(3e6 / (1e6 / 300 + 1e6 / 200 + 1e6 / 250))
    assert (scored.low, scored.high) == (200.0, 300.0)
    assert (scored.all_low, scored.all_high) == (100.0, 400.0)


def test_flops_of_a_set_are_sums_divided_and_quality_is_the_mean() -> None:
    scored = score(*(run(i, flops=100.0 + i, quality=q) for i, q in enumerate([0.8, 0.8, 0.84, 0.88, 0.9])))
    assert scored.counted == (1, 2, 3)
    assert scored.quality == pytest.approx(0.84)
    assert scored.factor == pytest.approx(1.05**5)
    assert scored.valid_flops == pytest.approx(scored.flops * scored.factor)
    assert scored.samples * WORKLOAD.flops_per_sample / scored.seconds == pytest.approx(scored.flops)


def test_order_is_by_valid_flops_not_by_flops() -> None:
    fast_and_poor = run(0, flops=120.0, quality=0.72)
    others = [run(i, flops=100.0 + i, quality=0.8) for i in range(1, 5)]
    assert score(fast_and_poor, *others).counted == (1, 2, 3)


def test_a_useless_run_ranks_as_worst_however_fast_it_was() -> None:
    scored = score(run(0, flops=1e6, useless=True), *(run(i, flops=100.0 + i) for i in range(1, 5)))
    assert scored.counted == (1, 2, 3)


def test_a_second_useless_run_leaves_no_score() -> None:
    runs = [run(i, useless=i < 2) for i in range(5)]
    assert score_run_set(runs, WORKLOAD) is None


@pytest.mark.parametrize("count", [0, 1, 4, 6, 10])
def test_any_other_number_of_runs_leaves_no_score(count: int) -> None:
    assert score_run_set([run(i) for i in range(count)], WORKLOAD) is None


def test_equal_runs_are_told_apart_by_their_number() -> None:
    assert score(*(run(i) for i in range(5))).counted == (1, 2, 3)


def test_time_and_energy_come_from_the_same_three() -> None:
    scored = score(*(run(i, flops=100.0 + i) for i in range(5)))
    assert scored.to_target == Crossing(seconds=12.0, epochs=1.0)
    assert scored.energy is not None
    assert scored.energy.joules == pytest.approx(102.0)
    assert scored.energy.watts == pytest.approx(102.0 / scored.seconds)


def test_energy_of_two_scopes_is_not_added() -> None:
    runs = [run(i, flops=100.0 + i) for i in range(5)]
    package = Energy(scope=Scope.PACKAGE, joules=1.0, watts=1.0)
    assert score(*runs[:2], replace(runs[2], energy=package), *runs[3:]).energy is None
    assert score(*runs[:2], replace(runs[2], energy=None), *runs[3:]).energy is None
    assert score(replace(runs[0], energy=None), *runs[1:]).energy is not None


def test_a_counted_run_that_never_reached_the_target_leaves_no_time_to_it() -> None:
    runs = [run(i, flops=100.0 + i) for i in range(5)]
    assert score(*runs[:2], replace(runs[2], to_target=None), *runs[3:]).to_target is None


def test_crossing_is_interpolated_between_the_evaluations_around_it() -> None:
    found = crossing(trace((10.0, 1_000, 0.6), (20.0, 2_000, 0.7), (40.0, 4_000, 0.9)), WORKLOAD)
    assert found is not None
    assert found.seconds == pytest.approx(30.0)
    assert found.epochs == pytest.approx(3_000 / WORKLOAD.dataset.train_samples)


@pytest.mark.parametrize(
    ("points", "seconds"),
    [
        ([(10.0, 1_000, 0.8), (20.0, 2_000, 0.9)], 10.0),
        ([(10.0, 1_000, 0.95)], 10.0),
        ([(10.0, 1_000, 0.7), (20.0, 2_000, 0.8)], 20.0),
        ([(10.0, 1_000, 0.7), (20.0, 2_000, 0.9), (30.0, 3_000, 0.1)], 15.0),
        ([(10.0, 1_000, 0.7), (20.0, 2_000, 0.79)], None),
        ([], None),
    ],
)
def test_the_first_crossing_counts(points: list[tuple[float, int, float]], seconds: float | None) -> None:
    found = crossing(trace(*points), WORKLOAD)
    assert (None if found is None else found.seconds) == (None if seconds is None else pytest.approx(seconds))


def test_crossing_downwards_where_lower_is_better() -> None:
    found = crossing(trace((10.0, 1_000, 0.4), (20.0, 2_000, 0.1)), ERROR_RATE)
    assert found is not None
    assert found.seconds == pytest.approx(10 + 10 * 2 / 3)


@pytest.mark.parametrize(
    ("values", "expected"),
    [([], 0.0), ([1.0], 0.0), ([2.0, 2.0], 0.0), ([1.0, 3.0], math.sqrt(2) / 2), ([0.0, 0.0], 0.0)],
)
def test_variation_is_sample_deviation_over_mean(values: list[float], expected: float) -> None:
    assert variation(values) == pytest.approx(expected)


SPEEDS = st.lists(st.floats(1.0, 1e18), min_size=5, max_size=5)


@given(SPEEDS, st.permutations(range(5)))
def test_the_order_of_the_runs_changes_no_figure(speeds: list[float], order: list[int]) -> None:
    runs = [run(i, flops=speed) for i, speed in enumerate(speeds)]
    assert score(*(runs[i] for i in order)).counted == score(*runs).counted
    assert score(*(runs[i] for i in order)).valid_flops == pytest.approx(score(*runs).valid_flops, rel=1e-12)


@given(SPEEDS)
def test_a_score_lies_between_the_lowest_and_highest_counted_run(speeds: list[float]) -> None:
    scored = score(*(run(i, flops=speed) for i, speed in enumerate(speeds)))
    assert scored.all_low <= scored.low <= scored.high <= scored.all_high
    assert scored.low * (1 - 1e-9) <= scored.valid_flops <= scored.high * (1 + 1e-9)


@given(st.floats(allow_nan=True, allow_infinity=True), st.floats(allow_nan=True, allow_infinity=True))
def test_no_quality_or_time_gives_a_score_that_is_not_finite(quality: float, stop_s: float) -> None:
    stop = stop_s if math.isfinite(stop_s) and abs(stop_s) < 1e6 else 1.0
    scored = score_run(trace((1.0, 1_000, quality), stop_s=stop), WORKLOAD)
    assert scored.valid_flops is None or math.isfinite(scored.valid_flops)
