"""ResNet v1.5 with bottleneck blocks, parametrised in depth and width, and its multiply-adds in closed form.

Source: He et al., "Deep Residual Learning for Image Recognition", 2016; version 1.5 has the stride of a block in its
3x3 convolution instead of the first 1x1. Parameter names are those in common use (``layer1.0.conv1.weight``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import torch
from torch import Tensor, nn

EXPANSION = 4
"""Output channels of a bottleneck over its inner channels."""


class Stem(StrEnum):
    """First layers: 7x7 at stride 2 and a 3x3 max-pool at stride 2, or one 3x3 for small images."""

    LARGE = "large"
    SMALL = "small"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResNetShape:
    """Parameters of the network; ``width`` is the inner width of the first stage, and each later stage doubles it.

    ``stem_stride`` is the stride of a small stem's convolution; a large stem always has 2.
    """

    channels: int
    classes: int
    depths: tuple[int, ...]
    width: int
    stem: Stem
    stem_stride: int = 1


@dataclass(frozen=True, slots=True)
class ConvolutionCost:
    """One convolution or linear layer: its multiply-adds for one sample, and whether its input needs a gradient."""

    multiply_adds: int
    input_gradient: bool


class Bottleneck(nn.Module):
    """1x1, 3x3 (with the stride), 1x1 convolutions around a shortcut."""

    def __init__(self, inputs: int, inner: int, stride: int) -> None:
        super().__init__()
        outputs = inner * EXPANSION
        self.conv1 = nn.Conv2d(inputs, inner, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(inner)
        self.conv2 = nn.Conv2d(inner, inner, 3, stride=stride, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(inner)
        self.conv3 = nn.Conv2d(inner, outputs, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = _projection(inputs, outputs, stride) if stride != 1 or inputs != outputs else None

    def forward(self, x: Tensor) -> Tensor:
        shortcut = x if self.downsample is None else self.downsample(x)
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        out += shortcut
        activated: Tensor = self.relu(out)
        return activated


def _projection(inputs: int, outputs: int, stride: int) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride=stride, bias=False), nn.BatchNorm2d(outputs))


class ResNet(nn.Module):
    """The network: images ``(N, channels, H, W)`` to logits ``(N, classes)``."""

    def __init__(self, shape: ResNetShape) -> None:
        super().__init__()
        kernel, stride = (7, 2) if shape.stem is Stem.LARGE else (3, shape.stem_stride)
        self.conv1 = nn.Conv2d(shape.channels, shape.width, kernel, stride=stride, padding=kernel // 2, bias=False)
        self.bn1 = nn.BatchNorm2d(shape.width)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, stride=2, padding=1) if shape.stem is Stem.LARGE else nn.Identity()
        self.stages = [f"layer{number}" for number in range(1, len(shape.depths) + 1)]
        channels = shape.width
        for index, (name, depth) in enumerate(zip(self.stages, shape.depths, strict=True)):
            inner = shape.width << index
            self.add_module(name, _stage(channels, inner, depth, stride=1 if index == 0 else 2))
            channels = inner * EXPANSION
        self.fc = nn.Linear(channels, shape.classes)

    def forward(self, x: Tensor) -> Tensor:
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        for name in self.stages:
            x = self.get_submodule(name)(x)
        logits: Tensor = self.fc(torch.mean(x, dim=(2, 3)))
        return logits


def _stage(inputs: int, inner: int, depth: int, stride: int) -> nn.Sequential:
    blocks = [Bottleneck(inputs, inner, stride)]
    blocks.extend(Bottleneck(inner * EXPANSION, inner, 1) for _ in range(depth - 1))
    return nn.Sequential(*blocks)


def convolution_costs(shape: ResNetShape, height: int, width: int) -> Iterator[ConvolutionCost]:
    """Every convolution and the classifier for one ``height`` x ``width`` sample, from the shape alone.

    Independent of the module above: no layer is built, sizes come from stride and padding arithmetic.
    """
    kernel, stride = (7, 2) if shape.stem is Stem.LARGE else (3, shape.stem_stride)
    height, width = _strided(height, stride), _strided(width, stride)
    yield ConvolutionCost(height * width * shape.width * shape.channels * kernel**2, input_gradient=False)
    if shape.stem is Stem.LARGE:
        height, width = _strided(height, 2), _strided(width, 2)
    channels = shape.width
    for index, depth in enumerate(shape.depths):
        inner = shape.width << index
        for block in range(depth):
            stride = 2 if index > 0 and block == 0 else 1
            yield from _block_costs(channels, inner, height * width, _strided(height, stride) * _strided(width, stride))
            height, width = _strided(height, stride), _strided(width, stride)
            channels = inner * EXPANSION
    yield ConvolutionCost(channels * shape.classes, input_gradient=True)


def _block_costs(inputs: int, inner: int, places_before: int, places_after: int) -> Iterator[ConvolutionCost]:
    outputs = inner * EXPANSION
    yield ConvolutionCost(places_before * inputs * inner, input_gradient=True)
    yield ConvolutionCost(places_after * inner * inner * 9, input_gradient=True)
    yield ConvolutionCost(places_after * inner * outputs, input_gradient=True)
    if places_before != places_after or inputs != outputs:
        yield ConvolutionCost(places_after * inputs * outputs, input_gradient=True)


def _strided(size: int, stride: int) -> int:
    """Output size of an odd kernel with "same" padding: the size over the stride, rounded up."""
    return -(-size // stride)
