"""A real run set: interrupted by Ctrl-C, gone on with, packed, verified."""

from __future__ import annotations

import json
import subprocess
import zipfile
from pathlib import Path

from ranking.evidence import keys, predicate
from ranking.evidence.bundle import read_bundle
from ranking.evidence.chain import genesis
from ranking.evidence.log import parse_log
from ranking.evidence.seeds import own_seeds
from ranking.report import render_text
from ranking.verify import verify_bundle
from runner.errors import Exit
from tests.runner.conftest import STOP_AT_SAMPLES, Installed, Story
from workloads.definition import find

SMOKE = find("image_classification", "smoke")


def test_ctrl_c_ends_with_status_130_and_says_how_to_go_on(story: Story) -> None:
    assert story.interrupted.status == Exit.INTERRUPTED
    assert story.interrupted.error["id"] == "run.interrupted"
    assert "1 of 5 runs" in story.interrupted.error["message"]
    assert f"vflops run --resume {story.run_folder}" in story.interrupted.error["action"]


def test_an_interrupted_run_leaves_a_whole_log_that_says_it_was_aborted(story: Story) -> None:
    start = story.interrupted.of("set_started")[0]
    nonce = json.loads((story.run_folder / "plan.json").read_text())["nonce"]
    lines, findings = parse_log(story.log_of_interrupted_run, start=genesis(nonce, 1, start["seeds"][1]))
    assert findings == []
    assert [line.key for line in lines[-2:]] == [keys.RUN_STOP, keys.END]
    assert lines[-2].metadata[keys.STATUS] == keys.ABORTED


def test_going_on_keeps_whole_runs_and_begins_the_interrupted_one_anew(story: Story) -> None:
    assert story.resumed.of("set_started")[0]["finished"] == [0]
    assert [event["run"] for event in story.resumed.of("run_started")] == [1, 2, 3, 4]
    with zipfile.ZipFile(story.bundle) as archive:
        assert archive.read("runs/0/log.txt") == story.log_of_whole_run
        assert not archive.read("runs/1/log.txt").startswith(story.log_of_interrupted_run)


def test_the_statement_tells_of_the_restart_and_the_rules_show_it(story: Story) -> None:
    report = verify_bundle(story.bundle)
    assert report.statement is not None
    (restart,) = report.statement.predicate.restarts
    assert (restart.run, restart.reason) == (1, "interrupted")
    assert restart.lost_s >= 1
    assert "time.restarted" in {found.id for found in report.findings}


def test_a_real_bundle_is_accepted_and_the_report_is_the_one_of_verify(story: Story) -> None:
    report = verify_bundle(story.bundle)
    assert story.resumed.status == Exit.ACCEPTED, list(report.findings)
    assert story.resumed.events[-1] == {"event": "report", "report": report.to_document()}


def test_a_system_without_a_name_is_not_called_by_its_device_twice(story: Story) -> None:
    (line,) = [line for line in render_text(verify_bundle(story.bundle)).splitlines() if line.startswith("System")]
    parts = line.removeprefix("System").strip().split(", ")
    assert len(parts) == len(set(parts))
    assert parts[0].startswith("node with ")


def test_a_log_says_the_format_of_its_evidence(bundle: Path) -> None:
    evidence, _ = read_bundle(bundle)
    for run in evidence.runs:
        begin = run.lines[0].value
        assert isinstance(begin, dict)
        assert begin["format"] == predicate.FORMAT


def test_runs_follow_the_definition_and_the_nonce(bundle: Path) -> None:
    evidence, findings = read_bundle(bundle)
    assert findings == []
    assert evidence.statement is not None
    claims = evidence.statement.predicate
    assert [run.seed for run in evidence.runs] == list(own_seeds(claims.nonce, SMOKE.runs))
    for run in evidence.runs:
        evaluated = [line.metadata[keys.SAMPLES] for line in run.lines if line.key == keys.EVAL_ACCURACY]
        assert evaluated == list(SMOKE.evaluation_points)
        assert len(run.checkpoints) == len(SMOKE.evaluation_points)


def test_telemetry_is_sampled_throughout_each_run(bundle: Path) -> None:
    evidence, _ = read_bundle(bundle)
    for run in evidence.runs:
        marks = {line.key: line.clock_us for line in run.lines if line.key in (keys.RUN_START, keys.RUN_STOP)}
        assert run.telemetry[0].clock_us < marks[keys.RUN_START]
        assert any(marks[keys.RUN_START] <= sample.clock_us <= marks[keys.RUN_STOP] for sample in run.telemetry)


def test_progress_tells_what_a_person_waits_for(story: Story) -> None:
    training = [event for event in story.resumed.of("progress") if event["phase"] == "training"]
    assert {event["run"] for event in training} == {1, 2, 3, 4}
    last = [event for event in training if event["run"] == 4][-1]
    assert last["samples"] > STOP_AT_SAMPLES
    assert last["epoch"] == last["samples"] / SMOKE.dataset.train_samples
    assert last["flops"] == last["samples_per_s"] * SMOKE.flops_per_sample


def test_a_whole_set_is_not_packed_over_its_bundle(story: Story, installed: Installed) -> None:
    before = story.bundle.read_bytes()
    done = subprocess.run(
        [installed.vflops, "run", "--json", "--resume", story.run_folder],
        cwd=story.working_folder,
        env=story.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == Exit.USAGE
    assert json.loads(done.stdout.splitlines()[-1])["error"]["id"] == "output.exists"
    assert story.bundle.read_bytes() == before
