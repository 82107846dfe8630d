"""``vflops doctor`` and ``vflops list``: what a newcomer sees first."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from runner import home, torch_probe
from runner.checks import machine
from runner.checks.check import Status
from runner.cli import main
from runner.errors import Exit, RunnerError
from runner.torch_probe import Accelerator, TorchFacts
from tests.runner.conftest import Story
from workloads.definition import registry

FACTS = TorchFacts(version="2.13.0+cpu", device="cpu", threads=1, cuda=None, cudnn=None, nccl=None, accelerators=())


def test_a_machine_that_can_run_is_ready(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == Exit.ACCEPTED
    found = {check["id"]: check for check in json.loads(capsys.readouterr().out)["checks"]}
    expected = {"python.version", "install.shadowed", "torch.usable", "device", "telemetry.nvml", "data.digits"}
    assert expected <= set(found)
    assert all(check["action"] for check in found.values() if check["status"] != Status.OK)


def test_a_failed_check_ends_with_status_1_and_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError('libfoo.so: cannot open shared object file')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert main(["doctor"]) == Exit.ERROR
    text = capsys.readouterr().out
    assert "Not ready: torch.usable" in text
    assert "libfoo.so: cannot open shared object file" in text


def test_a_home_that_cannot_be_written_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(home.VARIABLE, "/proc/nowhere")
    assert machine.home_writable().status is Status.FAIL


def test_a_damaged_data_file_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "digits.csv.gz").write_bytes(gzip.compress(b"1,2,3"))
    monkeypatch.setenv("VFLOPS_DATA", str(tmp_path))
    found = {check.id: check for check in machine.data()}["data.digits"]
    assert found.status is Status.FAIL
    assert str(tmp_path / "digits.csv.gz") in found.found


def test_a_clock_before_the_release_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "RELEASED", machine.RELEASED.replace(year=9000))
    assert machine.clocks().status is Status.FAIL


def test_too_little_disk_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "MIN_FREE_BYTES", 1 << 80)
    assert machine.disk_space().status is Status.FAIL


@pytest.mark.parametrize(
    ("version", "status"),
    [("2.10.1+cu126", Status.FAIL), ("2.11.0a0+git", Status.OK), ("3.0.0", Status.OK), ("1.13.1", Status.FAIL)],
)
def test_an_old_torch_fails(version: str, status: Status) -> None:
    assert machine.torch_version(replace(FACTS, version=version)).status is status


def test_more_threads_than_processors_is_a_warning() -> None:
    assert machine.threads(replace(FACTS, threads=4096)).status is Status.WARN
    assert machine.threads(FACTS).status is Status.OK


def test_accelerators_are_named() -> None:
    gpu = Accelerator(name="NVIDIA H200", uuid="GPU-1", memory_bytes=141 * 10**9, capability="9.0")
    found = machine.device(replace(FACTS, device="cuda", accelerators=(gpu,)))
    assert (found.status, found.found) == (Status.OK, "NVIDIA H200")


def test_asking_for_a_device_that_is_not_there_is_refused() -> None:
    torch_probe.refuse_missing("auto", FACTS)
    with pytest.raises(RunnerError) as error:
        torch_probe.refuse_missing("cuda", FACTS)
    assert error.value.problem.id == "device.unavailable"


def test_list_shows_every_definition_with_its_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--json"]) == Exit.ACCEPTED
    listed = {entry["id"]: entry for entry in json.loads(capsys.readouterr().out)["workloads"]}
    assert set(listed) == {workload.id for workload in registry()}
    for workload in registry():
        entry = listed[workload.id]
        assert entry["flops_per_sample"] == workload.flops_per_sample
        assert entry["target_quality"] == workload.target_quality
        assert (entry["channels_last"], entry["cpu_threads"]) == (workload.channels_last, workload.cpu_threads)
        assert bool(entry["data"]) != bool(entry["data_missing_because"])


def test_list_reads_well(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == Exit.ACCEPTED
    text = capsys.readouterr().out
    assert "image_classification --scale smoke\n" in text
    assert "24.30 GFLOP a sample" in text
    assert "memory format contiguous, CPU threads as PyTorch chooses" in text


def test_list_of_run_sets(story: Story, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--runs"]) == Exit.ACCEPTED
    assert "No run sets yet" in capsys.readouterr().out
    monkeypatch.setenv(home.VARIABLE, story.environment[home.VARIABLE])
    assert main(["list", "--runs", "--json"]) == Exit.ACCEPTED
    (listed,) = json.loads(capsys.readouterr().out)["runs"]
    assert listed["folder"] == str(story.run_folder)
    assert (listed["finished"], listed["runs"]) == (5, 5)
    assert listed["bundle"] == str(story.bundle)
