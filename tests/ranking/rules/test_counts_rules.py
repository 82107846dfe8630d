"""Count rules: runs, samples, steps, evaluations and checkpoints that are too few, too many or not their own."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from ranking.evidence import keys
from ranking.evidence.model import Predicate
from ranking.evidence.seeds import own_seeds
from ranking.rules.counts import _ends_a_step
from tests.bundles import NONCE, Event, Run, safetensors
from tests.ranking.rules.judging import (
    SMOKE,
    Forgery,
    above_note,
    assert_found,
    configured,
    ids,
    judged,
    of_event,
    of_run,
    value_of,
)
from workloads.definition import Precision, find

SEEDS = own_seeds(NONCE, 5)
POINTS = SMOKE.evaluation_points
BATCH = SMOKE.default_global_batch_size
HALF = SMOKE.dataset.eval_samples // 2
LONGER = {"samples": POINTS[0] + 1, "loss": 1.0}
KEPT: dict[str, Any] = {}


def nearly_copied(run: Run) -> None:
    """As ``copied``, and every loss a little different."""
    copied(run)
    for event in run.find(keys.EVAL_ACCURACY):
        event.metadata["loss"] *= 1 + run.index / 1_000


def copied(run: Run) -> None:
    """The second run tells the losses of the first, at clocks and with a seed of its own."""
    if run.index == 0:
        KEPT["losses"] = [event.metadata["loss"] for event in run.find(keys.EVAL_ACCURACY)]
        KEPT["interval losses"] = [event.value["loss"] for event in run.find(keys.INTERVAL)]
    elif run.index == 1:
        for event, loss in zip(run.find(keys.EVAL_ACCURACY), KEPT["losses"], strict=True):
            event.metadata["loss"] = loss
        for event, loss in zip(run.find(keys.INTERVAL), KEPT["interval losses"], strict=True):
            event.value["loss"] = loss


def same_weights(run: Run) -> None:
    """All runs end with the very same file."""
    run.checkpoints[-1] = safetensors({"weights": [1.0] * 4})
    log_checkpoint(run, len(run.checkpoints) - 1)


def log_checkpoint(run: Run, number: int) -> None:
    data, value = run.checkpoints[number], run.find(keys.CHECKPOINT)[number].value
    value.update(sha256=sha256(data).hexdigest(), bytes=len(data))


def changed_weights(run: Run) -> None:
    run.checkpoints[3] = safetensors({"weights": [9.0] * 4})


def without_interval(run: Run) -> None:
    """The third interval is gone, checkpoint and all."""
    first, after = (run.events.index(run.find(keys.BLOCK_START)[number]) for number in (2, 3))
    del run.events[first:after]
    del run.checkpoints[2]
    for number, event in enumerate(run.find(keys.CHECKPOINT), start=1):
        event.value["name"] = f"runs/{run.index}/checkpoints/{number:05}.safetensors"


def shifted_evaluation(run: Run) -> None:
    """The second evaluation a step later than the schedule has it."""
    for key in (keys.EVAL_ACCURACY, keys.CHECKPOINT):
        run.find(key)[1].metadata["samples"] += BATCH
    run.find(keys.EVAL_ACCURACY)[1].metadata["epoch_num"] += BATCH / SMOKE.dataset.train_samples
    run.find(keys.INTERVAL)[1].value["samples"] += BATCH


def trained_on(run: Run) -> None:
    run.find(keys.PROGRESS)[-1].value["samples"] = SMOKE.total_samples + BATCH


def stopped_early(run: Run) -> None:
    """The last four intervals are gone, and a run_stop that says success."""
    end = run.events.index(run.find(keys.BLOCK_START)[-4])
    run.events = [*run.events[:end], *run.events[-2:]]
    run.checkpoints = run.checkpoints[: len(run.find(keys.CHECKPOINT))]


def forgotten_checkpoint(run: Run) -> None:
    run.events.remove(run.find(keys.CHECKPOINT)[5])


def misplaced_checkpoint(event: Event) -> None:
    event.metadata["samples"] -= 1


def metadata(key: str, **changes: Any) -> dict[str, Any]:
    return of_event(key, lambda event: event.metadata.update(changes), number=4)


def progress(samples: int, *, number: int = 4) -> dict[str, Any]:
    return value_of(keys.PROGRESS, {"samples": samples, "loss": 1.0}, number=number)


def extra_file(run: Run) -> None:
    run.checkpoints.append(safetensors({"weights": [3.0, float(run.index)]}))


FORGERIES = [
    Forgery(id="counts.runs", name="four runs", options={"runs": 4}),
    Forgery(id="counts.runs", name="six runs", options={"runs": 6}),
    Forgery(id="counts.runs", name="one run", options={"runs": 1}),
    Forgery(id="counts.equal_seeds", name="two of one", options={"seeds": (*SEEDS[:4], SEEDS[0])}),
    Forgery(id="counts.equal_seeds", name="all of one", options={"seeds": SEEDS[:1] * 5}),
    Forgery(id="counts.seed_differs", name="another in the log", options=value_of(keys.SEED, 12345)),
    Forgery(id="counts.equal_logs", name="a copy with another seed", options={"edit_run": copied}),
    Forgery(id="counts.equal_logs", name="a copy with other digits", options={"edit_run": nearly_copied}),
    Forgery(id="counts.equal_weights", name="one file five times", options={"edit_run": same_weights}),
    Forgery(id="counts.evaluation_schedule", name="one missing", options=of_run(2, without_interval)),
    Forgery(id="counts.evaluation_schedule", name="one late", options=of_run(2, shifted_evaluation)),
    Forgery(id="counts.evaluation_schedule", name="the last ones missing", options=of_run(2, stopped_early)),
    Forgery(
        id="counts.eval_samples",
        name="half the set",
        options=metadata(keys.EVAL_ACCURACY, eval_samples=HALF),
    ),
    Forgery(id="counts.dataset", name="fewer images", options=value_of(keys.TRAIN_SAMPLES, 1000)),
    Forgery(id="counts.dataset", name="fewer test images", options=value_of(keys.EVAL_SAMPLES, 100)),
    Forgery(id="counts.global_batch_size", name="another in the log", options=value_of(keys.GLOBAL_BATCH_SIZE, 64)),
    Forgery(id="counts.total_samples", name="stopped early", options=of_run(2, stopped_early)),
    Forgery(id="counts.total_samples", name="trained on", options=of_run(2, trained_on)),
    Forgery(
        id="counts.interval",
        name="two counts",
        options=value_of(keys.INTERVAL, LONGER),
    ),
    Forgery(id="counts.progress", name="decreasing", options=progress(1)),
    Forgery(id="counts.steps", name="within a step", options=progress(POINTS[3] + 1)),
    Forgery(id="counts.epoch", name="a later epoch", options=metadata(keys.EVAL_ACCURACY, epoch_num=3.5)),
    Forgery(id="counts.checkpoint_schedule", name="forgotten", options=of_run(0, forgotten_checkpoint)),
    Forgery(id="counts.checkpoint_schedule", name="misplaced", options=of_event(keys.CHECKPOINT, misplaced_checkpoint)),
    Forgery(
        id="counts.checkpoint_missing",
        name="not in the bundle",
        options={"edit_files": lambda files: files.pop(f"runs/1/checkpoints/{len(POINTS):05}.safetensors")},
    ),
    Forgery(id="counts.checkpoint_differs", name="changed afterwards", options=of_run(1, changed_weights)),
    Forgery(id="counts.checkpoint_unlogged", name="one more", options=of_run(1, extra_file)),
    Forgery(
        id="counts.telemetry_head",
        name="another head",
        options=value_of(keys.TELEMETRY, {"records": 3, "head": "0" * 64}),
    ),
    Forgery(
        id="counts.telemetry_head",
        name="more records than there are",
        options=value_of(keys.TELEMETRY, {"records": 1_000_000, "head": "0" * 64}),
    ),
]


@pytest.mark.parametrize("forgery", FORGERIES, ids=str)
def test_a_wrong_count_is_found(forgery: Forgery, tmp_path: Path) -> None:
    assert_found(tmp_path, forgery)


def test_an_extra_evaluation_names_its_line(tmp_path: Path) -> None:
    def again(run: Run) -> None:
        first, after = (run.events.index(run.find(keys.BLOCK_START)[number]) for number in (2, 3))
        run.events[after:after] = run.events[first:after]

    found = next(f for f in judged(tmp_path, **of_run(2, again)).findings if f.id == "counts.evaluation_schedule")
    assert found.expected == f"evaluation 4 at {POINTS[3]} samples, {len(POINTS)} in all"
    assert found.got == f"evaluation 4 at {POINTS[2]} samples, {len(POINTS) + 1}"


def test_level_system_counts_no_steps_of_the_released_code(tmp_path: Path) -> None:
    def edit(predicate: Predicate) -> Predicate:
        return replace(predicate, level="system", layers_changed=(7,))

    assert not above_note(judged(tmp_path, **progress(POINTS[3] + 1), edit_predicate=edit))


def test_an_aborted_run_may_lack_evaluations(tmp_path: Path) -> None:
    def abort(run: Run) -> None:
        stopped_early(run)
        run.find(keys.RUN_STOP)[0].metadata["status"] = keys.ABORTED

    assert not ids(judged(tmp_path, **of_run(2, abort))) & {"counts.evaluation_schedule", "counts.total_samples"}


@pytest.mark.parametrize("batch", [1, 7, 32, 100, 128, 10_000])
def test_ends_of_steps_are_those_of_the_released_code(batch: int) -> None:
    points = (0, *SMOKE.evaluation_points)
    ends = set()
    for first, last in pairwise(points):
        steps = -(-(last - first) // batch)
        ends |= {first + step * (last - first) // steps for step in range(1, steps + 1)}
    assert {samples for samples in range(SMOKE.total_samples + 2) if _ends_a_step(samples, points, batch)} == ends


def test_the_engine_ends_steps_where_the_rule_expects_them() -> None:
    schedule = pytest.importorskip("workloads.engine.schedule")
    for workload in (SMOKE, find("image_classification", "lite", "1")):
        points = (0, *workload.evaluation_points)
        batch = workload.default_global_batch_size
        ends = [first + stop for first in points[:1] for _, stop in schedule.step_bounds(points[1], batch)]
        assert all(_ends_a_step(samples, points, batch) for samples in ends)


def test_threads_are_free(tmp_path: Path) -> None:
    assert not above_note(judged(tmp_path, **configured(threads=64, precision=Precision.FP32.value)))
