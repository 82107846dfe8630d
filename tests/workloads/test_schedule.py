"""The course of a run: evaluations, intervals and steps that tile it, and the learning rate along it."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workloads.tiny import TINY, make_task
from workloads.definition import Dataset, EvaluationSchedule, LearningRateRule, TrainingTask, Workload, registry
from workloads.engine.schedule import (
    Interval,
    epoch_parts,
    intervals,
    learning_rate,
    peak_learning_rate,
    step_bounds,
)

NOWHERE = Path("nowhere")


@st.composite
def workloads(draw: st.DrawFn) -> Workload:
    """TINY with another course: any budget, schedule and learning-rate rule."""
    dataset = dataclasses.replace(TINY.dataset, train_samples=draw(st.integers(1, 5000)))
    epochs = draw(st.integers(1, 6))
    total = epochs * dataset.train_samples
    rule = LearningRateRule(
        base=draw(st.floats(1e-3, 10)),
        base_batch=draw(st.integers(1, 512)),
        warmup_epochs=draw(st.floats(0, epochs * 0.9)),
        max_global_batch_size=512,
    )
    every = draw(st.integers(max(1, total // 20), total + 10))
    schedule = EvaluationSchedule(offset_samples=draw(st.integers(1, total + 10)), interval_samples=every)
    return dataclasses.replace(TINY, dataset=dataset, epoch_budget=epochs, evaluation=schedule, learning_rate=rule)


def task_of(workload: Workload) -> TrainingTask:
    """A task with a salt of its own for each interval."""
    salts = tuple(f"salt-{index}" for index in range(len(workload.evaluation_points)))
    return make_task(NOWHERE, NOWHERE, workload=workload, salts=salts)


def dataset_of(train_samples: int) -> Dataset:
    """TINY's data set in another size."""
    return dataclasses.replace(TINY.dataset, train_samples=train_samples)


@given(workloads())
def test_evaluations_ascend_and_the_last_ends_the_budget(workload: Workload) -> None:
    points = workload.evaluation_points
    assert points[-1] == workload.total_samples
    assert all(before < after for before, after in itertools.pairwise((0, *points)))


def test_evaluations_start_at_the_offset_and_one_more_stands_at_the_end() -> None:
    schedule = EvaluationSchedule(offset_samples=30, interval_samples=40)
    assert schedule.points(120) == (30, 70, 110, 120)
    assert schedule.points(110) == (30, 70, 110)
    assert schedule.points(20) == (20,)


@given(workloads())
def test_intervals_tile_the_run_and_keep_their_salts(workload: Workload) -> None:
    found = intervals(task_of(workload))
    assert [interval.index for interval in found] == list(range(len(found)))
    assert [interval.salt for interval in found] == [f"salt-{index}" for index in range(len(found))]
    assert [interval.first for interval in found] == [0, *(interval.last for interval in found[:-1])]
    assert sum(interval.samples for interval in found) == workload.total_samples


@pytest.mark.parametrize("change", [-1, 1])
def test_a_wrong_number_of_salts_is_refused(change: int) -> None:
    salts = ("",) * (len(TINY.evaluation_points) + change)
    with pytest.raises(ValueError, match="salts"):
        intervals(make_task(NOWHERE, NOWHERE, salts=salts))


@given(workloads())
def test_parts_of_epochs_cover_each_epoch_once(workload: Workload) -> None:
    count = workload.dataset.train_samples
    parts = [part for interval in intervals(task_of(workload)) for part in epoch_parts(interval, count)]
    positions = [part.epoch * count + place for part in parts for place in (part.start, part.stop)]
    assert positions[0] == 0
    assert positions[-1] == workload.total_samples
    assert positions[1:-1:2] == positions[2::2]
    assert all(0 <= part.start < part.stop <= count for part in parts)


def test_an_interval_over_the_end_of_an_epoch_is_cut_there() -> None:
    interval = Interval(index=0, first=90, last=210, salt="")
    parts = [(part.epoch, part.start, part.stop) for part in epoch_parts(interval, 100)]
    assert parts == [(0, 90, 100), (1, 0, 100), (2, 0, 10)]


@given(samples=st.integers(1, 20_000), batch=st.integers(1, 4096))
def test_steps_tile_the_interval_in_nearly_equal_sizes(samples: int, batch: int) -> None:
    bounds = step_bounds(samples, batch)
    sizes = [stop - start for start, stop in bounds]
    assert bounds[0][0] == 0
    assert bounds[-1][1] == samples
    assert all(before[1] == after[0] for before, after in itertools.pairwise(bounds))
    assert max(sizes) <= batch
    assert max(sizes) - min(sizes) <= 1
    assert len(sizes) == -(-samples // batch)


def test_a_batch_that_divides_the_interval_is_kept_exactly() -> None:
    assert step_bounds(300, 100) == ((0, 100), (100, 200), (200, 300))


@given(workload=workloads(), batch=st.integers(1, 512), part=st.floats(0, 1))
def test_the_rate_lies_between_zero_and_its_peak(workload: Workload, batch: int, part: float) -> None:
    peak = peak_learning_rate(workload.learning_rate, batch)
    rate = learning_rate(workload, batch, round(part * workload.total_samples))
    assert 0 <= rate <= peak * (1 + 1e-12)


@given(workload=workloads(), batch=st.integers(1, 256), part=st.floats(0, 1))
def test_the_rate_is_proportional_to_the_batch(workload: Workload, batch: int, part: float) -> None:
    samples = round(part * workload.total_samples)
    single = learning_rate(workload, batch, samples)
    assert learning_rate(workload, 2 * batch, samples) == pytest.approx(2 * single)


@given(workloads())
def test_the_rate_ends_at_zero(workload: Workload) -> None:
    peak = peak_learning_rate(workload.learning_rate, 32)
    assert learning_rate(workload, 32, workload.total_samples) == pytest.approx(0, abs=1e-12 * peak)


def test_the_rate_warms_up_linearly_and_then_follows_a_cosine() -> None:
    rule = LearningRateRule(base=1.0, base_batch=100, warmup_epochs=2, max_global_batch_size=400)
    workload = dataclasses.replace(TINY, dataset=dataset_of(100), epoch_budget=10, learning_rate=rule)
    at = {samples: learning_rate(workload, 200, samples) for samples in (0, 50, 100, 200, 400, 600, 800, 1000)}
    assert [at[samples] for samples in (0, 50, 100, 200)] == pytest.approx([0, 0.5, 1, 2])
    assert [at[samples] for samples in (400, 600, 800, 1000)] == pytest.approx([1 + 0.5**0.5, 1, 1 - 0.5**0.5, 0])


def test_without_warm_up_the_first_step_has_the_peak_rate_nearly() -> None:
    rule = dataclasses.replace(TINY.learning_rate, warmup_epochs=0)
    workload = dataclasses.replace(TINY, learning_rate=rule)
    assert learning_rate(workload, rule.base_batch, 1) == pytest.approx(rule.base, rel=1e-4)


@pytest.mark.parametrize("workload", registry(), ids=lambda workload: workload.id)
def test_definitions_keep_to_their_own_bounds(workload: Workload) -> None:
    rule = workload.learning_rate
    assert rule.warmup_epochs < workload.epoch_budget
    assert workload.default_global_batch_size <= rule.max_global_batch_size
    assert 0 < workload.target_quality < 1
    assert workload.runs >= 5
