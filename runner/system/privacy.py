"""Keeps names of people and machines out of evidence: an allow-list of variables, and a guard over every text."""

from __future__ import annotations

import getpass
import os
import re
import socket
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from runner.telemetry.unavailable import unavailable

ALLOWED_VARIABLES = (
    "CUBLAS_WORKSPACE_CONFIG",
    "CUDA_DEVICE_ORDER",
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_VISIBLE_DEVICES",
    "GOMP_CPU_AFFINITY",
    "GOMP_SPINCOUNT",
    "KMP_AFFINITY",
    "KMP_BLOCKTIME",
    "MKL_NUM_THREADS",
    "NCCL_ALGO",
    "NCCL_PROTO",
    "NVIDIA_TF32_OVERRIDE",
    "OMP_NUM_THREADS",
    "OMP_PLACES",
    "OMP_PROC_BIND",
    "OMP_WAIT_POLICY",
    "OPENBLAS_NUM_THREADS",
    "PYTORCH_CUDA_ALLOC_CONF",
    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
    "TORCHINDUCTOR_MAX_AUTOTUNE",
)
"""Variables that change how fast or how exactly a run computes; no other variable is looked at."""

HARMLESS_VALUE = re.compile(r"[A-Za-z0-9_.,:;=+{}() -]{0,100}")
"""Values of such variables: words and numbers. A path has a slash; an id of a device has a long hexadecimal part."""

DEVICE_ID = re.compile(r"[0-9a-fA-F]{8}-")

WORD = r"(?<![A-Za-z0-9]){}(?![A-Za-z0-9])"

PLAIN_NAMES = frozenset({"root", "localhost", "user", "debian", "ubuntu", "linux", "torch", "vm"})
"""Names that so many machines and accounts bear that they name nobody, and that stand in other texts with reason."""


def environment(variables: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The allowed variables that are set; a value that could name a device, place or person is withheld."""
    found = os.environ if variables is None else variables
    return {name: _harmless(found[name]) for name in ALLOWED_VARIABLES if name in found}


def _harmless(value: str) -> Any:
    if HARMLESS_VALUE.fullmatch(value) and not DEVICE_ID.search(value):
        return value
    return unavailable("withheld: could name a device or a place")


def personal_names() -> tuple[str, ...]:
    """What must not appear: this host's and user's names and the home folder."""
    host = socket.gethostname()
    names = {host, host.partition(".")[0], _user(), str(Path.home())}
    return tuple(sorted(name for name in names if len(name) > 1 and name.lower() not in PLAIN_NAMES))


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""


def withhold_personal(value: Any, names: Iterable[str]) -> Any:
    """A copy of a JSON value in which each text that holds one of ``names`` as a word is unavailable."""
    if isinstance(value, dict):
        return {key: withhold_personal(entry, names) for key, entry in value.items()}
    if isinstance(value, list):
        return [withhold_personal(entry, names) for entry in value]
    if isinstance(value, str) and any(re.search(WORD.format(re.escape(name)), value, re.IGNORECASE) for name in names):
        return unavailable("withheld: held the name of a person or machine")
    return value
