"""The network of image classification: ResNet v1.5 in the shape that a definition gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from workloads.definition import Workload
from workloads.layers.resnet import ConvolutionCost, ResNet, ResNetShape, Stem, convolution_costs


def shape(workload: Workload) -> ResNetShape:
    """The definition's ``model`` parameters, typed."""
    return ResNetShape(
        channels=workload.input_shape[0],
        classes=workload.classes,
        depths=cast(tuple[int, ...], workload.model["depths"]),
        width=cast(int, workload.model["width"]),
        stem=Stem(cast(str, workload.model["stem"])),
        stem_stride=cast(int, workload.model["stem_stride"]),
    )


def build(workload: Workload) -> ResNet:
    """The network with PyTorch's own initial values; training replaces them by a function of the seed."""
    return ResNet(shape(workload))


def costs(workload: Workload) -> Iterator[ConvolutionCost]:
    """Multiply-adds of every layer for one sample."""
    _, height, width = workload.input_shape
    return convolution_costs(shape(workload), height, width)
