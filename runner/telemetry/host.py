"""Telemetry of the host: CPU, memory, load and disk traffic, by psutil."""

from __future__ import annotations

import os

import psutil

from ranking.evidence.model import HostSample, Unavailable
from runner.telemetry.unavailable import attempt, in_json


class HostReader:
    """Reads the host; the first reading of ``cpu_percent`` covers the time since this object was made."""

    def __init__(self) -> None:
        """Start the interval that the first CPU percentage covers."""
        psutil.cpu_percent(interval=None)

    def read(self) -> HostSample:
        """One sample; byte counters are the host's own since boot."""
        disk = attempt(psutil.disk_io_counters, OSError, RuntimeError)
        return HostSample(
            cpu_percent=psutil.cpu_percent(interval=None),
            memory_used_bytes=psutil.virtual_memory().used,
            load_1m=attempt(lambda: os.getloadavg()[0], OSError),
            read_bytes=disk if isinstance(disk, Unavailable) else disk.read_bytes,
            written_bytes=disk if isinstance(disk, Unavailable) else disk.write_bytes,
        )


def load_average() -> list[float] | dict[str, str]:
    """Load averages over 1, 5 and 15 minutes, as documents hold them."""
    return in_json(attempt(lambda: list(os.getloadavg()), OSError))
