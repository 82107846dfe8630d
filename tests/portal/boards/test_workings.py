"""The workings of a score can be recomputed by hand from what the page shows."""

from __future__ import annotations

import re

import pytest

from portal.boards.workings import Step, workings
from tests.portal.boards.documents import document


def recomputed(step: Step) -> float:
    """The sum of a step, calculated as it stands, its units left out."""
    plain = (
        re.sub(r"FLOP/s|FLOP|samples|\bs\b|,", "", step.sum).replace("\N{MULTIPLICATION SIGN}", "*").replace("^", "**")
    )
    assert re.fullmatch(r"[\d\s.e+*/()-]+", plain)
    return float(eval(plain))  # noqa: S307 - digits and operators alone, as asserted


def number(text: str) -> float:
    """The first number of an outcome."""
    return float(text.split(maxsplit=1)[0])


def test_every_step_gives_its_outcome() -> None:
    """From the samples to Valid FLOPS."""
    _choice, *steps = workings(document())
    assert len(steps) == 6
    for step in steps:
        assert recomputed(step) == pytest.approx(number(step.outcome), rel=1e-5)


def test_the_last_step_is_the_score() -> None:
    """What the page begins with."""
    assert number(workings(document())[-1].outcome) == pytest.approx(document()["score"]["valid_flops"], rel=1e-6)


def test_the_first_step_orders_all_runs_and_names_those_that_count() -> None:
    """A run without a score comes first, as the worst."""
    given = document()
    given["runs"][4]["valid_flops"] = None
    choice = workings(given)[0]
    assert re.findall(r"run (\d)", choice.sum) == ["5", "3", "1", "2", "4"]
    assert choice.outcome == "run 1, run 2, run 3"


def test_where_lower_is_better_the_ratio_is_turned_over() -> None:
    """Target over achieved."""
    factor = workings(document(), lower_is_better=True)[5]
    assert factor.sum == "(0.9 / 0.910000)^5"


def test_without_a_score_there_are_no_workings() -> None:
    """A rejected set may have none."""
    assert workings(document(score=None)) == ()
