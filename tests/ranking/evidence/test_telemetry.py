"""Telemetry: samples come back typed, what could not be read keeps its reason, and the chain holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ranking.evidence.chain import genesis, next_head
from ranking.evidence.clock import Moment
from ranking.evidence.errors import EvidenceError
from ranking.evidence.model import DeviceSample, HostSample, Unavailable, measured
from ranking.evidence.telemetry import TelemetryWriter, parse_telemetry
from tests.bundles import NONCE

GENESIS = genesis(NONCE, 2, 7)
HOST = HostSample(
    cpu_percent=87.5, memory_used_bytes=1, load_1m=0.5, read_bytes=Unavailable("no permission"), written_bytes=2
)
DEVICE = DeviceSample(
    index=0,
    utilisation_percent=90,
    memory_used_bytes=8,
    power_watts=250.25,
    energy_millijoules=2**60 + 1,
    clock_mhz=1_980,
    temperature_c=-3,
    pcie_tx_bytes_per_s=Unavailable("not supported"),
    pcie_rx_bytes_per_s=0,
)


def written(tmp_path: Path, *devices: DeviceSample, samples: int = 2) -> tuple[bytes, TelemetryWriter]:
    """Telemetry of some samples of these devices."""
    path = tmp_path / "telemetry.jsonl"
    with TelemetryWriter(path, nonce=NONCE, index=2, seed=7, clock=lambda: Moment(5, 6)) as writer:
        for _ in range(samples):
            writer.write(host=HOST, devices=devices, package_energy_microjoules=2**62)
    return path.read_bytes(), writer


def test_samples_come_back_as_they_were_written(tmp_path: Path) -> None:
    data, writer = written(tmp_path, DEVICE, replace(DEVICE, index=1))
    samples, findings = parse_telemetry(data, start=GENESIS)
    assert findings == []
    assert [(s.number, s.seq, s.time_ms, s.clock_us) for s in samples] == [(1, 0, 5, 6), (2, 1, 5, 6)]
    assert samples[0].host == HOST
    assert samples[1].devices == (DEVICE, replace(DEVICE, index=1))
    assert samples[1].package_energy_microjoules == 2**62
    assert writer.state() == (2, samples[1].head)
    assert [s.head for s in samples] == [next_head(line) for line in data.splitlines()]


def test_what_could_not_be_read_is_no_number() -> None:
    assert measured(Unavailable("no permission")) is None
    assert measured(0) == 0


def test_a_reason_is_written_so_that_it_can_be_read_again(tmp_path: Path) -> None:
    host = replace(HOST, load_1m=Unavailable("two\nlines, " + "x" * 300))
    path = tmp_path / "t"
    with TelemetryWriter(path, nonce=NONCE, index=0, seed=7) as writer:
        writer.write(host=host, devices=[], package_energy_microjoules=0)
    samples, findings = parse_telemetry(path.read_bytes())
    assert findings == []
    assert isinstance(samples[0].host.load_1m, Unavailable)
    assert samples[0].host.load_1m.reason.startswith("two\N{REPLACEMENT CHARACTER}lines, xxx")


def test_state_before_the_first_sample_is_the_genesis(tmp_path: Path) -> None:
    data, writer = written(tmp_path, samples=0)
    assert (data, writer.state()) == (b"", (0, GENESIS))
    assert [found.id for found in parse_telemetry(data, start=GENESIS)[1]] == ["schema.empty"]


def test_a_reading_that_is_no_number_is_not_written(tmp_path: Path) -> None:
    with (
        TelemetryWriter(tmp_path / "t", nonce=NONCE, index=0, seed=7) as writer,
        pytest.raises(EvidenceError, match=r"schema\.not_finite"),
    ):
        writer.write(host=replace(HOST, load_1m=float("nan")), devices=[], package_energy_microjoules=0)
    assert (tmp_path / "t").read_bytes() == b""


@pytest.mark.parametrize(
    ("change", "id"),
    [
        (lambda data: data.replace(b'"power_watts":250.25', b'"power_watts":250.5', 1), "chain.link"),
        (lambda data: data[data.index(b"\n") + 1 :], "chain.sequence"),
        (lambda data: data.replace(b'"seq":0', b'"seq":9'), "chain.sequence"),
        (lambda data: data.replace(b'"clock_mhz":1980', b'"clock_mhz":"1980"'), "schema.field"),
        (lambda data: data.replace(b'"clock_mhz":1980', b'"clock_mhz":true'), "schema.field"),
        (lambda data: data.replace(b'"clock_mhz":1980', b'"clock_mhz":null'), "schema.field"),
        (lambda data: data.replace(b'"clock_mhz":1980', b'"clock_mhz":[]'), "schema.field"),
        (lambda data: data.replace(b'"clock_mhz":1980', b'"clock_mhz":{}'), "schema.field"),
        (lambda data: data.replace(b'"clock_mhz":1980,', b""), "schema.field"),
        (lambda data: data.replace(b'"clock_mhz":1980', b'"clock_mhz":NaN'), "schema.not_finite"),
        (lambda data: data.replace(b'"clock_mhz":1980', b'"clock_mhz":1980.0'), "schema.not_canonical"),
        (lambda data: data.replace(b'"clock_mhz":1980', b'"clock_mhzz":0,"clock_mhz":1980'), "schema.not_canonical"),
        (lambda data: data.replace(b'"clock_mhz":1980', b'"clock_mha":0,"clock_mhz":1980'), "schema.field"),
        (lambda data: data.replace(b'"1152921504606846977"', b"1152921504606847000"), "schema.field"),
        (lambda data: data.replace(b'"1152921504606846977"', b'"-1"'), "schema.field"),
        (lambda data: data.replace(b'"1152921504606846977"', b'"01"'), "schema.field"),
        (lambda data: data.replace(b'"1152921504606846977"', b'"%s"' % (b"9" * 21)), "schema.field"),
        (lambda data: data.replace(b'"index":0', b'"index":-1'), "schema.field"),
        (lambda data: data.replace(b"not supported", b"x" * 201), "schema.field"),
        (lambda data: data.replace(b'"host"', b'"hose"'), "schema.field"),
        (lambda data: data.replace(b"not supported", b"not \xff"), "schema.not_utf8"),
        (lambda data: data.replace(b"\n", b"\r\n"), "schema.not_canonical"),
        (lambda data: data[:-1], "schema.line_ending"),
    ],
)
def test_changed_telemetry_is_refused(tmp_path: Path, change: Callable[[bytes], bytes], id: str) -> None:
    data, _ = written(tmp_path, DEVICE)
    assert parse_telemetry(data, start=GENESIS)[1] == []
    assert change(data) != data
    assert id in [found.id for found in parse_telemetry(change(data), start=GENESIS)[1]]


def test_a_line_names_a_bounded_number_of_devices(tmp_path: Path) -> None:
    data, _ = written(tmp_path, *(replace(DEVICE, index=index) for index in range(65)))
    samples, findings = parse_telemetry(data, start=GENESIS)
    assert samples == ()
    assert {found.id for found in findings} == {"schema.field"}
