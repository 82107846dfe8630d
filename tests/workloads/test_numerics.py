"""Configurations that a machine cannot run are refused with an id, before anything is trained."""

from __future__ import annotations

import pytest
import torch

from workloads.definition import Configuration, Precision
from workloads.engine import numerics
from workloads.errors import WorkloadError

CPU = torch.device("cpu")


@pytest.mark.parametrize(
    ("configuration", "id"),
    [
        (Configuration(global_batch_size=8, precision=Precision.FP16), "configuration.precision"),
        (Configuration(global_batch_size=8, precision=Precision.TF32), "configuration.precision"),
    ],
    ids=["fp16", "tf32 on a CPU"],
)
def test_a_precision_that_the_device_lacks_is_refused(configuration: Configuration, id: str) -> None:
    with pytest.raises(WorkloadError) as caught:
        numerics.configure(configuration, CPU)
    assert caught.value.id == id


def test_compilation_without_a_compiler_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(WorkloadError) as caught:
        numerics.configure(Configuration(global_batch_size=8, compile=True), CPU)
    assert caught.value.id == "configuration.compile"
    assert "g++" in str(caught.value)


@pytest.mark.parametrize("name", ["tpu", "mps", ""])
def test_an_unknown_device_is_refused(name: str) -> None:
    with pytest.raises(WorkloadError) as caught:
        numerics.device_of(name)
    assert caught.value.id == "device.unknown"


def test_fp32_switches_tf32_off() -> None:
    numerics.configure(Configuration(global_batch_size=8, threads=1), CPU)
    assert torch.backends.cuda.matmul.fp32_precision == "ieee"
    assert torch.get_num_threads() == 1
