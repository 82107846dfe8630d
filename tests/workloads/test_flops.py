"""FLOPs per sample: two independent counts agree, and the definitions say what is counted."""

from __future__ import annotations

import dataclasses
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workloads import flops
from workloads.definition import Workload, find, registry
from workloads.flops import FlopCount

LITE = find("image_classification", "lite")
REFERENCE = find("image_classification", "reference")


@pytest.mark.parametrize("workload", registry(), ids=lambda workload: workload.id)
def test_counter_closed_form_and_definition_agree(workload: Workload) -> None:
    stated = FlopCount(workload.flops_forward_per_sample, workload.flops_per_sample)
    assert flops.count(workload) == flops.closed_form(workload) == stated


def test_resnet_50_costs_what_it_is_known_to_cost() -> None:
    """4.089 billion multiply-adds forward at 224 x 224, twice that backward, less the gradient of the images."""
    assert flops.count(REFERENCE) == FlopCount(forward=8_178_368_512, total=24_299_077_632)
    stem = 2 * 112 * 112 * 64 * 3 * 7 * 7
    assert 3 * 8_178_368_512 - stem == 24_299_077_632


def test_the_gradient_of_the_images_is_not_counted() -> None:
    _, height, width = LITE.input_shape
    forward_of_stem = 2 * (height // 2) * (width // 2) * 7 * 7 * cast(int, LITE.model["width"])
    counted = flops.count(LITE)
    assert LITE.model["stem"] == "large"
    assert 3 * counted.forward - counted.total == forward_of_stem


@settings(max_examples=12)
@given(
    depths=st.lists(st.integers(1, 3), min_size=1, max_size=4).map(tuple),
    width=st.integers(1, 12),
    stem=st.sampled_from(["large", "small"]),
    stem_stride=st.integers(1, 3),
    size=st.integers(4, 40),
    channels=st.integers(1, 4),
)
def test_both_counts_agree_for_any_shape(
    depths: tuple[int, ...], width: int, stem: str, stem_stride: int, size: int, channels: int
) -> None:
    workload = dataclasses.replace(
        REFERENCE,
        model={"depths": depths, "width": width, "stem": stem, "stem_stride": stem_stride},
        input_shape=(channels, size, size + 3),
        classes=7,
    )
    assert flops.count(workload) == flops.closed_form(workload)
