"""Whole runs on the CPU: what is reported and in which order, reproducibility, and how a run fails."""

from __future__ import annotations

import dataclasses
import hashlib
import re
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.workloads.tiny import BATCH, TINY, Listener, make_task
from workloads.definition import Configuration, LearningRateRule, Precision, TrainingTask
from workloads.engine import checkpoint, loop
from workloads.engine.schedule import intervals
from workloads.engine.session import prepare
from workloads.errors import DatasetError
from workloads.image_classification.train import ImageClassification, train

pytestmark = pytest.mark.training

PROTOCOL = re.compile(
    r"init_start hyperparameters init_stop run_start "
    r"(interval_start (step )+evaluation_start evaluation_stop checkpoint interval_stop )+"
    r"run_stop"
)
"""The sequence in the docstring of Recorder."""


@dataclasses.dataclass(frozen=True)
class Run:
    """A run that has ended."""

    task: TrainingTask
    listener: Listener

    @property
    def digests(self) -> list[str]:
        """SHA-256 of its checkpoints in order."""
        paths = [values["path"] for values in self.listener.of("checkpoint")]
        return [hashlib.sha256(path.read_bytes()).hexdigest() for path in paths]


def trained(folder: Path, data: Path, **fields: Any) -> Run:
    """Train a task of TINY."""
    task, listener = make_task(folder, data, **fields), Listener()
    train(task, listener)
    return Run(task, listener)


@pytest.fixture
def run(tmp_path: Path, digits: Path) -> Run:
    """A run of seed 7."""
    return trained(tmp_path / "first", digits)


def test_calls_come_in_the_order_of_the_protocol(run: Run) -> None:
    assert PROTOCOL.fullmatch(" ".join(run.listener.names))
    assert run.listener.of("run_stop") == [{"status": "success"}]


def test_sample_counts_are_cumulative_and_end_at_the_budget(run: Run) -> None:
    points, steps = list(TINY.evaluation_points), [values["samples"] for values in run.listener.of("step")]
    assert [values["first_sample"] for values in run.listener.of("interval_start")] == [0, *points[:-1]]
    for name in ("evaluation_start", "evaluation_stop", "checkpoint", "interval_stop"):
        assert [values["samples"] for values in run.listener.of(name)] == points
    assert steps == sorted(set(steps))
    assert set(points) <= set(steps)
    assert max(after - before for before, after in zip([0, *steps], steps, strict=False)) <= BATCH


def test_every_evaluation_is_over_the_whole_evaluation_set(run: Run) -> None:
    for values in run.listener.of("evaluation_stop"):
        assert values["eval_samples"] == TINY.dataset.eval_samples
        assert (values["quality"] * TINY.dataset.eval_samples) == pytest.approx(
            round(values["quality"] * TINY.dataset.eval_samples)
        )


def test_an_intervals_loss_is_the_mean_over_its_samples(run: Run) -> None:
    sums, before = [0.0], 0
    for name, values in run.listener.calls:
        if name == "step":
            sums[-1] += values["loss"] * (values["samples"] - before)
            before = values["samples"]
        if name == "interval_stop":
            sums.append(0.0)
    for total, interval, values in zip(sums, intervals(run.task), run.listener.of("interval_stop"), strict=False):
        assert values["loss"] == pytest.approx(total / interval.samples)


def test_times_of_an_interval_are_not_negative(run: Run) -> None:
    for values in run.listener.of("interval_stop"):
        assert min(dataclasses.astuple(values["times"])) >= 0


def test_hyperparameters_are_those_in_use(run: Run) -> None:
    assert run.listener.of("hyperparameters") == [
        {
            "global_batch_size": BATCH,
            "opt_name": "sgd",
            "opt_base_learning_rate": 0.4,
            "opt_learning_rate_warmup_epochs": 0.25,
            "opt_learning_rate_schedule": "cosine",
            "sgd_opt_momentum": 0.9,
            "opt_weight_decay": 5e-4,
            "nesterov": "true",
            "label_smoothing": 0.1,
            "shift_pixels": 1,
            "flip": "true",
        }
    ]


def test_the_same_seed_ends_in_the_same_bytes(run: Run, tmp_path: Path, digits: Path) -> None:
    again = trained(tmp_path / "again", digits)
    assert again.digests == run.digests
    assert again.listener.of("evaluation_stop") == run.listener.of("evaluation_stop")


@pytest.mark.parametrize("fields", [{"seed": 8}, {"salts": ("", "a", "")}])
def test_another_seed_or_salt_ends_in_other_weights(
    run: Run, tmp_path: Path, digits: Path, fields: dict[str, Any]
) -> None:
    other = trained(tmp_path / "other", digits, **fields)
    weights = [
        checkpoint.read(r.task.checkpoint_dir / checkpoint.file_name(2))[1]["model.fc.weight"] for r in (run, other)
    ]
    assert not torch.equal(*weights)


def test_a_salt_changes_nothing_before_its_interval(run: Run, tmp_path: Path, digits: Path) -> None:
    other = trained(tmp_path / "other", digits, salts=("", "a", ""))
    assert other.digests[0] == run.digests[0]
    assert other.digests[1] != run.digests[1]


def test_a_checkpoint_is_all_that_going_on_needs(run: Run, tmp_path: Path, digits: Path) -> None:
    """Weights, statistics and momentum of the first interval, put into a fresh session, give the same end."""
    task = make_task(tmp_path / "continued", digits)
    _, saved = checkpoint.read(run.task.checkpoint_dir / checkpoint.file_name(0))
    session = prepare(task, ImageClassification(TINY))
    session.state.restore(saved)
    data = session.problem.open(task, session.device)
    for interval in intervals(task)[1:]:
        loop.run_interval(session, data, interval, Listener())
    last = checkpoint.file_name(2)
    assert (task.checkpoint_dir / last).read_bytes() == (run.task.checkpoint_dir / last).read_bytes()


def test_a_run_that_diverges_ends_as_aborted(tmp_path: Path, digits: Path) -> None:
    rule = LearningRateRule(base=1e30, base_batch=1, warmup_epochs=0, max_global_batch_size=BATCH)
    run = trained(tmp_path, digits, workload=dataclasses.replace(TINY, learning_rate=rule))
    assert run.listener.names[-1] == "run_stop"
    assert run.listener.of("run_stop") == [{"status": "aborted"}]
    assert run.listener.of("evaluation_stop") == []
    assert all(values["loss"] is None or abs(values["loss"]) < float("inf") for values in run.listener.of("step"))


def test_data_is_touched_only_after_the_run_has_started(tmp_path: Path) -> None:
    listener = Listener()
    with pytest.raises(DatasetError) as caught:
        train(make_task(tmp_path, tmp_path / "no-data"), listener)
    assert caught.value.id == "data.unreadable"
    assert listener.names == ["init_start", "hyperparameters", "init_stop", "run_start"]


def test_bfloat16_trains_and_keeps_its_weights_in_fp32(tmp_path: Path, digits: Path) -> None:
    configuration = Configuration(global_batch_size=BATCH, precision=Precision.BF16, threads=1)
    run = trained(tmp_path / "bf16", digits, configuration=configuration)
    losses = [values["loss"] for values in run.listener.of("interval_stop")]
    assert run.listener.of("run_stop") == [{"status": "success"}]
    assert losses[-1] < losses[0]
    _, tensors = checkpoint.read(tmp_path / "bf16" / checkpoint.file_name(2))
    assert tensors["model.conv1.weight"].dtype is torch.float32
    assert run.digests != trained(tmp_path / "fp32", digits).digests


def test_channels_last_changes_the_layout_and_hardly_the_numbers(run: Run, tmp_path: Path, digits: Path) -> None:
    configuration = Configuration(global_batch_size=BATCH, channels_last=True, threads=1)
    other = trained(tmp_path / "other", digits, configuration=configuration)
    first, second = (r.listener.of("interval_stop")[0]["loss"] for r in (run, other))
    assert second == pytest.approx(first, rel=1e-2)
