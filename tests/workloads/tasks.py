"""Small training tasks for tests: the smoke definition cut down to one epoch on its real images."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from workloads.definition import Configuration, IntervalTimes, TrainingTask, Workload, find
from workloads.image_classification.data import ensure

LITE = find("image_classification", "lite")
REFERENCE = find("image_classification", "reference")
SMOKE = find("image_classification", "smoke")
SHORT = replace(SMOKE, epoch_budget=1)
"""One epoch of smoke: three intervals of 479 images."""


def task(folder: Path, workload: Workload = SHORT, *, seed: int = 7, salts: tuple[str, ...] = ()) -> TrainingTask:
    """A task on one CPU thread that writes its checkpoints into ``folder``."""
    return TrainingTask(
        workload=workload,
        configuration=Configuration(global_batch_size=workload.default_global_batch_size, threads=1),
        seed=seed,
        salts=salts or ("",) * len(workload.evaluation_points),
        data_dir=ensure(workload),
        checkpoint_dir=folder,
        device="cpu",
    )


@dataclass
class ListRecorder:
    """Keeps every call as its name and arguments, in order."""

    calls: list[tuple[str, dict[str, object]]] = field(default_factory=list)

    def named(self, name: str) -> list[dict[str, object]]:
        """The arguments of all calls of ``name``."""
        return [arguments for called, arguments in self.calls if called == name]

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
        result: dict[str, object] = {"samples": samples, "quality": quality, "loss": loss, "eval_samples": eval_samples}
        self.calls.append(("evaluation_stop", result))

    def checkpoint(self, path: Path, *, samples: int) -> None:
        self.calls.append(("checkpoint", {"path": path, "samples": samples}))

    def interval_stop(self, *, index: int, samples: int, loss: float, times: IntervalTimes) -> None:
        self.calls.append(("interval_stop", {"index": index, "samples": samples, "loss": loss, "times": times}))

    def run_stop(self, *, status: str) -> None:
        self.calls.append(("run_stop", {"status": status}))
