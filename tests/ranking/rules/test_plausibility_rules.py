"""Plausibility rules: more than devices can do, and telemetry that tells another story."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ranking.evidence.model import Unavailable
from ranking.findings import Verdict
from ranking.rules import plausibility
from tests.bundles import Run, system_document
from tests.ranking.rules.judging import (
    REFERENCE,
    Forgery,
    above_note,
    assert_found,
    honest_case,
    ids,
    judged,
    with_workload,
)

ACCELERATED = {"accelerators": 2}


def described(**changes: Any) -> dict[str, Any]:
    """Two devices, otherwise described; the description's own part says the same."""
    system = {**system_document(accelerators=2), **changes}
    system["vflops"] = {**system["vflops"], "devices": [{"name": system["accelerator_model_name"]}] * 2}
    return {"system": system, "accelerators": 2}


def devices(**changes: Any) -> dict[str, Any]:
    """Every reading of every device changed."""

    def edit(run: Run) -> None:
        for sample in run.samples:
            sample.devices = [replace(device, **changes) for device in sample.devices]

    return {"edit_run": edit, "accelerators": 2}


def idle_host(run: Run) -> None:
    for sample in run.samples:
        sample.host = replace(sample.host, cpu_percent=0)


def hungry(run: Run) -> None:
    """Two kilowatts each, by the energy counters."""
    for number, sample in enumerate(run.samples):
        sample.devices = [replace(device, energy_millijoules=200_000 * number) for device in sample.devices]


def one_device(run: Run) -> None:
    for sample in run.samples:
        sample.devices = sample.devices[:1]


def without_telemetry(run: Run) -> None:
    """Twenty seconds without a sample."""
    middle = (run.samples[0].clock_us + run.samples[-1].clock_us) // 2
    run.samples = [sample for sample in run.samples if abs(sample.clock_us - middle) > 10_000_000]


NO_DEVICE = {"accelerators_per_node": 0, "host_processor_model_name": {"unavailable": "unreadable"}}

FORGERIES = [
    Forgery(id="plausibility.no_device", name="none named", verdict=Verdict.NOTE, options=described(**NO_DEVICE)),
    Forgery(
        id="plausibility.unknown_device",
        name="at smoke",
        verdict=Verdict.NOTE,
        options=described(accelerator_model_name="Frobnicator 9000"),
    ),
    Forgery(
        id="plausibility.unknown_device",
        name="at reference scale",
        verdict=Verdict.HOLD,
        options=described(accelerator_model_name="Frobnicator 9000") | {"workload": REFERENCE},
    ),
    Forgery(id="plausibility.over_peak", name="reference in seconds", options={"workload": REFERENCE} | ACCELERATED),
    Forgery(
        id="plausibility.evaluation",
        name="on a small device",
        options=described(accelerator_model_name="NVIDIA T4") | {"workload": REFERENCE},
    ),
    Forgery(
        id="plausibility.power",
        name="two kilowatts a device",
        verdict=Verdict.HOLD,
        options={"edit_run": hungry} | ACCELERATED,
    ),
    Forgery(
        id="plausibility.telemetry_gap",
        name="twenty seconds at smoke",
        verdict=Verdict.NOTE,
        options={"edit_run": without_telemetry, "run_seconds": 30.0},
    ),
    Forgery(
        id="plausibility.telemetry_gap",
        name="twenty seconds at reference scale",
        verdict=Verdict.HOLD,
        options={"edit_run": without_telemetry, "run_seconds": 30.0, "workload": REFERENCE},
    ),
    Forgery(
        id="plausibility.no_utilisation",
        name="unreadable",
        verdict=Verdict.NOTE,
        options=devices(utilisation_percent=Unavailable("not supported")),
    ),
    Forgery(id="plausibility.idle_device", name="idle host", verdict=Verdict.HOLD, options={"edit_run": idle_host}),
    Forgery(id="plausibility.idle_device", name="idle", verdict=Verdict.HOLD, options=devices(utilisation_percent=0)),
    Forgery(
        id="plausibility.device_count",
        name="one of two",
        verdict=Verdict.HOLD,
        options={"edit_run": one_device} | ACCELERATED,
    ),
]


@pytest.mark.parametrize("forgery", FORGERIES, ids=str)
def test_the_impossible_is_found(forgery: Forgery, tmp_path: Path) -> None:
    assert_found(tmp_path, forgery)


@pytest.mark.parametrize("accelerators", [0, 1, 2, 8])
def test_an_honest_system_is_accepted(accelerators: int, tmp_path: Path) -> None:
    assert not above_note(judged(tmp_path, accelerators=accelerators))


def test_a_cpu_has_no_peak_and_its_share_is_empty(tmp_path: Path) -> None:
    document = judged(tmp_path).to_document()
    assert document["score"]["share_of_peak"] is None
    assert document["accelerator"]["peak_flops"] is None


def test_the_peak_of_all_devices_together_counts() -> None:
    case = honest_case(2)
    assert case.device is not None
    assert case.score is not None
    flops = 1.3 * max(run.flops or 0.0 for run in case.runs)  # four fifths of an interval are training
    enough = replace(case, device=replace(case.device, peak_flops=flops / 2, count=2))
    short = replace(case, device=replace(case.device, peak_flops=flops / 2, count=1))
    assert not list(plausibility.below_peak(enough))
    assert list(plausibility.below_peak(short))


def test_a_device_with_no_stated_limit_is_not_judged_by_power() -> None:
    case = honest_case(2)
    assert case.device is not None
    assert not list(
        plausibility.energy_within_limit(replace(case, device=replace(case.device, power_limit_watts=None)))
    )


def test_a_run_without_an_interval_is_no_crash() -> None:
    case = with_workload(honest_case())
    bare = replace(case.traces[0].run, lines=(), telemetry=())
    run_set = replace(case.run_set, traces=(type(case.traces[0])(bare),))
    assert not list(plausibility.telemetry_covers(replace(case, run_set=run_set)))


def test_unknown_devices_are_no_reason_to_refuse(tmp_path: Path) -> None:
    report = judged(tmp_path, **described(accelerator_model_name="Frobnicator 9000"))
    assert report.verdict.value == "accept"
    assert "plausibility.over_peak" not in ids(report)
