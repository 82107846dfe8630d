"""Checks of the machine: home folder, disk, clock, PyTorch, device, telemetry, load and data."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime

import psutil

from ranking.evidence.model import Unavailable
from runner import clock, home, torch_probe
from runner.checks.check import Check, Status, check
from runner.errors import RunnerError
from runner.system import hardware
from runner.telemetry.nvml import reason_unavailable
from runner.telemetry.rapl import RaplReader
from runner.torch_probe import TorchFacts
from workloads.datasets.search import locate
from workloads.definition import Scale, Workload, registry
from workloads.errors import DatasetError

MIN_TORCH = (2, 11)
MIN_FREE_BYTES = 2 * 10**9
"""Space for data, evidence and a bundle of a lite run set, several times over."""

RELEASED = datetime(2026, 11, 1, tzinfo=UTC)
"""A clock before this program's release is wrong."""

BUSY_SHARE = 0.5
"""Load average over processors from which a measurement suffers from its neighbours."""


def machine_checks() -> Iterator[Check]:
    """All checks of the machine, in the order in which a reader mends them."""
    yield home_writable()
    yield disk_space()
    yield clocks()
    yield from torch_and_device()
    yield from telemetry()
    yield load()
    yield from data()


def home_writable() -> Check:
    """``home.writable``."""
    path = home.home()
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        return check(
            "home.writable", f"{path}: {error.strerror}", bad=Status.FAIL, action=f"Set {home.VARIABLE} to a folder."
        )
    return check("home.writable", str(path))


def disk_space() -> Check:
    """``disk.space``."""
    path = next(p for p in (home.home(), *home.home().parents) if p.exists())
    free = shutil.disk_usage(path).free
    return check(
        "disk.space",
        f"{hardware.capacity(free)} free in {path}",
        bad=Status.FAIL if free < MIN_FREE_BYTES else None,
        action=f"Free {hardware.capacity(MIN_FREE_BYTES)}, or set {home.VARIABLE} to a larger disk.",
    )


def clocks() -> Check:
    """``clock``."""
    if not clock.supported():
        return check("clock", "no CLOCK_BOOTTIME", bad=Status.FAIL, action="Evidence needs Linux's boot clock.")
    now = datetime.now(UTC)
    wrong = now < RELEASED
    return check(
        "clock",
        f"{now:%Y-%m-%d %H:%M:%S} UTC",
        bad=Status.FAIL if wrong else None,
        action="Set this machine's clock: evidence carries its time.",
    )


def torch_and_device() -> Iterator[Check]:
    """``torch.usable``, ``torch.threads`` and ``device``."""
    try:
        facts = torch_probe.probe("auto")
    except RunnerError as error:
        yield check("torch.usable", error.problem.got, bad=Status.FAIL, action=error.problem.action)
        return
    yield torch_version(facts)
    yield threads(facts)
    yield device(facts)


def torch_version(facts: TorchFacts) -> Check:
    """``torch.usable``."""
    numbers = facts.version.split("+")[0].split(".")[:2]
    old = tuple(int(number) for number in numbers) < MIN_TORCH
    wanted = ".".join(map(str, MIN_TORCH))
    return check(
        "torch.usable", f"PyTorch {facts.version}", bad=Status.FAIL if old else None, action=f"Use {wanted} or newer."
    )


def threads(facts: TorchFacts) -> Check:
    """``torch.threads``."""
    allowed = hardware.allowed_processors()
    return check(
        "torch.threads",
        f"{facts.threads} threads on {allowed} processors",
        bad=Status.WARN if facts.threads > allowed else None,
        action=f"Set --threads {allowed}: more threads than processors wait for each other.",
    )


def device(facts: TorchFacts) -> Check:
    """``device``."""
    if facts.device == "cuda":
        return check("device", ", ".join(accelerator.name for accelerator in facts.accelerators))
    present = not reason_unavailable()
    return check(
        "device",
        f"CPU: {hardware.processors().model}",
        bad=Status.WARN if present else None,
        action="There is an NVIDIA driver, but this PyTorch was built without CUDA: install one with it.",
    )


def telemetry() -> Iterator[Check]:
    """``telemetry.nvml`` and ``telemetry.rapl``: without them energy is unavailable, and nothing else."""
    reason = reason_unavailable()
    yield check(
        "telemetry.nvml",
        reason or "NVML answers",
        bad=Status.WARN if reason else None,
        action="On a machine with NVIDIA GPUs install the driver; elsewhere nothing is to do.",
    )
    energy = RaplReader().read()
    missing = isinstance(energy, Unavailable)
    yield check(
        "telemetry.rapl",
        energy.reason if isinstance(energy, Unavailable) else "RAPL counters can be read",
        bad=Status.WARN if missing else None,
        action="Energy of the processors will be unavailable; root may allow it: chmod a+r energy_uj.",
    )


def load() -> Check:
    """``load``: whether others compute here too."""
    average, processors = os.getloadavg()[0], psutil.cpu_count() or 1
    return check(
        "load",
        f"load average {average:.2f} on {processors} processors",
        bad=Status.WARN if average > BUSY_SHARE * processors else None,
        action="Others compute here: figures will be lower and vary more. Wait, or accept it.",
    )


def data() -> Iterator[Check]:
    """``data.<dataset>``: whether what lite and smoke need is here."""
    for workload in registry():
        if workload.scale is not Scale.REFERENCE:
            yield _dataset(workload)


def _dataset(workload: Workload) -> Check:
    name = f"data.{workload.dataset.name}"
    try:
        found = locate(workload)
    except DatasetError as error:
        return check(name, f"{error.message} {error.place}", bad=Status.FAIL, action=error.action)
    return check(
        name,
        str(found or "not on this machine"),
        bad=None if found else Status.WARN,
        action="`vflops run` fetches it; with no network, put the files in a folder and set VFLOPS_DATA.",
    )
