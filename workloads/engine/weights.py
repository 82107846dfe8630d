"""Initial weights: a function of the seed alone, made on the CPU by the counter-based generator."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from workloads import random
from workloads.layers.resnet import Bottleneck

CLASSIFIER_DEVIATION = 0.01
"""Of linear layers; the usual value of ResNet recipes: first logits near zero."""


def initialise(model: nn.Module, seed: int) -> None:
    """Give every parameter of ``model`` its initial value.

    Convolutions: He et al. 2015 over the outputs' fan. Batch normalisation: scale 1, but 0 in the last one of a
    residual block, so that each block starts as its shortcut (Goyal et al. 2017).
    """
    for stream, module in enumerate(model.modules()):
        if isinstance(module, nn.Conv2d):
            fan_out = module.out_channels * math.prod(module.kernel_size) // module.groups
            _draw(module.weight, seed, stream, math.sqrt(2 / fan_out))
        elif isinstance(module, nn.Linear):
            _draw(module.weight, seed, stream, CLASSIFIER_DEVIATION)
            nn.init.zeros_(module.bias)
        elif isinstance(module, nn.BatchNorm2d):
            nn.init.ones_(module.weight)
            nn.init.zeros_(module.bias)
    for module in model.modules():
        if isinstance(module, Bottleneck):
            nn.init.zeros_(module.bn3.weight)


def _draw(weight: Tensor, seed: int, stream: int, deviation: float) -> None:
    values = random.normal(seed, stream, weight.numel()) * deviation
    with torch.no_grad():
        weight.copy_(torch.from_numpy(values).to(torch.float32).reshape(weight.shape))
