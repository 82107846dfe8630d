"""Quality rules: values that no evaluation gives, and sets with too few useful runs."""

from __future__ import annotations

import math
import struct
from pathlib import Path
from typing import Any

import pytest

from ranking.evidence import keys
from ranking.findings import Verdict
from tests.bundles import Run
from tests.ranking.rules.judging import (
    REFERENCE,
    SMOKE,
    Forgery,
    above_note,
    assert_found,
    ids,
    judged,
    of_run,
    value_of,
)

LAST = len(SMOKE.evaluation_points) - 1
"""Number of the last evaluation at smoke."""

SIZE = SMOKE.dataset.eval_samples
LOW = math.floor(0.85 * SMOKE.target_quality * SIZE) / SIZE
"""A quality that is a count, below the floor."""

JUST_ENOUGH = math.ceil(0.9 * SMOKE.target_quality * SIZE) / SIZE


def last_quality(value: float, *, index: int = 1) -> dict[str, Any]:
    return value_of(keys.EVAL_ACCURACY, value, index=index, number=LAST)


def jumping(run: Run) -> None:
    """Flat at a third until the last evaluation."""
    for event in run.find(keys.EVAL_ACCURACY)[:-1]:
        event.value = (SIZE // 3) / SIZE


def jumping_at_reference(run: Run) -> None:
    for event in run.find(keys.EVAL_ACCURACY)[:-1]:
        event.value = 0.3


def aborted(run: Run) -> None:
    run.find(keys.RUN_STOP)[0].metadata[keys.STATUS] = keys.ABORTED


def evaluation_loss(loss: float) -> dict[str, Any]:
    def change(run: Run) -> None:
        run.find(keys.EVAL_ACCURACY)[2].metadata["loss"] = loss

    return of_run(1, change)


def without_evaluations(run: Run) -> None:
    run.events = [event for event in run.events if event.key not in (keys.EVAL_ACCURACY, keys.EVAL_START)]


def qualities(*values: float) -> dict[str, Any]:
    return {"qualities": values}


FORGERIES = [
    Forgery(id="quality.out_of_range", name="above 1", options=last_quality(1.2)),
    Forgery(id="quality.out_of_range", name="below 0", options=last_quality(-0.1)),
    Forgery(id="quality.not_a_count", name="a third of a sample", options=last_quality((SIZE - 17.35) / SIZE)),
    Forgery(id="quality.not_a_count", name="a little better", options=last_quality((SIZE - 17) / SIZE + 0.07 / SIZE)),
    Forgery(id="quality.missing", name="never evaluated", options=of_run(1, without_evaluations)),
    Forgery(id="quality.aborted", name="one", verdict=Verdict.NOTE, options=of_run(1, aborted)),
    Forgery(id="quality.below_floor", name="one", verdict=Verdict.NOTE, options=last_quality(LOW)),
    Forgery(id="quality.too_many_useless", name="two low", options=qualities(0.95, LOW, 0.95, LOW, 0.95)),
    Forgery(id="quality.too_many_useless", name="all aborted", options={"edit_run": aborted}),
    Forgery(id="quality.no_score", name="two low", options=qualities(0.95, LOW, 0.95, LOW, 0.95)),
    Forgery(id="quality.no_score", name="four runs", options={"runs": 4}),
    Forgery(id="quality.jump", name="at smoke", verdict=Verdict.NOTE, options=of_run(1, jumping)),
    Forgery(
        id="quality.jump",
        name="at reference scale",
        verdict=Verdict.HOLD,
        options=of_run(1, jumping_at_reference) | {"workload": REFERENCE},
    ),
    Forgery(id="quality.loss_differs", name="lower than accuracy allows", options=evaluation_loss(0.001)),
    Forgery(id="quality.loss_differs", name="negative", options=evaluation_loss(-1.0)),
]


@pytest.mark.parametrize("forgery", FORGERIES, ids=str)
def test_a_quality_that_cannot_be_is_found(forgery: Forgery, tmp_path: Path) -> None:
    assert_found(tmp_path, forgery)


def test_one_useless_run_ranks_as_worst_and_the_set_is_accepted(tmp_path: Path) -> None:
    report = judged(tmp_path, **qualities(0.95, LOW, 0.95, 0.96, 0.94))
    document = report.to_document()
    assert not above_note(report)
    assert [run["counted"] for run in document["runs"]].count(True) == 3
    assert (document["runs"][1]["useless"], document["runs"][1]["counted"]) == (True, False)


def test_exactly_nine_tenths_of_the_target_is_enough(tmp_path: Path) -> None:
    report = judged(tmp_path, **qualities(JUST_ENOUGH, 0.95, 0.96, 0.955, 0.945))
    assert "quality.below_floor" not in ids(report)


def test_an_accuracy_in_single_precision_is_still_a_count(tmp_path: Path) -> None:
    rounded = struct.unpack("f", struct.pack("f", (SIZE - 17) / SIZE))[0]
    assert not above_note(judged(tmp_path, **last_quality(rounded)))
