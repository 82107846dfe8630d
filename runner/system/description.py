"""The document ``system.json``: MLPerf's field names where there are some, the rest under ``vflops``."""

from __future__ import annotations

import platform
import shutil
from pathlib import Path
from typing import Any

from runner import __version__, children
from runner.keys import SigningKey
from runner.system import hardware, privacy
from runner.system.packages import package_versions
from runner.system.source import source_digest
from runner.telemetry.nvml import NvmlReader, NvmlUnavailable
from runner.telemetry.unavailable import unavailable
from runner.torch_probe import Accelerator, TorchFacts

NOT_DECLARED = "not declared"
"""Why a field is empty that no program can find out by itself, cooling for example."""


def describe(facts: TorchFacts, key: SigningKey, *, system_name: str, storage: Path) -> dict[str, Any]:
    """The system that a run set with these facts runs on; ``storage`` is the folder of its data."""
    used = facts.accelerators[:1] if facts.device == "cuda" else ()
    found = {
        "division": "closed",
        "status": "onprem",
        "submitter": "",
        "number_of_nodes": 1,
        **_host(storage),
        **_accelerators(used),
        **_software(facts),
        "vflops": _own(facts, used, key),
    }
    document: dict[str, Any] = privacy.withhold_personal(found, privacy.personal_names())
    return document | {"system_name": system_name}


def _host(storage: Path) -> dict[str, Any]:
    cpu = hardware.processors()
    return {
        "host_processors_per_node": cpu.packages,
        "host_processor_model_name": cpu.model,
        "host_processor_core_count": cpu.cores_each,
        "host_processor_vcpu_count": cpu.threads_each,
        "host_memory_capacity": hardware.capacity(hardware.memory_bytes()),
        "host_storage_type": unavailable(NOT_DECLARED),
        "host_storage_capacity": hardware.capacity(hardware.storage_bytes(storage)),
        "host_networking": unavailable(NOT_DECLARED),
        "cooling": unavailable(NOT_DECLARED),
    }


def _accelerators(used: tuple[Accelerator, ...]) -> dict[str, Any]:
    first = used[0] if used else None
    return {
        "accelerators_per_node": len(used),
        "accelerator_model_name": first.name if first else "",
        "accelerator_memory_capacity": hardware.capacity(first.memory_bytes) if first else "",
        "accelerator_interconnect": "" if len(used) < 2 else unavailable(NOT_DECLARED),
    }


def _software(facts: TorchFacts) -> dict[str, Any]:
    stack = {"python": platform.python_version(), "cuda": facts.cuda, "cudnn": facts.cudnn, "nccl": facts.nccl}
    return {
        "framework": f"PyTorch {facts.version}",
        "operating_system": hardware.operating_system(),
        "other_software_stack": {name: str(version) for name, version in stack.items() if version is not None},
    }


def _own(facts: TorchFacts, used: tuple[Accelerator, ...], key: SigningKey) -> dict[str, Any]:
    devices, driver = _devices(used)
    return {
        "runner": __version__,
        "source_digest": source_digest(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "torch": facts.version,
        "device": facts.device,
        "device_ids": _device_ids(used, key),
        "devices": devices,
        "driver": driver,
        "machine": platform.machine(),
        "kernel_release": platform.release(),
        "processors_allowed": hardware.allowed_processors(),
        "threads": facts.threads,
        "host_memory_bytes": hardware.memory_bytes(),
        "compiler": shutil.which("gcc") is not None or shutil.which("cc") is not None,
        "packages": package_versions(),
        "environment": privacy.environment(children.environment()),
    }


def _device_ids(used: tuple[Accelerator, ...], key: SigningKey) -> Any:
    if used:
        return [key.pseudonym(device.uuid) for device in used]
    serial = hardware.machine_serial()
    return [key.pseudonym(serial)] if serial else unavailable("this machine has no installation id")


def _devices(used: tuple[Accelerator, ...]) -> tuple[Any, Any]:
    """What NVML says of the devices in use, less their UUIDs, and the driver's version."""
    if not used:
        return [], unavailable("no accelerator in use")
    try:
        reader = NvmlReader([device.uuid for device in used])
    except NvmlUnavailable as error:
        return unavailable(error), unavailable(error)
    described, driver = reader.describe(), reader.driver()
    reader.close()
    return described, driver
