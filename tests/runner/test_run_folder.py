"""The folder of a run set: whole runs are kept, parts are thrown away and told, two processes never share it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ranking.evidence import keys
from ranking.evidence.clock import Moment
from ranking.evidence.log import LogWriter
from ranking.evidence.model import RestartClaim
from runner.errors import RunnerError
from runner.run_folder import LOG, FinishedRun, RunFolder
from tests.runner.plans import NONCE, make_plan

HEADS = FinishedRun(log_head="aa" * 32, telemetry_head="bb" * 32)


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder.create(tmp_path / "set", make_plan(tmp_path), {"system_name": "a system"})


def write_log(folder: RunFolder, index: int, *, ended: bool, seconds: float) -> None:
    """A log whose lines lie ``seconds`` apart."""
    times = iter([1_000_000, 1_000_000 + round(seconds * 1000), 1_000_000 + round(seconds * 1000)])

    def clock() -> Moment:
        return Moment(time_ms=next(times), clock_us=0)

    with LogWriter(folder.run_path(index) / LOG, nonce=NONCE, index=index, seed=1, clock=clock) as log:
        log.write(keys.BEGIN)
        log.write(keys.RUN_STOP)
        if ended:
            log.write(keys.END)


def test_a_folder_is_found_again_as_it_was(folder: RunFolder) -> None:
    folder.begin_run(0)
    folder.finish_run(0, HEADS)
    again = RunFolder.open(folder.path)
    assert again.plan == folder.plan
    assert again.finished() == {0: HEADS}
    assert again.unfinished() == [1, 2, 3, 4]


def test_another_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunnerError) as refused:
        RunFolder.open(tmp_path)
    assert refused.value.problem.id == "resume.no_run_set"


def test_two_processes_never_work_in_one_folder(folder: RunFolder) -> None:
    with folder.locked(), pytest.raises(RunnerError) as refused, RunFolder.open(folder.path).locked():
        pass
    assert refused.value.problem.id == "resume.in_use"
    with folder.locked():
        pass


@pytest.mark.parametrize(
    ("ended", "seconds", "told"),
    [
        (True, 12.2, RestartClaim(run=2, reason="interrupted", lost_s=13)),
        (False, 0.5, RestartClaim(run=2, reason="crashed", lost_s=1)),
        (False, -5.0, RestartClaim(run=2, reason="crashed", lost_s=0)),
    ],
)
def test_what_an_earlier_try_left_is_thrown_away_and_told(
    ended: bool, seconds: float, told: RestartClaim, folder: RunFolder
) -> None:
    folder.begin_run(2)
    write_log(folder, 2, ended=ended, seconds=seconds)
    assert folder.discard_part(2) == told
    assert RunFolder.open(folder.path).restarts() == (told,)
    assert not folder.run_path(2).exists()
    folder.begin_run(2)


def test_a_try_that_logged_nothing_is_no_restart(folder: RunFolder) -> None:
    folder.begin_run(1)
    assert folder.discard_part(1) is None
    folder.begin_run(1)
    (folder.run_path(1) / LOG).write_bytes(b":::MLLOG {half a li")
    assert folder.discard_part(1) is None
    assert folder.discard_part(1) is None
    assert folder.restarts() == ()


def test_all_restarts_are_told_in_order(folder: RunFolder) -> None:
    for index in (0, 0, 3):
        folder.begin_run(index)
        write_log(folder, index, ended=True, seconds=1)
        folder.discard_part(index)
    assert [restart.run for restart in folder.restarts()] == [0, 0, 3]
