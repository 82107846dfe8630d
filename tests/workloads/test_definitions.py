"""Definitions are data: importable without torch, complete, and equal to what the code counts."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workloads.tasks import LITE, REFERENCE, SMOKE
from workloads.definition import Configuration, Direction, EvaluationSchedule, Level, Precision, UnknownWorkload
from workloads.definition import find as find_workload
from workloads.definition import registry


def test_definitions_and_calibration_tables_are_read_without_torch_or_numpy() -> None:
    program = (
        "import sys; from workloads.definition import registry; from workloads import calibration;"
        "[calibration.read(w) for w in registry()];"
        "print(sorted(m for m in ('torch', 'numpy', 'sklearn', 'django') if m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_definition_is_found_by_its_address() -> None:
    for workload in registry():
        assert find_workload(*workload.id.split("/")) is workload
    with pytest.raises(UnknownWorkload):
        find_workload("image_classification", "enormous")


def test_the_last_evaluation_of_every_definition_stands_at_the_end_of_its_budget() -> None:
    for workload in registry():
        assert workload.evaluation_points[-1] == workload.epoch_budget * workload.dataset.train_samples


@pytest.mark.parametrize("workload", [LITE, SMOKE])
def test_small_scales_are_evaluated_several_times_an_epoch(workload: object) -> None:
    assert isinstance(workload, type(LITE))
    assert len(workload.evaluation_points) >= 3 * workload.epoch_budget


def test_the_reference_recipe_is_the_published_one() -> None:
    rule, values = REFERENCE.learning_rate, REFERENCE.hyperparameters
    assert (rule.base, rule.base_batch, rule.warmup_epochs) == (0.256, 256, 8)
    assert (values["momentum"], values["weight_decay"], values["label_smoothing"]) == (0.875, 1 / 32768, 0.1)
    assert (REFERENCE.target_quality, REFERENCE.epoch_budget, REFERENCE.sensitivity_n) == (0.763, 90, 5)


@given(offset=st.integers(1, 500), interval=st.integers(1, 500), total=st.integers(1, 2_000))
def test_evaluation_points_ascend_by_the_interval_and_end_at_the_total(offset: int, interval: int, total: int) -> None:
    points = EvaluationSchedule(offset_samples=offset, interval_samples=interval).points(total)
    assert points[-1] == total
    assert list(points) == sorted(set(points))
    assert points[0] == min(offset, total)
    assert all(b - a == interval for a, b in zip(points[:-2], points[1:-1], strict=True))


@pytest.mark.parametrize(
    ("configuration", "level"),
    [
        (Configuration(global_batch_size=8), Level.HARDWARE),
        (Configuration(global_batch_size=8, threads=2), Level.HARDWARE),
        (Configuration(global_batch_size=8, precision=Precision.BF16), Level.SYSTEM),
        (Configuration(global_batch_size=8, channels_last=True), Level.SYSTEM),
        (Configuration(global_batch_size=8, compile=True), Level.SYSTEM),
    ],
)
def test_the_level_follows_from_what_was_changed(configuration: Configuration, level: Level) -> None:
    assert configuration.required_level() is level


def test_quality_counts_upside_down_where_lower_is_better() -> None:
    lower = replace(SMOKE, target_quality=0.5, metric=replace(SMOKE.metric, direction=Direction.LOWER))
    assert lower.quality_ratio(0.25) == 2
    assert replace(SMOKE, target_quality=0.5).quality_ratio(0.25) == 0.5
