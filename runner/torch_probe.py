"""Asks PyTorch about itself and its devices, in a child process so that the parent holds no GPU."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

from runner import children
from runner.errors import RunnerError

TIMEOUT_S = 300.0
"""Importing PyTorch from a cold network disk was seen to take minutes; longer than this is a machine out of order."""

STDERR_LINES = 3


@dataclass(frozen=True, slots=True)
class Accelerator:
    """A device of the framework; ``uuid`` must not leave the machine."""

    name: str
    uuid: str
    memory_bytes: int
    capability: str


@dataclass(frozen=True, slots=True)
class TorchFacts:
    """PyTorch as installed, and the device that a run will use."""

    version: str
    device: str
    threads: int
    cuda: str | None
    cudnn: int | None
    nccl: str | None
    accelerators: tuple[Accelerator, ...]
    """All that PyTorch sees; a run uses the first of them where ``device`` is ``cuda``."""


def probe(device: str) -> TorchFacts:
    """Ask PyTorch in a child; raises ``torch.unusable`` or ``device.unavailable``."""
    try:
        done = subprocess.run(
            children.command("runner.torch_probe", [device]),
            env=children.environment(),
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise _unusable(f"no answer within {TIMEOUT_S:.0f} s") from error
    if done.returncode:
        raise _unusable(" / ".join(done.stderr.strip().splitlines()[-STDERR_LINES:]) or f"status {done.returncode}")
    facts = _facts(json.loads(done.stdout.splitlines()[-1]))
    refuse_missing(device, facts)
    return facts


def refuse_missing(device: str, facts: TorchFacts) -> None:
    """Raise ``device.unavailable`` where PyTorch does not see the device that was asked for."""
    if device == "cuda" and not facts.accelerators:
        raise RunnerError(
            "device.unavailable",
            "PyTorch sees no CUDA device.",
            expected="a device and a PyTorch built for CUDA",
            got=f"PyTorch {facts.version}, CUDA {facts.cuda or 'not built in'}",
            action="Run on the CPU with --device cpu, or see: vflops doctor",
        )


def _facts(document: dict[str, Any]) -> TorchFacts:
    accelerators = tuple(Accelerator(**entry) for entry in document.pop("accelerators"))
    return TorchFacts(accelerators=accelerators, **document)


def _unusable(got: str) -> RunnerError:
    return RunnerError(
        "torch.unusable",
        "PyTorch cannot be imported or started.",
        expected="torch >= 2.11",
        got=got,
        action="Install it for this Python: pip install torch",
    )


def _document(wanted: str) -> dict[str, Any]:
    import torch

    seen = range(torch.cuda.device_count() if wanted != "cpu" else 0)
    accelerators = [_accelerator(torch.cuda.get_device_properties(index)) for index in seen]
    return {
        "version": torch.__version__,
        "device": "cuda" if accelerators else "cpu",
        "threads": torch.get_num_threads(),
        "cuda": torch.version.cuda,
        "cudnn": torch.backends.cudnn.version() if torch.version.cuda else None,
        "nccl": ".".join(map(str, torch.cuda.nccl.version())) if accelerators else None,
        "accelerators": accelerators,
    }


def _accelerator(properties: Any) -> dict[str, Any]:
    return {
        "name": properties.name,
        "uuid": f"GPU-{properties.uuid}",
        "memory_bytes": properties.total_memory,
        "capability": f"{properties.major}.{properties.minor}",
    }


if __name__ == "__main__":
    print(json.dumps(_document(sys.argv[1])))
