"""Processors, memory and storage of this machine, from Linux's own files and psutil."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from runner.telemetry.unavailable import unavailable

CPU_FILE = Path("/proc/cpuinfo")
RELEASE_FILE = Path("/etc/os-release")
MACHINE_ID_FILE = Path("/etc/machine-id")
BYTES_PER_GB = 10**9


@dataclass(frozen=True, slots=True)
class Processors:
    """The host's processors: model, number of packages, and the physical cores and hardware threads of each."""

    model: str | dict[str, str]
    packages: int
    cores_each: int | dict[str, str]
    threads_each: int


def processors(text: str | None = None) -> Processors:
    """The processors as the kernel lists them; ``text`` stands for /proc/cpuinfo."""
    fields = _fields(CPU_FILE.read_text(encoding="utf-8", errors="replace") if text is None else text)
    models, ids = fields.get("model name", []), fields.get("physical id", [])
    packages = max(1, len(set(ids)))
    cores = psutil.cpu_count(logical=False)
    return Processors(
        model=models[0] if models else unavailable("the kernel names no model"),
        packages=packages,
        cores_each=cores // packages if cores else unavailable("the kernel does not tell cores from threads"),
        threads_each=(psutil.cpu_count() or 1) // packages,
    )


def _fields(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        key, separator, value = line.partition(":")
        if separator:
            found.setdefault(key.strip(), []).append(value.strip())
    return found


def allowed_processors() -> int:
    """Logical processors that this process may use."""
    return len(os.sched_getaffinity(0))


def operating_system() -> Any:
    """Name of the distribution, for example ``Debian GNU/Linux 12 (bookworm)``."""
    try:
        lines = RELEASE_FILE.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        return unavailable(error.strerror)
    names = [line.partition("=")[2].strip('"') for line in lines if line.startswith("PRETTY_NAME=")]
    return names[0] if names else unavailable("the distribution does not name itself")


def capacity(size_bytes: int) -> str:
    """A capacity as MLPerf's descriptions write it: whole decimal gigabytes."""
    return f"{round(size_bytes / BYTES_PER_GB)} GB"


def memory_bytes() -> int:
    """Main memory of the host."""
    return psutil.virtual_memory().total


def storage_bytes(folder: Path) -> int:
    """Size of the file system that holds ``folder``."""
    return shutil.disk_usage(folder).total


def machine_serial() -> str | None:
    """The installation's id, for a pseudonym only; it must not leave the machine. None where there is none."""
    try:
        return MACHINE_ID_FILE.read_text(encoding="ascii").strip() or None
    except (OSError, UnicodeDecodeError):
        return None
