"""Checkpoint rules: files of another run, moment, network or precision, and the same weights twice, are found."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from ranking.evidence import canonical, keys
from ranking.findings import Verdict
from tests.bundles import NONCE, Run, checkpoint_bytes, safetensors, training_checkpoint
from tests.ranking.rules.judging import (
    SMOKE,
    Forgery,
    above_note,
    assert_found,
    configured,
    ids,
    judged,
    of_run,
)

POINTS = SMOKE.evaluation_points
KEPT: dict[str, bytes] = {}


def put(run: Run, number: int, data: bytes) -> None:
    """Replace a checkpoint, and let the log vouch for the new one."""
    run.checkpoints[number] = data
    run.find(keys.CHECKPOINT)[number].value.update(sha256=sha256(data).hexdigest(), bytes=len(data))


def checkpoint(**changes: Any) -> Callable[[Run], None]:
    """The third checkpoint of a run stands for something else."""

    def edit(run: Run) -> None:
        said = {"workload": SMOKE.id, "seed": run.seed, "interval": 2, "samples": POINTS[2], **changes}
        put(run, 2, training_checkpoint(said.pop("workload"), **said))

    return edit


def reheaded(change: Callable[[dict[str, Any]], None], number: int = 2) -> Callable[[Run], None]:
    """The third checkpoint of a run with another header before the same data."""

    def edit(run: Run) -> None:
        data = run.checkpoints[number]
        end = 8 + int.from_bytes(data[:8], "little")
        header = json.loads(data[8:end])
        change(header)
        put(run, number, checkpoint_bytes(canonical.dumps(header), data[end:]))

    return edit


def renamed(before: str, after: str) -> Callable[[dict[str, Any]], None]:
    return lambda header: header.update({after: header.pop(before)})


def halved(header: dict[str, Any]) -> None:
    """Twice as many weights of half the width, in the same bytes."""
    header["model.fc.weight"].update(dtype="BF16", shape=[8, 1])


def all_halved(run: Run) -> None:
    for number in range(len(run.checkpoints)):
        reheaded(halved, number)(run)


def copied_but_for_its_place(run: Run) -> None:
    """The last checkpoint has the weights of the one before, at a place of its own."""
    before = run.checkpoints[-2]
    put(run, -1, run.checkpoints[-1][:-16] + before[-16:])


def of_the_first_run(run: Run) -> None:
    """The second run ends with the weights of the first."""
    if run.index == 0:
        KEPT["weights"] = run.checkpoints[-1][-16:]
    elif run.index == 1:
        put(run, -1, run.checkpoints[-1][:-16] + KEPT["weights"])


def on_an_accelerator(run: Run) -> None:
    for number in range(len(run.checkpoints)):
        reheaded(renamed("model.fc.weight", "rng.torch_cuda"), number)(run)


def without_weights(run: Run) -> None:
    put(run, 2, safetensors({"optimizer.fc.weight.momentum_buffer": [float(run.seed)]}))


FORGERIES = [
    Forgery(id="counts.checkpoint_position", name="another seed", options=of_run(1, checkpoint(seed=7))),
    Forgery(id="counts.checkpoint_position", name="another moment", options=of_run(1, checkpoint(samples=POINTS[3]))),
    Forgery(id="counts.checkpoint_position", name="another interval", options=of_run(1, checkpoint(interval=3))),
    Forgery(
        id="counts.checkpoint_position",
        name="another workload",
        options=of_run(1, checkpoint(workload="image_classification/lite/1")),
    ),
    Forgery(
        id="counts.checkpoint_position",
        name="no seed",
        options=of_run(1, reheaded(renamed("rng.seed", "rng.other"))),
    ),
    Forgery(id="counts.equal_weights", name="twice in a run", options=of_run(1, copied_but_for_its_place)),
    Forgery(id="counts.equal_weights", name="twice in a set", options={"edit_run": of_the_first_run}),
    Forgery(id="counts.checkpoint_tensors", name="no weights", options=of_run(1, without_weights)),
    Forgery(
        id="counts.checkpoint_tensors",
        name="another network",
        options=of_run(1, reheaded(renamed("model.fc.weight", "model.head.weight"))),
    ),
    Forgery(id="counts.checkpoint_tensors", name="another width", options=of_run(1, reheaded(halved))),
    Forgery(id="level.checkpoint_precision", name="bf16 as fp32", options={"edit_run": all_halved}),
    Forgery(
        id="plausibility.hidden_device",
        name="not described",
        verdict=Verdict.HOLD,
        options={"edit_run": on_an_accelerator},
    ),
]


@pytest.mark.parametrize("forgery", FORGERIES, ids=str)
def test_a_checkpoint_that_is_not_this_runs_is_found(forgery: Forgery, tmp_path: Path) -> None:
    assert_found(tmp_path, forgery)


def test_narrow_weights_are_allowed_where_the_precision_is_narrow(tmp_path: Path) -> None:
    report = judged(tmp_path, edit_run=all_halved, **configured(precision="bf16"))
    assert "level.checkpoint_precision" not in ids(report)


def test_an_accelerators_state_is_expected_where_there_is_one(tmp_path: Path) -> None:
    report = judged(tmp_path, edit_run=on_an_accelerator, accelerators=1)
    assert "plausibility.hidden_device" not in ids(report)


def test_a_checkpoint_that_names_no_workload_is_held_to_its_integers_alone(tmp_path: Path) -> None:
    report = judged(tmp_path, **of_run(1, reheaded(lambda header: header.pop("__metadata__"))))
    assert not above_note(report)


def test_small_weights_are_told_apart(tmp_path: Path) -> None:
    assert not above_note(judged(tmp_path, checkpoint_floats=1, nonce=NONCE))
