"""A configuration turned into settings of PyTorch: number formats, determinism, threads, layout, device."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from workloads.definition import Configuration
from workloads.engine import numerics
from workloads.errors import WorkloadError

CPU = torch.device("cpu")
PLAIN = Configuration(global_batch_size=1)


def test_fp32_undoes_an_earlier_tf32() -> None:
    """TF32 would round matrix products to ten bits behind the submitter's back."""
    torch.backends.cuda.matmul.fp32_precision = "tf32"
    torch.backends.cudnn.conv.fp32_precision = "tf32"  # type: ignore[attr-defined]
    numerics.configure(PLAIN, CPU)
    assert not torch.backends.cuda.matmul.allow_tf32
    assert torch.backends.cuda.matmul.fp32_precision == "ieee"
    assert torch.backends.cudnn.conv.fp32_precision == "ieee"  # type: ignore[attr-defined]


def test_training_is_deterministic() -> None:
    numerics.configure(PLAIN, CPU)
    assert not torch.backends.cudnn.benchmark
    assert torch.backends.cudnn.deterministic
    assert torch.are_deterministic_algorithms_enabled()


def test_threads_are_set_where_the_submitter_chose_them() -> None:
    numerics.configure(Configuration(global_batch_size=1, threads=2), CPU)
    assert torch.get_num_threads() == 2
    numerics.configure(PLAIN, CPU)
    assert torch.get_num_threads() == 2


@pytest.mark.parametrize("name", ["cuda", "cuda:1"])
def test_a_device_that_is_not_there_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with pytest.raises(WorkloadError) as caught:
        numerics.device_of(name)
    assert caught.value.id == "device.not_available"


def test_the_cpu_is_always_there() -> None:
    assert numerics.device_of("cpu") == CPU


def test_layout_and_compilation_change_only_where_configured() -> None:
    model = nn.Linear(1, 1)
    assert numerics.compiled(model, PLAIN) is model
    assert numerics.memory_format(PLAIN) is torch.contiguous_format
    assert numerics.memory_format(Configuration(global_batch_size=1, channels_last=True)) is torch.channels_last
