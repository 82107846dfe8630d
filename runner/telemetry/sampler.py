"""The thread that samples telemetry into chained records while a run goes on."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from ranking.evidence.model import DeviceSample
from ranking.evidence.telemetry import TelemetryWriter
from runner.telemetry.host import HostReader
from runner.telemetry.nvml import NvmlReader, NvmlUnavailable
from runner.telemetry.rapl import RaplReader
from runner.telemetry.unavailable import because

DENSE_PERIOD_S = 0.1
DENSE_S = 60.0
SPARSE_PERIOD_S = 1.0
"""Every 100 ms in the first minute, so that a run shorter than that has enough samples for its energy; then 1 s."""


class Sampler:
    """Samples host, devices and packages from ``with`` to its end; ``uuids`` names the accelerators in use."""

    def __init__(self, writer: TelemetryWriter, uuids: Sequence[str]) -> None:
        """Open what can be read."""
        self._writer = writer
        self._host = HostReader()
        self._packages = RaplReader()
        self._devices = _open_devices(uuids)
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="telemetry", daemon=True)
        self._dense_until_s = time.monotonic() + DENSE_S
        self._error: BaseException | None = None
        self.cpu_s = 0.0
        """CPU seconds that sampling took; known once it has stopped."""

    def __enter__(self) -> Self:
        """Take a first sample and go on in the thread."""
        self._sample()
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """End the thread; what it died of is raised here."""
        self.stop()
        if self._error is not None:
            raise self._error

    def stop(self) -> None:
        """End the thread; no record is written after that."""
        self._end.set()
        self._thread.join()
        if isinstance(self._devices, NvmlReader):
            self._devices.close()
            self._devices = []

    def timed_interval_starts(self) -> None:
        """The minute of dense samples begins anew."""
        self._dense_until_s = time.monotonic() + DENSE_S

    def position(self) -> tuple[int, str]:
        """Records so far and the head of their chain."""
        return self._writer.state()

    def _run(self) -> None:
        try:
            while not self._end.wait(self._period_s()):
                self._sample()
        except Exception as error:  # noqa: BLE001 - raised again by stop, in the run's own thread
            self._error = error
        self.cpu_s = time.thread_time()

    def _period_s(self) -> float:
        return DENSE_PERIOD_S if time.monotonic() < self._dense_until_s else SPARSE_PERIOD_S

    def _sample(self) -> None:
        devices = self._devices.read() if isinstance(self._devices, NvmlReader) else self._devices
        self._writer.write(host=self._host.read(), devices=devices, package_energy_microjoules=self._packages.read())


def _open_devices(uuids: Sequence[str]) -> NvmlReader | list[DeviceSample]:
    """The devices' reader, or what stands for each of them where NVML cannot be used."""
    if not uuids:
        return []
    try:
        return NvmlReader(uuids)
    except NvmlUnavailable as error:
        return [_unreadable(index, error) for index in range(len(uuids))]


def _unreadable(index: int, error: NvmlUnavailable) -> DeviceSample:
    missing = because(error)
    return DeviceSample(
        index=index,
        utilisation_percent=missing,
        memory_used_bytes=missing,
        power_watts=missing,
        energy_millijoules=missing,
        clock_mhz=missing,
        temperature_c=missing,
        pcie_tx_bytes_per_s=missing,
        pcie_rx_bytes_per_s=missing,
    )
