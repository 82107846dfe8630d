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

PCIE_PERIOD_S = 1.0
"""Between two readings of PCIe traffic, whose two windows of 20 ms are too long for every record."""


def next_due_s(due_s: float, period_s: float, now_s: float) -> float:
    """When to sample after the sample that was due at ``due_s``: a period later, however long that sample took.

    One that took longer than the period is followed at once by the next, and what was missed is not made up for.
    """
    return max(due_s + period_s, now_s)


class Sampler:
    """Samples host, devices and packages from ``with`` to its end; ``uuids`` names the accelerators in use."""

    def __init__(self, writer: TelemetryWriter, uuids: Sequence[str]) -> None:
        """Open what can be read."""
        self._writer = writer
        self._host = HostReader()
        self._packages = RaplReader()
        self._devices = _open_devices(uuids)
        self._ended = False
        self._woken = threading.Event()
        self._thread = threading.Thread(target=self._run, name="telemetry", daemon=True)
        self._dense_until_s = time.monotonic() + DENSE_S
        self._pcie_due_s = 0.0
        self._error: BaseException | None = None
        self.cpu_s = 0.0
        """CPU seconds that the thread took; known once it has stopped."""

    def __enter__(self) -> Self:
        """Take a first sample and go on in the thread."""
        self._sample(time.monotonic())
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """End the thread; what it died of is raised here."""
        self.stop()
        if self._error is not None:
            raise self._error

    def stop(self) -> None:
        """End the thread after a last sample; no record is written after that."""
        self._ended = True
        self._woken.set()
        self._thread.join()
        if isinstance(self._devices, NvmlReader):
            self._devices.close()
            self._devices = []

    def timed_interval_starts(self) -> None:
        """The minute of dense samples begins anew, and with a sample."""
        self._dense_until_s = time.monotonic() + DENSE_S
        self.sample_soon()

    def sample_soon(self) -> None:
        """Have the thread take a sample now, and the next ones a period apart from it; does not wait for it."""
        self._woken.set()

    def position(self) -> tuple[int, str]:
        """Records so far and the head of their chain."""
        return self._writer.state()

    def _run(self) -> None:
        try:
            self._sample_until_ended()
        except Exception as error:  # noqa: BLE001 - raised again by __exit__, in the run's own thread
            self._error = error
        self.cpu_s = time.thread_time()

    def _sample_until_ended(self) -> None:
        due_s = time.monotonic()
        while not self._ended:
            now_s = time.monotonic()
            due_s = next_due_s(due_s, self._period_s(now_s), now_s)
            if self._woken.wait(due_s - now_s):
                self._woken.clear()
                due_s = time.monotonic()
            self._sample(due_s)

    def _period_s(self, now_s: float) -> float:
        return DENSE_PERIOD_S if now_s < self._dense_until_s else SPARSE_PERIOD_S

    def _sample(self, due_s: float) -> None:
        """Write the record that was due at ``due_s``, with PCIe traffic where that is due too."""
        with_pcie = due_s > self._pcie_due_s - DENSE_PERIOD_S / 2
        if with_pcie:
            self._pcie_due_s = due_s + PCIE_PERIOD_S
        host, packages = self._host.read(), self._packages.read()
        devices = self._devices.read(with_pcie=with_pcie) if isinstance(self._devices, NvmlReader) else self._devices
        self._writer.write(host=host, devices=devices, package_energy_microjoules=packages)


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
