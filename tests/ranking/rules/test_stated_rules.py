"""Stated rules: what a bundle says in two ways, and lines of a log that do not meet, are found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ranking.evidence import keys
from ranking.evidence.model import Predicate
from tests.bundles import system_document
from tests.ranking.rules.judging import Forgery, above_note, assert_found, judged, of_event, value_of


def described(accelerators: int = 1, *, of_all: dict[str, Any] | None = None, **own: Any) -> dict[str, Any]:
    """A description whose own part, or whose MLPerf fields, say something else."""
    system = system_document(accelerators=accelerators) | (of_all or {})
    return {"accelerators": accelerators, "system": system | {"vflops": {**system["vflops"], **own}}}


def samples(key: str, value: int, *, number: int = 3) -> dict[str, Any]:
    return of_event(key, lambda event: event.metadata.update(samples=value), number=number)


def typed(key: str, event_type: str) -> dict[str, Any]:
    return of_event(key, lambda event: setattr(event, "event_type", event_type))


def runner(**changes: Any) -> dict[str, Any]:
    def edit_predicate(predicate: Predicate) -> Predicate:
        return replace(predicate, runner=replace(predicate.runner, **changes))

    return {"edit_predicate": edit_predicate}


TESLA = {"accelerator_model_name": "NVIDIA T4"}

FORGERIES = [
    Forgery(id="schema.submission", name="another benchmark", options=value_of(keys.SUBMISSION_BENCHMARK, "resnet")),
    Forgery(id="schema.submission", name="another system", options=value_of(keys.SUBMISSION_PLATFORM, "8 x B200")),
    Forgery(id="schema.event_type", name="a point", options=typed(keys.RUN_START, keys.POINT_IN_TIME)),
    Forgery(id="schema.event_type", name="an end", options=typed(keys.RUN_START, keys.INTERVAL_END)),
    Forgery(id="schema.event_type", name="an accuracy that ends", options=typed(keys.EVAL_ACCURACY, keys.INTERVAL_END)),
    Forgery(id="counts.block", name="begins later", options=samples(keys.BLOCK_START, 7)),
    Forgery(id="counts.block", name="begins before", options=samples(keys.BLOCK_START, 7, number=0)),
    Forgery(id="counts.block", name="evaluates before", options=samples(keys.EVAL_START, 7)),
    Forgery(id="counts.block", name="evaluated before", options=samples(keys.EVAL_STOP, 7)),
    Forgery(id="counts.block", name="ends later", options=samples(keys.BLOCK_STOP, 10**6)),
    Forgery(id="schema.system_differs", name="a hidden device", options=described(0, device="cuda")),
    Forgery(id="schema.system_differs", name="an invented device", options=described(1, device="cpu")),
    Forgery(id="schema.system_differs", name="a renamed device", options=described(1, of_all=TESLA)),
    Forgery(id="schema.system_differs", name="two of one", options=described(1, device_ids=["a", "b"])),
    Forgery(id="schema.system_differs", name="one of two", options=described(2, device_ids=["a", "a"])),
    Forgery(id="schema.system_differs", name="none of two", options=described(2, devices=[])),
    Forgery(id="schema.system_differs", name="no list of devices", options=described(1, devices=[1])),
    Forgery(id="schema.system_differs", name="another framework", options=described(torch="1.0")),
    Forgery(id="schema.system_differs", name="another source", options=runner(source_digest="0" * 64)),
    Forgery(id="schema.system_differs", name="another runner", options=runner(version="99")),
]


@pytest.mark.parametrize("forgery", FORGERIES, ids=str)
def test_what_is_said_in_two_ways_is_found(forgery: Forgery, tmp_path: Path) -> None:
    assert_found(tmp_path, forgery)


@pytest.mark.parametrize("own", [{}, {"device": None}, {"device_ids": {"unavailable": "no installation id"}}])
def test_what_is_not_said_contradicts_nothing(own: dict[str, Any], tmp_path: Path) -> None:
    system = system_document() | {"vflops": own}
    assert not above_note(judged(tmp_path, system=system))
