"""Definitions as data: they are found, compare, and name the level that a configuration needs."""

from __future__ import annotations

import copy
import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

from tests.workloads.tiny import TINY
from workloads.definition import (
    Configuration,
    Direction,
    Level,
    Metric,
    Precision,
    UnknownWorkload,
    Workload,
    find,
    registry,
    released,
)
from workloads.errors import DatasetError, WorkloadError

LITE = find("image_classification", "lite")
REFERENCE = find("image_classification", "reference")
SMOKE = find("image_classification", "smoke")
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "use",
    [
        "import workloads.definition; workloads.definition.registry()",
        "from workloads import calibration, definition; [calibration.read(w) for w in definition.registry()]",
        "import workloads.datasets.search",
        "import workloads.engine.schedule",
    ],
)
def test_definitions_data_and_schedule_load_without_torch(use: str) -> None:
    """The portal's web processes and the command line's help know definitions and never train."""
    program = f"import sys; {use}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == 0


def test_definitions_have_addresses_of_their_own() -> None:
    ids = [workload.id for workload in registry()]
    assert len(set(ids)) == len(ids)
    for workload in registry():
        assert find(workload.name, workload.scale, workload.version) is workload


@pytest.mark.parametrize(
    ("name", "scale", "version"),
    [
        ("image_classification", "lite", "no-such-version"),
        ("image_classification", "huge", None),
        ("nothing", "lite", None),
    ],
)
def test_an_unknown_definition_is_an_error(name: str, scale: str, version: str | None) -> None:
    with pytest.raises(UnknownWorkload, match=name):
        find(name, scale, version)


def test_the_reference_recipe_is_the_published_one() -> None:
    rule, values = REFERENCE.learning_rate, REFERENCE.hyperparameters
    assert (rule.base, rule.base_batch, rule.warmup_epochs) == (0.256, 256, 8)
    assert (values["momentum"], values["weight_decay"], values["label_smoothing"]) == (0.875, 1 / 32768, 0.1)
    assert (REFERENCE.target_quality, REFERENCE.epoch_budget, REFERENCE.sensitivity_n) == (0.763, 90, 5)


@pytest.mark.parametrize("workload", [LITE, SMOKE], ids=["lite", "smoke"])
def test_small_scales_are_evaluated_several_times_an_epoch(workload: Workload) -> None:
    assert len(workload.evaluation_points) >= 3 * workload.epoch_budget


def test_a_definition_is_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        LITE.target_quality = 0.1  # type: ignore[misc]


def test_quality_ratio_follows_the_metrics_direction() -> None:
    lower = dataclasses.replace(TINY, metric=Metric(name="loss", title="loss", direction=Direction.LOWER))
    assert TINY.quality_ratio(0.6) == pytest.approx(1.2)
    assert lower.quality_ratio(0.25) == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("configuration", "level"),
    [
        (Configuration(global_batch_size=1), Level.HARDWARE),
        (Configuration(global_batch_size=1, threads=2), Level.HARDWARE),
        (Configuration(global_batch_size=1, precision=Precision.TF32), Level.SYSTEM),
        (Configuration(global_batch_size=1, precision=Precision.BF16), Level.SYSTEM),
        (Configuration(global_batch_size=1, channels_last=True), Level.SYSTEM),
        (Configuration(global_batch_size=1, compile=True), Level.SYSTEM),
    ],
)
def test_a_configuration_names_the_level_it_needs(configuration: Configuration, level: Level) -> None:
    assert configuration.required_level(TINY) is level


def test_what_the_released_code_does_changes_nothing_whatever_its_memory_format() -> None:
    relaid = dataclasses.replace(TINY, channels_last=True)
    assert released(relaid).required_level(relaid) is Level.HARDWARE
    assert released(TINY).required_level(relaid) is Level.SYSTEM


def test_an_error_tells_everything_and_leaves_out_what_is_empty() -> None:
    error = WorkloadError("data.corrupt", "It is damaged.", place="here", got=3, action="Fetch it.")
    assert str(error) == "data.corrupt: It is damaged.\n  at: here\n  got: 3\n  what to do: Fetch it."


def test_an_error_survives_the_way_out_of_a_child_process() -> None:
    """Children hand errors over as copies made from constructor arguments and fields."""
    error = DatasetError("data.corrupt", "It is damaged.", place="here", expected=1, got=3, action="Fetch it.")
    copied = copy.copy(error)
    assert type(copied) is DatasetError
    assert str(copied) == str(error)
