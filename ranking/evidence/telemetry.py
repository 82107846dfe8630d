"""The telemetry of a run: what host and devices measured, one chained line a sample."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Final, Self

from ranking.evidence import canonical
from ranking.evidence.chain import Chain, genesis
from ranking.evidence.clock import Clock, system_clock
from ranking.evidence.errors import Faults
from ranking.evidence.fields import Fields
from ranking.evidence.lines import ChainedLines, append_line
from ranking.evidence.model import DeviceSample, HostSample, Reading, TelemetrySample, Unavailable
from ranking.findings import Finding, shown

_FIELDS: Final = frozenset({"seq", "time_ms", "clock_us", "prev", "host", "devices", "package"})
_HOST: Final = ("cpu_percent", "memory_used_bytes", "load_1m", "read_bytes", "written_bytes")
_DEVICE: Final = (
    "utilisation_percent",
    "memory_used_bytes",
    "power_watts",
    "energy_millijoules",
    "clock_mhz",
    "temperature_c",
    "pcie_tx_bytes_per_s",
    "pcie_rx_bytes_per_s",
)
_COUNTERS: Final = frozenset({"energy_millijoules", "energy_microjoules"})
"""Counters that may pass 2**53 and are therefore written as decimal strings."""

_HOST_FIELDS: Final = frozenset(_HOST)
_DEVICE_FIELDS: Final = frozenset({"index", *_DEVICE})
_PACKAGE_FIELDS: Final = frozenset({"energy_microjoules"})
_UNAVAILABLE: Final = frozenset({"unavailable"})
_DECIMAL = re.compile(r"0|[1-9][0-9]{0,19}")
_MOST_DEVICES: Final = 64
"""Devices of one line; larger systems summarise."""


MOST_VALUES: Final = 32 * _MOST_DEVICES
"""Values of a line: a device of which nothing could be read has 18; the rest is room for the commas of reasons."""


class TelemetryWriter:
    """Writes new telemetry at ``path``, a whole line a sample; a sampling thread may write while another asks."""

    def __init__(self, path: Path, *, nonce: str, index: int, seed: int, clock: Clock = system_clock) -> None:
        self._chain = Chain(genesis(nonce, index, seed))
        self._clock = clock
        self._lock = Lock()
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)

    def state(self) -> tuple[int, str]:
        """Records written so far, and the digest of the last one: what the log names at an evaluation."""
        with self._lock:
            return self._chain.seq, self._chain.head

    def write(self, *, host: HostSample, devices: Sequence[DeviceSample], package_energy_microjoules: Reading) -> None:
        """Append one sample, stamped now."""
        with self._lock:
            moment = self._clock()
            document = {
                "seq": self._chain.seq,
                "time_ms": moment.time_ms,
                "clock_us": moment.clock_us,
                "prev": self._chain.head,
                "host": {name: _written(name, getattr(host, name)) for name in _HOST},
                "devices": [_device_document(device) for device in devices],
                "package": {"energy_microjoules": _written("energy_microjoules", package_energy_microjoules)},
            }
            line = canonical.dumps(document, place="telemetry")
            append_line(self._file, line)
            self._chain.append(line)

    def close(self) -> None:
        """Force the telemetry to disk and close it."""
        with self._lock:
            os.fsync(self._file)
            os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class TelemetryParser(ChainedLines):
    """Streaming parser of one run's telemetry: feed, close, then ``samples``."""

    most_values = MOST_VALUES

    def __init__(self, name: str, faults: Faults, *, start: str | None) -> None:
        super().__init__(name, faults, start=start)
        self.samples: list[TelemetrySample] = []

    def _line(self, line: bytes) -> str:
        here = self._here()
        fields = Fields(canonical.loads_canonical(line, place=here), here).only(_FIELDS)
        devices = fields.array("devices", most=_MOST_DEVICES)
        package = fields.object("package").only(_PACKAGE_FIELDS)
        sample = TelemetrySample(
            number=self.number,
            seq=fields.integer("seq"),
            time_ms=fields.integer("time_ms"),
            clock_us=fields.integer("clock_us"),
            host=_host(fields.object("host").only(_HOST_FIELDS)),
            devices=tuple(_device(Fields(device, here, where="devices")) for device in devices),
            package_energy_microjoules=_reading(package, "energy_microjoules"),
            head=self.head or "",
        )
        if sample.seq != self.number - 1:
            self._faults.add("chain.sequence", here, expected=self.number - 1, got=sample.seq)
        self.samples.append(sample)
        return fields.hex("prev", 64)


def parse_telemetry(
    chunks: bytes | Iterable[bytes], *, name: str = "telemetry.jsonl", start: str | None = None
) -> tuple[tuple[TelemetrySample, ...], list[Finding]]:
    """Samples and findings of telemetry given whole or in parts; ``start`` is the chain's genesis where it is known."""
    faults = Faults()
    parser = TelemetryParser(name, faults, start=start)
    for chunk in [chunks] if isinstance(chunks, bytes) else chunks:
        parser.feed(chunk)
    parser.close()
    return tuple(parser.samples), faults.listed()


def _device_document(device: DeviceSample) -> dict[str, object]:
    return {"index": device.index, **{name: _written(name, getattr(device, name)) for name in _DEVICE}}


def _written(name: str, reading: Reading) -> object:
    if isinstance(reading, Unavailable):
        return {"unavailable": shown(reading.reason)}
    return str(int(reading)) if name in _COUNTERS else reading


def _host(fields: Fields) -> HostSample:
    return HostSample(**{name: _reading(fields, name) for name in _HOST})


def _device(fields: Fields) -> DeviceSample:
    fields.only(_DEVICE_FIELDS)
    index = fields.integer("index")
    return DeviceSample(index=index, **{name: _reading(fields, name) for name in _DEVICE})


def _reading(fields: Fields, name: str) -> Reading:
    value = fields.any(name)
    if isinstance(value, dict):
        return _unavailable(fields.object(name).only(_UNAVAILABLE).text("unavailable"))
    if name in _COUNTERS:
        return int(fields.text(name, pattern=_DECIMAL))
    if type(value) is int or type(value) is float:
        return value
    raise fields.wrong(name, "a number, or the reason why it is unavailable")


@lru_cache(maxsize=256)
def _unavailable(reason: str) -> Unavailable:
    """One for each reason: what cannot be read once can mostly not be read in any sample."""
    return Unavailable(reason)
