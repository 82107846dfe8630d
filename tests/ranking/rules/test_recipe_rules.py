"""Recipe rules: other schedules, further hyper-parameters and undeclared changes are found below level free."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ranking.evidence import keys
from tests.bundles import Event, Run
from tests.ranking.rules.judging import Forgery, above_note, assert_found, claims, configured, ids, judged, value_of


def with_line(key: str, value: object) -> dict[str, Any]:
    """One more line during preparation, in every run."""

    def insert(run: Run) -> None:
        place = run.events.index(run.find(keys.INIT_STOP)[0])
        run.events.insert(place, Event(key, value, run.events[place].clock_us))

    return {"edit_run": insert}


def without(key: str) -> dict[str, Any]:
    def drop(run: Run) -> None:
        run.events = [event for event in run.events if event.key != key]

    return {"edit_run": drop}


SCHEDULE = "opt_learning_rate_schedule"

FORGERIES = [
    Forgery(id="level.schedule", name="steps", options=value_of(SCHEDULE, "step")),
    Forgery(id="level.schedule", name="untold", options=without(SCHEDULE)),
    Forgery(
        id="level.schedule", name="steps at level system", options=value_of(SCHEDULE, "step") | claims(level="system")
    ),
    Forgery(id="level.schedule", name="gathered", options=value_of(keys.GRADIENT_ACCUMULATION_STEPS, 8)),
    Forgery(id="level.extra_hyperparameter", name="mixup", options=with_line("mixup_alpha", 0.2)),
    Forgery(id="level.extra_hyperparameter", name="precision in the log", options=with_line("precision", "bf16")),
    Forgery(id="level.undeclared", name="bf16", options=configured(precision="bf16")),
    Forgery(id="level.undeclared", name="compiled", options=configured(compile=True)),
]


@pytest.mark.parametrize("forgery", FORGERIES, ids=str)
def test_another_recipe_is_found(forgery: Forgery, tmp_path: Path) -> None:
    assert_found(tmp_path, forgery)


@pytest.mark.parametrize("options", [value_of(SCHEDULE, "step"), with_line("mixup_alpha", 0.2)])
def test_level_free_sets_what_it_wants(options: dict[str, Any], tmp_path: Path) -> None:
    assert not above_note(judged(tmp_path, **options, **claims(level="free", layers_changed=(8,))))


def test_level_system_may_gather_gradients_of_a_batch(tmp_path: Path) -> None:
    options = value_of(keys.GRADIENT_ACCUMULATION_STEPS, 8) | claims(level="system", layers_changed=(6,))
    assert "level.schedule" not in ids(judged(tmp_path, **options))


def test_a_declared_change_is_no_finding(tmp_path: Path) -> None:
    report = judged(tmp_path, **claims(level="system", layers_changed=(7,)))
    assert not above_note(report)
