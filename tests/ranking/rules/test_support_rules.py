"""Support rules: a quality that its loss or the reference runs do not support is found; honest sets never are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from ranking.case import Case
from ranking.evidence import keys
from ranking.findings import Verdict
from ranking.reference import reference_of
from ranking.rules import support
from ranking.trace import Trace
from tests.bundles import Run
from tests.ranking.rules.judging import (
    SMOKE,
    Forgery,
    above_note,
    assert_found,
    claims,
    honest_case,
    ids,
    judged,
    of_run,
    value_of,
    with_workload,
)
from workloads import calibration
from workloads.definition import Workload, find

LITE = find("image_classification", "lite", "1")
LAST = len(SMOKE.evaluation_points) - 1
SETS = 500


def last(quality: float | None = None, loss: float | None = None) -> Callable[[Run], None]:
    """Another quality or loss at the last evaluation."""

    def edit(run: Run) -> None:
        event = run.find(keys.EVAL_ACCURACY)[-1]
        event.value = event.value if quality is None else quality
        event.metadata["loss"] = event.metadata["loss"] if loss is None else loss

    return edit


def lite(quality: float, loss: float) -> dict[str, Any]:
    """A set at lite that ends so, in every run; before it, it goes up in small steps."""

    def edit(run: Run) -> None:
        for before, event in enumerate(reversed(run.find(keys.EVAL_ACCURACY))):
            event.value = round(quality - before / 500, 4)
        last(quality, loss)(run)

    return {"workload": LITE, "edit_run": edit, "run_seconds": 10.0, **claims_of(LITE)}


def claims_of(workload: Workload) -> dict[str, Any]:
    """The released configuration of a workload."""

    def edit_predicate(predicate: Any) -> Any:
        configuration = replace(
            predicate.configuration,
            channels_last=workload.channels_last,
            global_batch_size=workload.default_global_batch_size,
        )
        return replace(predicate, configuration=configuration)

    return {"edit_predicate": edit_predicate}


FORGERIES = [
    Forgery(
        id="quality.negative_loss",
        name="of training",
        options=of_run(1, lambda run: run.find(keys.INTERVAL)[3].value.update(loss=-0.5)),
    ),
    Forgery(
        id="quality.negative_loss", name="of progress", options=value_of(keys.PROGRESS, {"samples": 1, "loss": -1})
    ),
    Forgery(id="quality.beyond_loss", name="all right in every run", options={"edit_run": last(quality=1)}),
    Forgery(id="quality.beyond_loss", name="a loss of nothing right", options={"edit_run": last(loss=50.0)}),
    Forgery(id="quality.beyond_loss", name="raised at lite", options=lite(0.93, 0.325)),
    Forgery(
        id="quality.beyond_reference",
        name="raised with its loss",
        verdict=Verdict.HOLD,
        options=lite(0.93, 0.188),
    ),
    Forgery(
        id="quality.beyond_reference",
        name="a little in every run",
        verdict=Verdict.HOLD,
        options=lite(0.895, 0.282),
    ),
]


@pytest.mark.parametrize("forgery", FORGERIES, ids=str)
def test_an_unsupported_quality_is_found(forgery: Forgery, tmp_path: Path) -> None:
    assert_found(tmp_path, forgery)


def test_an_honest_set_at_lite_is_accepted(tmp_path: Path) -> None:
    assert not above_note(judged(tmp_path, **lite(0.8791, 0.3244)))


def test_level_free_is_not_held_against_the_recipe(tmp_path: Path) -> None:
    report = judged(tmp_path, edit_run=last(quality=1), **claims(level="free", layers_changed=(8,)))
    assert not ids(report) & {"quality.beyond_loss", "quality.beyond_reference"}


def drawn(case: Case, workload: Workload, random: Random) -> Case:
    """The case with the last evaluations of five reference runs."""
    runs = random.choices(calibration.read(workload), k=workload.runs)
    traces = []
    for trace, run in zip(case.traces, runs, strict=True):
        told = Trace(trace.run)
        end = replace(trace.evaluations[-1], quality=run.quality, loss=run.loss)
        told.__dict__["evaluations"] = (*trace.evaluations[:-1], end)
        traces.append(told)
    return replace(case, run_set=replace(case.run_set, traces=tuple(traces)))


@pytest.mark.parametrize("workload", [SMOKE, LITE], ids=["smoke", "lite"])
def test_no_set_drawn_from_reference_runs_is_found(workload: Workload) -> None:
    case = replace(
        with_workload(honest_case(), target_quality=workload.target_quality), reference=reference_of(workload)
    )
    batch = workload.default_global_batch_size
    statement = case.run_set.statement
    configuration = replace(statement.predicate.configuration, global_batch_size=batch)
    predicate = replace(statement.predicate, configuration=configuration)
    case = replace(case, run_set=replace(case.run_set, statement=replace(statement, predicate=predicate)))
    random = Random(workload.id)
    for _ in range(SETS):
        told = drawn(case, workload, random)
        assert not [*support.supported_by_loss(told), *support.within_reference(told)]
