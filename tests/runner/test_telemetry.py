"""Telemetry: what cannot be read says why, counters are followed, and the thread writes chained records."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event, Semaphore
from types import SimpleNamespace
from typing import Any

import psutil
import pynvml
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.evidence.chain import genesis
from ranking.evidence.model import DeviceSample, HostSample, Unavailable
from ranking.evidence.telemetry import TelemetryWriter, parse_telemetry
from runner.telemetry import sampler as sampler_module
from runner.telemetry.host import HostReader
from runner.telemetry.nvml import NvmlReader, NvmlUnavailable
from runner.telemetry.rapl import RaplReader
from runner.telemetry.sampler import DENSE_PERIOD_S, Sampler, next_due_s
from runner.telemetry.unavailable import REASON_LIMIT, attempt, because

NONCE = "ab" * 16


def fill(root: Path, **counters: int) -> None:
    for name, value in counters.items():
        package = root / name.replace("_", ":").replace("rapl", "intel-rapl")
        package.mkdir(parents=True, exist_ok=True)
        (package / "energy_uj").write_text(f"{value}\n")
        (package / "max_energy_range_uj").write_text("1000\n")


def test_packages_are_summed_their_parts_are_not_and_a_wrap_is_followed(tmp_path: Path) -> None:
    fill(tmp_path, rapl_0=100, rapl_1=900, rapl_0_0=5)
    reader = RaplReader(tmp_path)
    assert reader.read() == 0
    fill(tmp_path, rapl_0=150, rapl_1=950, rapl_0_0=500)
    assert reader.read() == 100
    fill(tmp_path, rapl_0=150, rapl_1=20)
    assert reader.read() == 170


def test_energy_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    assert RaplReader(tmp_path).read() == Unavailable("no RAPL counters on this machine")
    fill(tmp_path, rapl_0=1)
    reader = RaplReader(tmp_path)
    (tmp_path / "intel-rapl:0/energy_uj").unlink()
    assert reader.read() == Unavailable("No such file or directory")
    assert RaplReader(tmp_path).read() == Unavailable("No such file or directory")


def test_a_host_without_disk_counters_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psutil, "disk_io_counters", lambda: None)
    sample = HostReader().read()
    assert sample.read_bytes == sample.written_bytes == Unavailable("the system reports nothing")
    assert isinstance(sample.memory_used_bytes, int)
    assert sample.memory_used_bytes > 0


@given(st.text())
def test_a_reason_is_one_short_printable_line(reason: str) -> None:
    said = because(reason).reason
    assert said
    assert said.isprintable()
    assert len(said) <= REASON_LIMIT


def test_an_error_that_was_not_expected_is_not_swallowed() -> None:
    with pytest.raises(ZeroDivisionError):
        attempt(lambda: 1 // 0, OSError)


class Driver:
    """Answers of a driver in place of NVIDIA's library: one device, and the functions that fail on it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, failing: frozenset[str] = frozenset()) -> None:
        answers: dict[str, Callable[..., Any]] = {
            "nvmlInit": lambda: None,
            "nvmlShutdown": lambda: None,
            "nvmlSystemGetDriverVersion": lambda: "580.10",
            "nvmlDeviceGetHandleByUUID": lambda uuid: uuid,
            "nvmlDeviceGetName": lambda _: "NVIDIA H200",
            "nvmlDeviceGetUtilizationRates": lambda _: SimpleNamespace(gpu=87),
            "nvmlDeviceGetMemoryInfo": lambda _: SimpleNamespace(used=5, total=9),
            "nvmlDeviceGetPowerUsage": lambda _: 412_500,
            "nvmlDeviceGetTotalEnergyConsumption": lambda _: 2**53 + 1,
            "nvmlDeviceGetClockInfo": lambda *_: 1980,
            "nvmlDeviceGetTemperature": lambda *_: 41,
            "nvmlDeviceGetPcieThroughput": lambda *_: 3,
            "nvmlDeviceGetMaxPcieLinkGeneration": lambda _: 5,
            "nvmlDeviceGetMaxPcieLinkWidth": lambda _: 16,
            "nvmlDeviceGetPowerManagementLimit": lambda _: 700_000,
        }
        for name, answer in answers.items():
            monkeypatch.setattr(pynvml, name, self._unsupported if name in failing else answer)

    @staticmethod
    def _unsupported(*_: object) -> None:
        raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)


def test_a_device_is_read_in_the_units_of_its_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    Driver(monkeypatch)
    (sample,) = NvmlReader(["GPU-1"]).read()
    assert sample == DeviceSample(
        index=0,
        utilisation_percent=87,
        memory_used_bytes=5,
        power_watts=412.5,
        energy_millijoules=2**53 + 1,
        clock_mhz=1980,
        temperature_c=41,
        pcie_tx_bytes_per_s=3072,
        pcie_rx_bytes_per_s=3072,
    )


def test_pcie_traffic_that_is_not_wanted_is_not_read_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    Driver(monkeypatch, frozenset({"nvmlDeviceGetPcieThroughput"}))
    (sample,) = NvmlReader(["GPU-1"]).read(with_pcie=False)
    assert sample.pcie_tx_bytes_per_s == sample.pcie_rx_bytes_per_s == Unavailable("sampled once a second")
    assert sample.energy_millijoules == 2**53 + 1


def test_a_field_that_a_device_lacks_is_unavailable_and_the_others_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    Driver(monkeypatch, frozenset({"nvmlDeviceGetTotalEnergyConsumption"}))
    (sample,) = NvmlReader(["GPU-1"]).read()
    assert sample.energy_millijoules == Unavailable("Not Supported")
    assert sample.power_watts == 412.5


def test_a_description_holds_no_id_of_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    Driver(monkeypatch)
    assert NvmlReader(["GPU-1"]).describe() == [
        {
            "name": "NVIDIA H200",
            "memory_bytes": 9,
            "pcie_generation": 5,
            "pcie_lanes": 16,
            "power_limit_watts": 700.0,
        }
    ]


def test_without_a_driver_the_reason_is_the_drivers(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise pynvml.NVMLError(pynvml.NVML_ERROR_LIBRARY_NOT_FOUND)

    monkeypatch.setattr(pynvml, "nvmlInit", missing)
    with pytest.raises(NvmlUnavailable, match="NVML Shared Library Not Found"):
        NvmlReader()


@given(st.lists(st.floats(0, 0.5), min_size=1, max_size=50))
def test_samples_keep_their_period_however_long_each_takes(lengths_s: list[float]) -> None:
    now_s = due_s = 0.0
    for length_s in lengths_s:
        before_s = due_s
        now_s = due_s + length_s
        due_s = next_due_s(due_s, DENSE_PERIOD_S, now_s)
        assert due_s >= now_s, "what was missed is not made up for"
        assert due_s == (before_s + DENSE_PERIOD_S if length_s <= DENSE_PERIOD_S else now_s)


class CountedWriter(TelemetryWriter):
    """Lets a test wait for records."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, nonce=NONCE, index=0, seed=1)
        self.written = Semaphore(0)

    def write(self, **sample: Any) -> None:
        super().write(**sample)
        self.written.release()


def record(path: Path, uuids: list[str]) -> tuple[tuple[HostSample, ...], tuple[DeviceSample, ...]]:
    """Sample until three records stand, and read them back."""
    with CountedWriter(path) as writer, Sampler(writer, uuids) as sampler:
        assert sampler.position()[0] >= 1, "there is no record before the thread's first"
        for _ in range(3):
            writer.written.acquire()
    samples, findings = parse_telemetry(path.read_bytes(), start=genesis(NONCE, 0, 1))
    assert findings == []
    assert samples[-1].head == writer.state()[1]
    return tuple(sample.host for sample in samples), samples[0].devices


def test_the_thread_writes_chained_records_until_it_is_stopped(tmp_path: Path) -> None:
    hosts, devices = record(tmp_path / "telemetry.jsonl", [])
    assert len(hosts) >= 3
    assert devices == ()


def test_devices_that_cannot_be_read_still_have_their_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Driver(monkeypatch, frozenset({"nvmlInit"}))
    _, devices = record(tmp_path / "telemetry.jsonl", ["GPU-1", "GPU-2"])
    assert [device.index for device in devices] == [0, 1]
    assert {device.power_watts for device in devices} == {Unavailable("Not Supported")}


def test_traffic_is_read_once_a_second_and_all_else_in_every_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Driver(monkeypatch)
    path = tmp_path / "telemetry.jsonl"
    with CountedWriter(path) as writer, Sampler(writer, ["GPU-1"]):
        for _ in range(13):
            writer.written.acquire()
    samples = [sample.devices[0] for sample in parse_telemetry(path.read_bytes())[0]]
    assert all(sample.power_watts == 412.5 for sample in samples)
    with_traffic = [sample for sample in samples if sample.pcie_tx_bytes_per_s == 3072]
    assert samples[0] in with_traffic
    assert len(with_traffic) < len(samples) / 2


def test_the_timed_interval_begins_with_a_sample_and_the_end_has_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampler_module, "DENSE_PERIOD_S", 3600.0)
    with CountedWriter(tmp_path / "telemetry.jsonl") as writer:
        with Sampler(writer, []) as sampler:
            writer.written.acquire()
            sampler.timed_interval_starts()
            writer.written.acquire()
            assert sampler.position()[0] == 2
        assert writer.state()[0] == 3


def test_what_the_thread_died_of_is_raised_where_the_run_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    called = Event()

    def broken() -> None:
        called.set()
        raise ZeroDivisionError

    with TelemetryWriter(tmp_path / "telemetry.jsonl", nonce=NONCE, index=0, seed=1) as writer:
        sampler = Sampler(writer, [])
        sampler.__enter__()
        monkeypatch.setattr(psutil, "virtual_memory", broken)
        called.wait()
        with pytest.raises(ZeroDivisionError):
            sampler.__exit__(None, None, None)
