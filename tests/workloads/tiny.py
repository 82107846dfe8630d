"""A workload that trains in a tenth of a second, its tasks, and a recorder that keeps every call."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workloads.definition import (
    Configuration,
    EvaluationSchedule,
    IntervalTimes,
    LearningRateRule,
    TrainingTask,
    Workload,
    find,
)

BATCH = 64

TINY: Workload = dataclasses.replace(
    find("image_classification", "smoke"),
    version="999",
    model={"depths": (1,), "width": 2, "stem": "small", "stem_stride": 2},
    epoch_budget=1,
    evaluation=EvaluationSchedule(offset_samples=500, interval_samples=600),
    learning_rate=LearningRateRule(base=0.2, base_batch=32, warmup_epochs=0.25, max_global_batch_size=64),
    hyperparameters={
        "opt_name": "sgd",
        "momentum": 0.9,
        "nesterov": "true",
        "weight_decay": 5e-4,
        "label_smoothing": 0.1,
        "shift_pixels": 1,
        "flip": "true",
    },
    target_quality=0.5,
    default_global_batch_size=BATCH,
    calibration=None,
)
"""The digits through one block; everything that the recipe can do is switched on."""


def make_task(folder: Path, data: Path, **fields: Any) -> TrainingTask:
    """A task of TINY whose checkpoints go to ``folder``; ``fields`` replace its own."""
    workload = fields.get("workload", TINY)
    task = TrainingTask(
        workload=workload,
        configuration=Configuration(global_batch_size=BATCH, threads=1),
        seed=7,
        salts=("",) * len(workload.evaluation_points),
        data_dir=data,
        checkpoint_dir=folder,
        device="cpu",
    )
    return dataclasses.replace(task, **fields)


class Listener:
    """Keeps every call of the recorder's protocol: its name and what it was given."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []

    @property
    def names(self) -> list[str]:
        """The calls' names in order."""
        return [name for name, _ in self.calls]

    def of(self, name: str) -> list[dict[str, Any]]:
        """What the calls of one name were given."""
        return [values for called, values in self.calls if called == name]

    def init_start(self) -> None:
        self.calls.append(("init_start", {}))

    def hyperparameters(self, values: Mapping[str, int | float | str]) -> None:
        self.calls.append(("hyperparameters", dict(values)))

    def init_stop(self) -> None:
        self.calls.append(("init_stop", {}))

    def run_start(self) -> None:
        self.calls.append(("run_start", {}))

    def interval_start(self, *, index: int, first_sample: int, salt: str) -> None:
        self.calls.append(("interval_start", {"index": index, "first_sample": first_sample, "salt": salt}))

    def step(self, *, samples: int, loss: float | None) -> None:
        self.calls.append(("step", {"samples": samples, "loss": loss}))

    def evaluation_start(self, *, samples: int) -> None:
        self.calls.append(("evaluation_start", {"samples": samples}))

    def evaluation_stop(self, *, samples: int, quality: float, loss: float, eval_samples: int) -> None:
        values = {"samples": samples, "quality": quality, "loss": loss, "eval_samples": eval_samples}
        self.calls.append(("evaluation_stop", values))

    def checkpoint(self, path: Path, *, samples: int) -> None:
        self.calls.append(("checkpoint", {"path": path, "samples": samples}))

    def interval_stop(self, *, index: int, samples: int, loss: float, times: IntervalTimes) -> None:
        self.calls.append(("interval_stop", {"index": index, "samples": samples, "loss": loss, "times": times}))

    def run_stop(self, *, status: str) -> None:
        self.calls.append(("run_stop", {"status": status}))
