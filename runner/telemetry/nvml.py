"""Telemetry of NVIDIA accelerators through NVML (module ``pynvml`` of nvidia-ml-py)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pynvml

from ranking.evidence.model import DeviceSample, Reading, Unavailable
from runner.telemetry.unavailable import attempt, in_json

KIB_BYTES = 1024
"""NVML gives PCIe throughput in KB/s; its documentation means 1024 bytes."""

MILLIWATTS_PER_WATT = 1000.0

PCIE_NOT_NOW = Unavailable("sampled once a second")
"""In place of PCIe traffic in the records between two samples of it."""


class NvmlUnavailable(Exception):
    """NVML cannot be used here; the text says why."""


class NvmlReader:
    """Reads the devices of one run; ``uuids`` names them in the order of the framework's device indexes."""

    def __init__(self, uuids: Sequence[str] | None = None) -> None:
        """Open NVML and the devices named, or all of them; raises NvmlUnavailable."""
        try:
            pynvml.nvmlInit()
            self._handles = _handles(uuids)
        except pynvml.NVMLError as error:
            raise NvmlUnavailable(str(error)) from error

    def read(self, *, with_pcie: bool = True) -> list[DeviceSample]:
        """One sample of every device; PCIe traffic costs two windows of 20 ms a device, the rest far less."""
        return [_sample(index, handle, with_pcie=with_pcie) for index, handle in enumerate(self._handles)]

    def describe(self) -> list[dict[str, Any]]:
        """Name, memory, PCIe link and power limit of every device; nothing that tells one from another."""
        return [_description(handle) for handle in self._handles]

    def driver(self) -> Any:
        """Version of the driver."""
        return in_json(attempt(pynvml.nvmlSystemGetDriverVersion, pynvml.NVMLError))

    def close(self) -> None:
        """Leave NVML."""
        pynvml.nvmlShutdown()


def reason_unavailable() -> str:
    """Why NVML cannot be used here; empty where it can."""
    try:
        NvmlReader().close()
    except NvmlUnavailable as error:
        return str(error)
    return ""


def _handles(uuids: Sequence[str] | None) -> list[Any]:
    if uuids is not None:
        return [pynvml.nvmlDeviceGetHandleByUUID(uuid) for uuid in uuids]
    return [pynvml.nvmlDeviceGetHandleByIndex(index) for index in range(pynvml.nvmlDeviceGetCount())]


def _sample(index: int, handle: Any, *, with_pcie: bool) -> DeviceSample:
    """One device, the slow reading first and energy last: nearest to the moment that the record is stamped with."""

    def field(read: Callable[[], int | float]) -> Reading:
        return attempt(read, pynvml.NVMLError)

    def pcie(counter: int) -> Reading:
        return field(lambda: _pcie(handle, counter)) if with_pcie else PCIE_NOT_NOW

    return DeviceSample(
        index=index,
        pcie_tx_bytes_per_s=pcie(pynvml.NVML_PCIE_UTIL_TX_BYTES),
        pcie_rx_bytes_per_s=pcie(pynvml.NVML_PCIE_UTIL_RX_BYTES),
        utilisation_percent=field(lambda: pynvml.nvmlDeviceGetUtilizationRates(handle).gpu),
        memory_used_bytes=field(lambda: pynvml.nvmlDeviceGetMemoryInfo(handle).used),
        clock_mhz=field(lambda: pynvml.nvmlDeviceGetClockInfo(handle, pynvml.NVML_CLOCK_SM)),
        temperature_c=field(lambda: pynvml.nvmlDeviceGetTemperature(handle, pynvml.NVML_TEMPERATURE_GPU)),
        power_watts=field(lambda: pynvml.nvmlDeviceGetPowerUsage(handle) / MILLIWATTS_PER_WATT),
        energy_millijoules=field(lambda: pynvml.nvmlDeviceGetTotalEnergyConsumption(handle)),
    )


def _pcie(handle: Any, counter: int) -> int:
    return int(pynvml.nvmlDeviceGetPcieThroughput(handle, counter)) * KIB_BYTES


def _description(handle: Any) -> dict[str, Any]:
    def field(read: Callable[[], Any]) -> Any:
        return in_json(attempt(read, pynvml.NVMLError))

    return {
        "name": field(lambda: pynvml.nvmlDeviceGetName(handle)),
        "memory_bytes": field(lambda: pynvml.nvmlDeviceGetMemoryInfo(handle).total),
        "pcie_generation": field(lambda: pynvml.nvmlDeviceGetMaxPcieLinkGeneration(handle)),
        "pcie_lanes": field(lambda: pynvml.nvmlDeviceGetMaxPcieLinkWidth(handle)),
        "power_limit_watts": field(lambda: pynvml.nvmlDeviceGetPowerManagementLimit(handle) / MILLIWATTS_PER_WATT),
    }
