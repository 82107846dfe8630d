"""Calibration: the tables in the repository bear out the definitions, and the rules refuse what breaks them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.workloads.tiny import TINY
from workloads import calibration
from workloads.calibrate import calibrate, disagreements, main, train_seed
from workloads.calibration import CalibrationRun, Summary, broken_rules, epochs_to, summarise
from workloads.definition import Workload, find

LITE = find("image_classification", "lite")
SMOKE = find("image_classification", "smoke")
FOUR = replace(SMOKE, epoch_budget=4, evaluation=replace(SMOKE.evaluation, offset_samples=1437, interval_samples=1437))
"""Four epochs with an evaluation at the end of each."""


def runs(*rows: Sequence[float]) -> list[CalibrationRun]:
    """Calibration runs with these qualities."""
    return [CalibrationRun(seed=seed, loss=0.5, qualities=tuple(row)) for seed, row in enumerate(rows)]


@pytest.mark.parametrize("workload", [LITE, SMOKE], ids=["lite", "smoke"])
def test_the_stored_runs_bear_out_the_definition(workload: Workload) -> None:
    summary = summarise(workload, calibration.read(workload))
    assert broken_rules(workload, summary) == ()
    assert disagreements(workload, summary) == ()


@pytest.mark.parametrize("workload", [LITE, SMOKE], ids=["lite", "smoke"])
def test_the_stored_table_is_what_would_be_written_now(workload: Workload, tmp_path: Path) -> None:
    calibration.write(workload, calibration.read(workload), tmp_path / "table.csv")
    assert (tmp_path / "table.csv").read_bytes() == calibration.csv_path(workload).read_bytes()


@pytest.mark.parametrize("scale", ["lite", "smoke"])
def test_the_command_ends_well_without_training_where_all_seeds_are_there(
    scale: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    workload = LITE if scale == "lite" else SMOKE
    copy = tmp_path / "table.csv"
    copy.write_bytes(calibration.csv_path(workload).read_bytes())
    assert main(["image_classification", "--scale", scale, "--seeds", "1", "--csv", str(copy)]) == 0
    assert f"target {workload.target_quality}" in capsys.readouterr().out


def test_an_unknown_workload_ends_with_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["no_such_workload"]) == 1
    assert "no_such_workload" in capsys.readouterr().err


def test_runs_of_another_recipe_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    calibration.write(FOUR, runs((0.1, 0.2, 0.3, 0.4)), path)
    assert len(calibration.read(FOUR, path)) == 1
    assert calibration.read(replace(FOUR, default_global_batch_size=16), path) == ()
    assert len(calibration.read(replace(FOUR, target_quality=0.5), path)) == 1


@pytest.mark.parametrize(
    ("target", "epochs"),
    [(0.1, 1.0), (0.05, 1.0), (0.2, 1.5), (0.3, 2.0), (0.45, 3.75), (0.5, 4.0), (0.51, None)],
)
def test_epochs_to_target_lie_on_the_line_between_two_evaluations(target: float, epochs: float | None) -> None:
    (run,) = runs((0.1, 0.3, 0.3, 0.5))
    assert epochs_to(target, run, FOUR) == (None if epochs is None else pytest.approx(epochs))


def test_the_target_is_the_mean_less_three_deviations_rounded_down() -> None:
    summary = summarise(FOUR, runs((0, 0, 0, 0.90), (0, 0, 0, 0.92)))
    assert summary.mean == pytest.approx(0.91)
    assert summary.std == pytest.approx(0.014142136)
    assert summary.target == 0.8675


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"seeds": 19}, "19 seeds are fewer than 20"),
        ({"target": 0.8699}, "the target 0.8699 is below 0.87"),
        ({"earliest_crossing": 0.59}, "a run met the target after 59.0% of the budget, before 60%"),
    ],
    ids=["seeds", "target", "crossing"],
)
def test_each_rule_refuses_what_breaks_it(change: dict[str, float], sentence: str) -> None:
    kept = Summary(seeds=20, mean=0.88, std=0.002, target=0.874, earliest_crossing=0.7)
    assert broken_rules(LITE, kept) == ()
    assert broken_rules(LITE, replace(kept, **change)) == (sentence,)  # type: ignore[arg-type]


def test_smoke_needs_59_seeds() -> None:
    kept = Summary(seeds=59, mean=0.96, std=0.01, target=0.93, earliest_crossing=0.7)
    assert broken_rules(SMOKE, kept) == ()
    assert broken_rules(SMOKE, replace(kept, seeds=58)) == ("58 seeds are fewer than 59",)


def test_a_definition_that_says_something_else_is_reported() -> None:
    summary = summarise(SMOKE, calibration.read(SMOKE))
    other = replace(SMOKE, target_quality=0.5, calibration=None)
    assert len(disagreements(other, summary)) == 2


@pytest.mark.training
def test_a_smoke_run_of_a_new_seed_reaches_the_target() -> None:
    run = train_seed(SMOKE, 1_000)
    assert run.quality >= SMOKE.target_quality
    assert len(run.qualities) == len(SMOKE.evaluation_points)


@pytest.mark.training
def test_calibration_trains_what_is_missing_and_keeps_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    kept = CalibrationRun(seed=0, loss=0.25, qualities=(0.1, 0.2, 0.3))
    calibration.write(TINY, [kept], path)
    found = calibrate(TINY, seeds=2, processes=1, path=path)
    assert found[0] == kept
    assert found[1].seed == 1
    assert len(found[1].qualities) == 3
    assert calibration.read(TINY, path) == tuple(replace(run, loss=round(run.loss, 6)) for run in found)
