"""Checkpoints: a safetensors file with model, optimizer, generators and data position, written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from workloads.definition import TrainingTask
from workloads.engine.schedule import Interval
from workloads.engine.state import TrainingState
from workloads.errors import WorkloadError

FORMAT = "vflops-checkpoint/1"
"""Key of the metadata; its value is the workload's id. The one key: safetensors writes several in any order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Where in a run a checkpoint stands: after interval ``interval``, ``samples`` into the run of ``seed``."""

    workload: str
    seed: int
    samples: int
    interval: int


def file_name(index: int) -> str:
    """Name of the checkpoint at the end of interval ``index``; numbered from 1."""
    return f"{index + 1:05d}.safetensors"


def write(task: TrainingTask, state: TrainingState, interval: Interval) -> Path:
    """Write the checkpoint at the end of ``interval`` into the task's folder; returns its path."""
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in state.copy().items()}
    tensors["rng.seed"] = torch.tensor(task.seed, dtype=torch.int64)
    tensors["position.samples"] = torch.tensor(interval.last, dtype=torch.int64)
    tensors["position.interval"] = torch.tensor(interval.index, dtype=torch.int64)
    path = task.checkpoint_dir / file_name(interval.index)
    _write_whole(path, save(tensors, metadata={FORMAT: task.workload.id}))
    return path


def _write_whole(path: Path, content: bytes) -> None:
    """Readers see the old file or the new one, also after a power cut."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    with part.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def read(path: Path) -> tuple[Position, dict[str, Tensor]]:
    """Position and tensors of a checkpoint; raises WorkloadError where the file is none of ours."""
    try:
        with safe_open(str(path), framework="pt") as file:
            metadata: Mapping[str, str] = file.metadata() or {}
            tensors: dict[str, Tensor] = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise _foreign(path, error) from error
    if FORMAT not in metadata:
        raise _foreign(path, sorted(metadata))
    position = Position(
        workload=metadata[FORMAT],
        seed=int(tensors["rng.seed"]),
        samples=int(tensors["position.samples"]),
        interval=int(tensors["position.interval"]),
    )
    return position, tensors


def _foreign(path: Path, got: object) -> WorkloadError:
    return WorkloadError("checkpoint.format", "This is no checkpoint of ours.", place=path, expected=FORMAT, got=got)
