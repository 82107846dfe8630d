"""Telemetry rules: telemetry of another run or another time, and readings that contradict each other, are found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ranking.evidence import keys
from ranking.evidence.model import Unavailable
from ranking.findings import Verdict
from tests.bundles import Run
from tests.ranking.rules.judging import Forgery, above_note, assert_found, ids, judged, of_run, shift

ONE = {"accelerators": 1}
KEPT: dict[str, Any] = {}
Change = Callable[[Any, int], Any]


def slowed(run: Run) -> None:
    """From its start on, both clocks of a run went at half their speed."""
    start = run.find(keys.RUN_START)[0].clock_us
    stamped: list[Any] = [*run.events, *run.samples]
    for said in stamped:
        said.clock_us = min(said.clock_us, start + (said.clock_us - start) // 2)


def vouched(records: int) -> Callable[[Run], None]:
    """Every line vouches for as many records as at the first evaluation."""

    def edit(run: Run) -> None:
        for event in run.find(keys.TELEMETRY):
            event.value = {"records": records, "head": "0" * 64}

    return edit


def of_the_first_run(run: Run) -> None:
    """The second run shows the readings of the first, at its own clock."""
    if run.index == 0:
        KEPT["samples"] = list(run.samples)
    elif run.index == 1:
        for own, other in zip(run.samples, KEPT["samples"], strict=False):
            own.host, own.devices = other.host, other.devices


def devices(change: Change) -> Callable[[Run], None]:
    """Every device's reading changed, by the number of the sample."""

    def edit(run: Run) -> None:
        for number, sample in enumerate(run.samples):
            sample.devices = [change(device, number) for device in sample.devices]

    return edit


def host(**changes: Any) -> Callable[[Run], None]:
    def edit(run: Run) -> None:
        run.samples[7].host = replace(run.samples[7].host, **changes)

    return edit


def reading(**changes: Any) -> Callable[[Run], None]:
    return devices(lambda device, number: replace(device, **changes) if number == 7 else device)


def energy(count: Callable[[Any, int], int]) -> Callable[[Run], None]:
    return devices(lambda device, number: replace(device, energy_millijoules=count(device, number)))


def falling(device: Any, number: int) -> int:
    return int(device.energy_millijoules) - (10_000_000 if number > 15 else 0)


def package(run: Run) -> None:
    for number, sample in enumerate(run.samples):
        sample.package_energy_microjoules = 10**9 - number


def held(id: str, name: str, edit: Callable[[Run], None], **options: Any) -> Forgery:
    return Forgery(id=id, name=name, verdict=Verdict.HOLD, options={**of_run(1, edit), **options})


FORGERIES = [
    Forgery(id="time.telemetry_order", name="vouched for too early", options=of_run(1, vouched(20))),
    Forgery(id="time.telemetry_order", name="vouched for too late", options=of_run(1, vouched(1))),
    Forgery(id="time.telemetry_order", name="nothing vouched for", options=of_run(1, vouched(0))),
    held("time.telemetry_period", "both slowed down", slowed),
    Forgery(id="counts.equal_telemetry", name="another run's", options={"edit_run": of_the_first_run}),
    Forgery(id="counts.equal_telemetry", name="with devices", options={"edit_run": of_the_first_run} | ONE),
    Forgery(id="plausibility.reading", name="negative power", options=of_run(1, reading(power_watts=-1)) | ONE),
    Forgery(id="plausibility.reading", name="power of a city", options=of_run(1, reading(power_watts=1e9)) | ONE),
    Forgery(id="plausibility.reading", name="busy twice", options=of_run(1, reading(utilisation_percent=200)) | ONE),
    Forgery(id="plausibility.reading", name="colder than space", options=of_run(1, reading(temperature_c=-300)) | ONE),
    Forgery(id="plausibility.reading", name="host busy twice", options=of_run(1, host(cpu_percent=200))),
    Forgery(id="plausibility.reading", name="negative memory", options=of_run(1, host(memory_used_bytes=-1))),
    Forgery(id="plausibility.reading", name="endless load", options=of_run(1, host(load_1m=1e308))),
    held("plausibility.counter", "within a run", energy(falling), **ONE),
    held("plausibility.counter", "from run to run", energy(lambda _, number: 25_050 * number), **ONE),
    held("plausibility.counter", "of the packages", package),
    held(
        "plausibility.energy_differs",
        "a tenth",
        energy(lambda device, _: int(device.energy_millijoules) // 10),
        run_seconds=20.0,
        **ONE,
    ),
    held(
        "plausibility.energy_differs",
        "a clock slowed down",
        slowed,
        run_seconds=20.0,
        **ONE,
    ),
]


@pytest.mark.parametrize("forgery", FORGERIES, ids=str)
def test_telemetry_that_is_not_this_runs_is_found(forgery: Forgery, tmp_path: Path) -> None:
    assert_found(tmp_path, forgery)


def test_a_machine_that_can_read_nothing_but_its_load_is_no_copy_of_itself(tmp_path: Path) -> None:
    unknown = Unavailable("no permission")

    def edit(run: Run) -> None:
        for sample in run.samples:
            sample.host = replace(
                sample.host, memory_used_bytes=unknown, read_bytes=unknown, written_bytes=unknown, cpu_percent=100
            )

    assert not above_note(judged(tmp_path, edit_run=edit))


def test_counters_begin_again_with_another_boot(tmp_path: Path) -> None:
    def edit(run: Run) -> None:
        begin = run.find(keys.BEGIN)[0]
        begin.value = {**begin.value, "boot": f"{run.index:064x}"}
        energy(lambda _, number: 25_050 * number)(run)

    assert "plausibility.counter" not in ids(judged(tmp_path, edit_run=edit, accelerators=1))


def test_a_late_first_sample_after_a_line_is_no_finding(tmp_path: Path) -> None:
    def edit(run: Run) -> None:
        run.samples = [sample for number, sample in enumerate(run.samples) if number % 5 == 0]

    assert not above_note(judged(tmp_path, edit_run=edit))


def test_a_whole_set_may_be_later(tmp_path: Path) -> None:
    assert not above_note(judged(tmp_path, edit_run=lambda run: shift(run, lambda clock_us: clock_us + 10**9)))
