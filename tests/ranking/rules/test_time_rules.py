"""Time rules: clocks that go backwards, step, overlap or hide preparation are found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ranking.evidence import keys
from ranking.evidence.model import RestartClaim
from ranking.findings import Verdict
from tests.bundles import Event, Run
from tests.ranking.rules.judging import (
    REFERENCE,
    Forgery,
    above_note,
    assert_found,
    claims,
    judged,
    of_event,
    of_run,
    shift,
)

S = 1_000_000
"""Microseconds."""


def moved(key: str, by_us: int, *, index: int = 1, number: int = 0) -> dict[str, Any]:
    def move(event: Event) -> None:
        event.clock_us += by_us

    return of_event(key, move, index=index, number=number)


def clock_of(key: str, other: str, *, later_us: int = 0) -> dict[str, Any]:
    """One event takes the clock of another."""

    def take(run: Run) -> None:
        run.find(key)[0].clock_us = run.find(other)[0].clock_us + later_us

    return of_run(1, take)


def earlier(by_us: int) -> dict[str, Any]:
    """Runs but the first begin earlier."""

    def move(run: Run) -> None:
        shift(run, lambda clock_us: clock_us - by_us if run.index else clock_us)

    return {"edit_run": move}


def long_preparation(by_us: int) -> dict[str, Any]:
    """The first lines of the first run were written long before its run_start."""

    def move(run: Run) -> None:
        for event in run.events[: run.events.index(run.find(keys.INIT_STOP)[0])]:
            event.clock_us -= by_us
        run.samples = [sample for sample in run.samples if sample.clock_us >= run.find(keys.RUN_START)[0].clock_us]

    return of_run(0, move)


def stepped(by_us: int, *, at: str = keys.EVAL_ACCURACY) -> dict[str, Any]:
    """UTC steps in the middle of a run and stays."""

    def step(run: Run) -> None:
        place = run.events.index(run.find(at)[3])
        for event in run.events[place:]:
            event.utc_offset_us += by_us

    return of_run(4, step)


def rebooted(index: int, by_us: int) -> dict[str, Any]:
    """From run ``index`` on another boot: the clock begins again, UTC goes on."""

    def boot(run: Run) -> None:
        if run.index < index:
            return
        run.find(keys.BEGIN)[0].value = {**run.find(keys.BEGIN)[0].value, "boot": "f" * 64}
        for event in run.events:
            event.clock_us -= by_us
            event.utc_offset_us += by_us
        for sample in run.samples:
            sample.clock_us -= by_us

    return {"edit_run": boot}


def backwards_sample(run: Run) -> None:
    run.samples[5].clock_us = run.samples[3].clock_us - 1


def spent(**seconds: float) -> dict[str, Any]:
    return of_event(keys.INTERVAL, lambda event: event.value.update(seconds), number=3)


def dated(run: Run) -> None:
    """Telemetry was sampled by another date than the log was written by."""
    for event in run.events:
        event.utc_offset_us += 3600 * S


FORGERIES = [
    Forgery(
        id="time.run_interval", name="stop before start", options=clock_of(keys.RUN_STOP, keys.RUN_START, later_us=-1)
    ),
    Forgery(id="time.run_interval", name="all times equal", options=clock_of(keys.RUN_STOP, keys.RUN_START)),
    Forgery(id="time.backwards", name="one line early", options=moved(keys.EVAL_STOP, -2 * S, number=11)),
    Forgery(id="time.telemetry_backwards", name="one sample early", options=of_run(0, backwards_sample)),
    Forgery(id="time.evaluation", name="no time", options=clock_of(keys.EVAL_ACCURACY, keys.EVAL_START)),
    Forgery(id="time.preparation", name="31 minutes", options=long_preparation(31 * 60 * S)),
    Forgery(id="time.runs_overlap", name="second run a second early", options=earlier(3 * S)),
    Forgery(
        id="time.restarted",
        name="told at smoke",
        verdict=Verdict.NOTE,
        options=claims(restarts=(RestartClaim(run=1, reason="interrupted", lost_s=7),)),
    ),
    Forgery(id="time.created", name="a day late", verdict=Verdict.NOTE, options=claims(created="2026-12-01T20:00:00Z")),
    Forgery(id="time.parts", name="more than there was", options=spent(compute_s=60.0)),
    Forgery(id="time.parts", name="together more than there was", options=spent(compute_s=0.15, data_s=0.15)),
    Forgery(id="time.clock_step", name="telemetry's own date", verdict=Verdict.NOTE, options=of_run(1, dated)),
    Forgery(id="time.clock_step", name="forward", verdict=Verdict.NOTE, options=stepped(5 * S)),
    Forgery(id="time.clock_step", name="back", verdict=Verdict.NOTE, options=stepped(-3600 * S)),
    Forgery(
        id="time.clock_step",
        name="at reference scale",
        verdict=Verdict.HOLD,
        options=stepped(5 * S) | {"workload": REFERENCE, "run_seconds": 50.0},
    ),
]


@pytest.mark.parametrize("forgery", FORGERIES, ids=str)
def test_a_clock_that_lies_is_found(forgery: Forgery, tmp_path: Path) -> None:
    assert_found(tmp_path, forgery)


@pytest.mark.parametrize(
    "options",
    [long_preparation(29 * 60 * S), stepped(S // 2), rebooted(2, 3600 * S), earlier(S)],
    ids=["29 minutes of preparation", "half a second of UTC", "a reboot between runs", "runs close together"],
)
def test_what_honest_machines_do_is_no_finding(options: dict[str, Any], tmp_path: Path) -> None:
    assert not above_note(judged(tmp_path, **options))


def test_runs_of_two_boots_are_held_against_utc(tmp_path: Path) -> None:
    def overlap(run: Run) -> None:
        rebooted(1, 3600 * S)["edit_run"](run)
        if run.index == 1:
            for event in run.events:
                event.utc_offset_us -= 60 * S

    assert "time.runs_overlap" in {found.id for found in judged(tmp_path, edit_run=overlap).findings}


def test_data_that_is_loaded_while_training_goes_on_is_counted_beside_it(tmp_path: Path) -> None:
    overlapping = spent(compute_s=0.15, data_s=0.15) | claims(level="system", layers_changed=(7,))
    assert not above_note(judged(tmp_path, **overlapping))
