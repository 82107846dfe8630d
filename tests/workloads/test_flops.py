"""FLOPs per sample: PyTorch's counter, the closed form and the published definitions agree to the last operation."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.workloads.tasks import LITE, REFERENCE, SMOKE
from workloads.definition import Workload, registry
from workloads.flops import FlopCount, closed_form, count


@pytest.mark.parametrize("workload", registry(), ids=lambda workload: workload.id)
def test_counter_closed_form_and_definition_agree(workload: Workload) -> None:
    stated = FlopCount(workload.flops_forward_per_sample, workload.flops_per_sample)
    assert count(workload) == closed_form(workload) == stated


def test_the_reference_is_the_known_resnet_50() -> None:
    counted = closed_form(REFERENCE)
    assert round(counted.forward / 1e9, 3) == 8.178
    assert round(counted.total / 1e9, 3) == 24.299
    assert round(3 * counted.forward / 1e9, 3) == 24.535


def test_the_gradient_of_the_images_is_not_counted() -> None:
    _, height, width = LITE.input_shape
    stem = 2 * (height // 2) * (width // 2) * 7 * 7 * LITE.model["width"]  # type: ignore[operator]
    counted = count(LITE)
    assert 3 * counted.forward - counted.total == stem


@settings(max_examples=15)
@given(
    depths=st.lists(st.integers(1, 2), min_size=1, max_size=3).map(tuple),
    width=st.integers(1, 6),
    stem=st.sampled_from(["large", "small"]),
    stride=st.integers(1, 3),
    shape=st.tuples(st.integers(1, 3), st.integers(8, 33), st.integers(8, 33)),
)
def test_the_closed_form_holds_for_any_shape(
    depths: tuple[int, ...], width: int, stem: str, stride: int, shape: tuple[int, int, int]
) -> None:
    model = {"depths": depths, "width": width, "stem": stem, "stem_stride": stride}
    workload = replace(SMOKE, model=model, input_shape=shape)
    assert count(workload) == closed_form(workload)
