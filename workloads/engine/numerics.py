"""Number formats, memory layout, compilation and determinism: a configuration turned into settings of PyTorch."""

from __future__ import annotations

import os
import shutil
from contextlib import AbstractContextManager, nullcontext

import torch
from torch import nn

from workloads.definition import Configuration, Precision
from workloads.errors import WorkloadError

COMPILERS = ("g++", "clang++", "c++")
"""Programs of which torch.compile needs one on a CPU."""


def device_of(name: str) -> torch.device:
    """The device to train on; an error where this machine has no such one."""
    if name != "cpu" and not name.startswith("cuda"):
        raise WorkloadError("device.unknown", "This device is not supported.", expected="cpu or cuda", got=name)
    if name.startswith("cuda") and not torch.cuda.is_available():
        raise WorkloadError(
            "device.not_available",
            "PyTorch finds no CUDA device here.",
            expected="a CUDA device and a PyTorch built for it",
            got=f"torch {torch.__version__}",
            action="Run on the CPU, or install the driver and a CUDA build of PyTorch.",
        )
    device = torch.device(name)
    if device.type == "cuda":
        torch.cuda.init()  # generators must exist before they are seeded
    return device


def configure(configuration: Configuration, device: torch.device) -> None:
    """Settings of the process that hold for the whole run."""
    _check(configuration, device)
    if configuration.threads is not None:
        torch.set_num_threads(configuration.threads)
    _set_tf32(allowed=configuration.precision is Precision.TF32)
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.deterministic = True
    if device.type == "cpu":
        torch.use_deterministic_algorithms(mode=True)
        # Filling fresh memory only shows reads of it; no operation here makes any, and it costs 5 % of a lite run.
        torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]


def autocast(configuration: Configuration, device: torch.device) -> AbstractContextManager[object]:
    """The context of forward passes: bfloat16 where configured."""
    if configuration.precision is Precision.BF16:
        return torch.autocast(device.type, dtype=torch.bfloat16)
    return nullcontext()


def memory_format(configuration: Configuration) -> torch.memory_format:
    """Layout of images and convolution weights."""
    return torch.channels_last if configuration.channels_last else torch.contiguous_format


def compiled(model: nn.Module, configuration: Configuration) -> nn.Module:
    """``model``, compiled where configured; parameters and names stay those of ``model`` itself."""
    if not configuration.compile:
        return model
    wrapped: nn.Module = torch.compile(model, dynamic=False)  # type: ignore[assignment]
    return wrapped


def synchronise(device: torch.device) -> None:
    """Wait until the device has done all work given to it."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def _set_tf32(*, allowed: bool) -> None:
    """Each part by itself: PyTorch refuses to tell what is on where only some of them were told."""
    precision = "tf32" if allowed else "ieee"
    torch.backends.cuda.matmul.fp32_precision = precision
    torch.backends.cudnn.conv.fp32_precision = precision  # type: ignore[attr-defined]
    torch.backends.cudnn.rnn.fp32_precision = precision  # type: ignore[attr-defined]


def _check(configuration: Configuration, device: torch.device) -> None:
    if configuration.precision is Precision.FP16:
        raise WorkloadError(
            "configuration.precision",
            "Training in fp16 needs loss scaling, which the recipes do not have.",
            expected="fp32, tf32 or bf16",
            got=configuration.precision,
            action="Choose bf16: it has the range of fp32.",
        )
    if configuration.precision is Precision.TF32 and device.type != "cuda":
        raise WorkloadError(
            "configuration.precision", "TF32 exists on CUDA devices only.", expected="fp32 or bf16", got="tf32"
        )
    chosen = os.environ.get("CXX")
    if (
        configuration.compile
        and device.type == "cpu"
        and not any(map(shutil.which, filter(None, (chosen, *COMPILERS))))
    ):
        raise WorkloadError(
            "configuration.compile",
            "torch.compile needs a C++ compiler on a CPU, and none is installed.",
            expected=" or ".join(COMPILERS),
            got="none on PATH",
            action="Install one, or run without compilation.",
        )
