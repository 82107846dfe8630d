"""FLOPs per sample of a definition: counted by PyTorch's counter on the meta device, and by an independent closed form.

One multiply-add is 2 FLOPs; convolutions and matrix products count, everything else is 0; forward plus the backward
pass that training needs, so without the gradient of the network's input.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, cast

import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from workloads.definition import Workload
from workloads.layers.resnet import ConvolutionCost

COUNTED_BATCH = 2
"""Samples in the counted batch: batch normalisation in training needs more than one value a channel."""


@dataclass(frozen=True, slots=True)
class FlopCount:
    """FLOPs for one sample: the forward pass, and forward plus backward."""

    forward: int
    total: int


class ModelModule(Protocol):
    """What the ``model`` module of a workload offers to be counted."""

    def build(self, workload: Workload) -> nn.Module:
        """The network, on the current default device."""

    def costs(self, workload: Workload) -> Iterable[ConvolutionCost]:
        """Multiply-adds of every layer for one sample, from the definition alone."""


def model_module(workload: Workload) -> ModelModule:
    """The ``model`` module of the workload's folder."""
    return cast(ModelModule, importlib.import_module(f"workloads.{workload.name}.model"))


def count(workload: Workload) -> FlopCount:
    """FLOPs by PyTorch's counter, on the meta device: no memory, no arithmetic."""
    with torch.device("meta"):
        model = model_module(workload).build(workload).train()
        images = torch.empty(COUNTED_BATCH, *workload.input_shape)
    with FlopCounterMode(display=False) as forward:
        outputs = model(images)
    with FlopCounterMode(display=False) as backward:
        outputs.sum().backward()
    total = forward.get_total_flops() + backward.get_total_flops()
    return FlopCount(forward.get_total_flops() // COUNTED_BATCH, total // COUNTED_BATCH)


def closed_form(workload: Workload) -> FlopCount:
    """FLOPs by arithmetic on layer sizes: each pass repeats the layer's multiply-adds, two of them backward or one."""
    costs = tuple(model_module(workload).costs(workload))
    forward = sum(2 * cost.multiply_adds for cost in costs)
    return FlopCount(forward, sum(2 * cost.multiply_adds * (3 if cost.input_gradient else 2) for cost in costs))
