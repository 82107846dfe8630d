"""What a run set may be asked to do: refused before anything runs, or resolved into a plan that survives a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner import plan as plans
from runner.errors import Exit, RunnerError, UsageError
from runner.plan import RunSetRequest
from tests.runner.plans import SMOKE, make_plan
from workloads.definition import Configuration, Level, Precision, released

Check = Callable[[RunSetRequest], object]


def request(**options: Any) -> RunSetRequest:
    return RunSetRequest(**{"workload": "image_classification", "scale": "smoke"} | options)


def configured(asked: RunSetRequest) -> Configuration:
    return plans.configuration_of(asked, SMOKE)


def levelled(asked: RunSetRequest) -> Level:
    return plans.level_of(asked, configured(asked), SMOKE)


@pytest.mark.parametrize(
    ("options", "check", "id"),
    [
        ({"workload": "nothing"}, plans.workload_of, "usage.workload"),
        ({"scale": "huge"}, plans.workload_of, "usage.workload"),
        ({"global_batch_size": SMOKE.learning_rate.max_global_batch_size + 1}, configured, "level.global_batch_size"),
        ({"global_batch_size": -1}, configured, "level.global_batch_size"),
        ({"global_batch_size": 0}, configured, "level.global_batch_size"),
        ({"threads": 0}, configured, "usage.threads"),
        ({"precision": "bf16", "level": "hardware"}, levelled, "level.configuration"),
        ({"precision": "tf32", "level": "hardware"}, levelled, "level.configuration"),
        ({"channels_last": True, "level": "hardware"}, levelled, "level.configuration"),
        ({"compile": True, "level": "hardware"}, levelled, "level.configuration"),
        ({"system_name": "x" * 101}, plans.check_names, "usage.system_name"),
        ({"system_name": "two\nlines"}, plans.check_names, "usage.system_name"),
        ({"organisation": "Not A Slug"}, plans.check_names, "usage.organisation"),
    ],
)
def test_a_request_beyond_the_rules_is_refused_by_its_id(options: dict[str, Any], check: Check, id: str) -> None:
    with pytest.raises(UsageError) as refused:
        check(request(**options))
    assert refused.value.problem.id == id
    assert refused.value.status == Exit.USAGE


@pytest.mark.parametrize(
    ("options", "level", "layers"),
    [
        ({}, Level.HARDWARE, ()),
        ({"global_batch_size": 64, "threads": 2}, Level.HARDWARE, ()),
        ({"precision": "bf16"}, Level.SYSTEM, (7,)),
        ({"channels_last": True}, Level.SYSTEM, (7,)),
        ({"compile": True}, Level.SYSTEM, (7,)),
        ({"level": "free"}, Level.FREE, ()),
        ({"level": "system"}, Level.SYSTEM, ()),
    ],
)
def test_the_level_is_the_lowest_that_allows_what_was_chosen(
    options: dict[str, Any], level: Level, layers: tuple[int, ...]
) -> None:
    asked = request(**options)
    assert levelled(asked) is level
    assert plans.layers_changed(configured(asked), SMOKE) == layers


def test_what_is_not_given_comes_from_the_definition() -> None:
    assert configured(request()) == released(SMOKE)


@given(
    precision=st.sampled_from(Precision),
    threads=st.none() | st.integers(1, 64),
    flags=st.tuples(st.booleans(), st.booleans()),
    name=st.text(max_size=100),
    level=st.sampled_from(Level),
)
def test_a_plan_comes_back_from_its_file(
    precision: Precision, threads: int | None, flags: tuple[bool, bool], name: str, level: Level
) -> None:
    configuration = Configuration(
        global_batch_size=32, precision=precision, channels_last=flags[0], compile=flags[1], threads=threads
    )
    plan = make_plan(Path("/out"), configuration=configuration, level=level, system_name=name, layers_changed=(7,))
    assert plans.from_json(plans.to_json(plan), Path("plan.json")) == plan


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"null", b'{"format": 2}', b"\xff"])
def test_a_damaged_plan_is_refused_in_words(data: bytes) -> None:
    with pytest.raises(RunnerError) as refused:
        plans.from_json(data, Path("plan.json"))
    assert refused.value.problem.id == "resume.unreadable"
