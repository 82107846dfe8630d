"""The network: ResNet v1.5 as published, in any depth and width, with initial weights out of the seed."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from tests.workloads.tiny import TINY
from workloads.definition import Workload, find, registry
from workloads.engine.weights import CLASSIFIER_DEVIATION, initialise
from workloads.image_classification import model
from workloads.layers.resnet import Bottleneck, ResNet, ResNetShape, Stem


def built(workload: Workload) -> ResNet:
    """The network of a definition without memory."""
    with torch.device("meta"):
        return model.build(workload)


def blocks_of(network: nn.Module) -> list[Bottleneck]:
    """All bottleneck blocks in order."""
    return [module for module in network.modules() if isinstance(module, Bottleneck)]


def test_the_reference_has_the_parameters_of_resnet_50() -> None:
    network = built(find("image_classification", "reference"))
    assert sum(parameter.numel() for parameter in network.parameters()) == 25_557_032
    assert len(blocks_of(network)) == 16
    assert {"conv1.weight", "layer1.0.downsample.0.weight", "layer4.2.bn3.bias", "fc.bias"} <= set(network.state_dict())


def test_stages_of_the_reference_have_the_published_shapes() -> None:
    network = built(find("image_classification", "reference"))
    x = network.maxpool(network.relu(network.bn1(network.conv1(torch.empty(2, 3, 224, 224, device="meta")))))
    shapes = [tuple(x.shape[1:])]
    for name in network.stages:
        x = network.get_submodule(name)(x)
        shapes.append(tuple(x.shape[1:]))
    assert shapes == [(64, 56, 56), (256, 56, 56), (512, 28, 28), (1024, 14, 14), (2048, 7, 7)]


@pytest.mark.parametrize("workload", registry(), ids=lambda workload: workload.id)
def test_every_definition_gives_one_logit_a_class(workload: Workload) -> None:
    images = torch.empty(3, *workload.input_shape, device="meta")
    assert built(workload)(images).shape == (3, workload.classes)


@settings(max_examples=20)
@given(
    depths=st.lists(st.integers(1, 2), min_size=1, max_size=3).map(tuple),
    width=st.integers(1, 8),
    stem=st.sampled_from(list(Stem)),
    stem_stride=st.integers(1, 2),
    height=st.integers(4, 33),
    across=st.integers(4, 33),
)
def test_any_shape_takes_any_image(
    depths: tuple[int, ...], width: int, stem: Stem, stem_stride: int, height: int, across: int
) -> None:
    shape = ResNetShape(channels=2, classes=5, depths=depths, width=width, stem=stem, stem_stride=stem_stride)
    with torch.device("meta"):
        assert ResNet(shape)(torch.empty(2, 2, height, across)).shape == (2, 5)


def test_the_stride_of_a_block_is_in_its_3x3_convolution() -> None:
    """Which is what makes it version 1.5."""
    blocks = blocks_of(built(find("image_classification", "reference")))
    assert all(block.conv1.stride == block.conv3.stride == (1, 1) for block in blocks)
    assert [index for index, block in enumerate(blocks) if block.conv2.stride == (2, 2)] == [3, 7, 13]
    projections = {index: block.downsample for index, block in enumerate(blocks) if block.downsample is not None}
    assert set(projections) == {0, 3, 7, 13}
    assert [projections[index][0].stride for index in (0, 3, 7, 13)] == [(1, 1), (2, 2), (2, 2), (2, 2)]


def test_every_block_starts_as_its_shortcut() -> None:
    network = model.build(TINY)
    initialise(network, seed=1)
    for block in blocks_of(network):
        assert not block.bn3.weight.any()
        assert torch.all(block.bn1.weight == 1)
    block = Bottleneck(8, 2, 1)
    initialise(block, seed=1)
    images = torch.rand(2, 8, 4, 4)
    assert torch.equal(block(images), images)


def test_initial_weights_are_a_function_of_the_seed() -> None:
    first, again, other = (model.build(TINY) for _ in range(3))
    for network, seed in ((first, 1), (again, 1), (other, 2)):
        initialise(network, seed)
    for name, tensor in first.state_dict().items():
        assert torch.equal(tensor, again.state_dict()[name])
    for name in ("conv1.weight", "layer1.0.conv2.weight", "fc.weight"):
        assert not torch.equal(first.state_dict()[name], other.state_dict()[name])


def test_initial_weights_draw_nothing_from_pytorch() -> None:
    network = model.build(TINY)
    before = torch.get_rng_state()
    initialise(network, seed=1)
    assert torch.equal(torch.get_rng_state(), before)


def test_initial_weights_have_the_spread_of_the_recipe() -> None:
    layers = nn.Sequential(nn.Conv2d(16, 64, 3), nn.Conv2d(16, 64, 3), nn.Linear(100, 100))
    initialise(layers, seed=3)
    first, second, linear = (layer.get_parameter("weight").detach() for layer in layers)
    assert float(first.std()) == pytest.approx(math.sqrt(2 / (64 * 9)), rel=0.03)
    assert float(linear.std()) == pytest.approx(CLASSIFIER_DEVIATION, rel=0.03)
    assert not torch.equal(first, second)
    assert not layers[2].get_parameter("bias").any()
