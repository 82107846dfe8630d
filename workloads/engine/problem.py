"""What a workload brings to the engine: its network, its loss, made-up data for the warm-up, and its data set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn

from workloads.definition import TrainingTask, Workload
from workloads.engine.schedule import Interval

Batch = tuple[Tensor, Tensor]
"""Inputs and targets of one step, on the device."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Result of one evaluation over the whole evaluation set."""

    quality: float
    loss: float
    samples: int


class OpenData(Protocol):
    """A data set that has been read; training touches it through this alone."""

    def begin(self, interval: Interval) -> None:
        """Fix order and augmentation of all samples of ``interval``."""

    def batch(self, start: int, stop: int) -> Batch:
        """Samples ``start`` to ``stop`` of the interval begun last, counted from its first."""

    def evaluation_batches(self) -> list[tuple[int, int]]:
        """Ranges that cover the evaluation set once."""

    def evaluation_batch(self, start: int, stop: int) -> Batch:
        """Samples ``start`` to ``stop`` of the evaluation set."""


class Problem(Protocol):
    """A workload's own part of training."""

    evaluation_batch_size: int
    """Samples of a full evaluation batch."""

    def build(self, workload: Workload) -> nn.Module:
        """The network; its initial values are replaced."""

    def loss(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Mean training loss of a batch."""

    def score(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """What a batch adds to the evaluation: the summed metric and the summed loss, two float64 values."""

    def made_up_batch(self, task: TrainingTask, size: int, device: torch.device) -> Batch:
        """A batch in the shape and type of real ones that no data set went into."""

    def open(self, task: TrainingTask, device: torch.device) -> OpenData:
        """Read the data set: the first touch of training data."""
