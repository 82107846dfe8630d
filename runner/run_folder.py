"""The folder of one run set: its plan, each run's evidence, and which runs are whole."""

from __future__ import annotations

import fcntl
import json
import math
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ranking.evidence import canonical, keys
from ranking.evidence.model import RestartClaim
from runner import plan as plans
from runner.errors import RunnerError, UsageError
from runner.files import write_whole
from runner.plan import RunSetPlan

PLAN, SYSTEM, FINISHED, RESTARTS, LOCK = "plan.json", "system.json", "finished.json", "restarts.json", "lock"
INTERRUPTED, CRASHED = "interrupted", "crashed"
MS_PER_S = 1000
LOG, TELEMETRY, CHECKPOINTS = "log.txt", "telemetry.jsonl", "checkpoints"


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedRun:
    """Heads of a whole run's chains."""

    log_head: str
    telemetry_head: str


@dataclass(frozen=True, slots=True)
class RunFolder:
    """Access to the folder ``path`` of the run set ``plan``."""

    path: Path
    plan: RunSetPlan

    @classmethod
    def create(cls, path: Path, plan: RunSetPlan, system: dict[str, Any]) -> RunFolder:
        """Make the folder and write plan and system description."""
        path.mkdir(parents=True)
        write_whole(path / SYSTEM, canonical.dumps(system))
        write_whole(path / PLAN, plans.to_json(plan))
        return cls(path, plan)

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """The run folder at ``path``; raises ``resume.no_run_set``."""
        file = path / PLAN
        if not file.is_file():
            raise UsageError(
                "resume.no_run_set",
                "There is no run set in this folder.",
                place=path,
                expected=f"a folder that `vflops run` made, with a {PLAN}",
                action="See the folders there are: vflops list --runs",
            )
        return cls(path.absolute(), plans.from_json(file.read_bytes(), file))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes of ours out of this folder; raises ``resume.in_use``."""
        descriptor = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
        except BlockingIOError:
            raise RunnerError(
                "resume.in_use", "Another vflops works in this folder.", place=self.path, action="Wait until it ends."
            ) from None
        finally:
            os.close(descriptor)

    def run_path(self, index: int) -> Path:
        """The folder of run ``index``."""
        return self.path / "runs" / str(index)

    def output_path(self, index: int) -> Path:
        """What run ``index``'s process printed; no part of the evidence."""
        return self.path / f"output-{index}.txt"

    def begin_run(self, index: int) -> Path:
        """A fresh folder for run ``index``."""
        path = self.run_path(index)
        (path / CHECKPOINTS).mkdir(parents=True)
        return path

    def finish_run(self, index: int, finished: FinishedRun) -> None:
        """Mark run ``index`` as whole."""
        write_whole(self.run_path(index) / FINISHED, json.dumps(asdict(finished)).encode())

    def finished(self) -> dict[int, FinishedRun]:
        """The whole runs, by index."""
        marks = {i: self.run_path(i) / FINISHED for i in range(len(self.plan.seeds))}
        return {i: FinishedRun(**json.loads(mark.read_bytes())) for i, mark in marks.items() if mark.exists()}

    def unfinished(self) -> list[int]:
        """Runs that are still to do, in order."""
        whole = self.finished()
        return [index for index in range(len(self.plan.seeds)) if index not in whole]

    def discard_part(self, index: int) -> RestartClaim | None:
        """Throw away what an earlier try of run ``index`` left, and keep a record of it; None where it left nothing."""
        path = self.run_path(index)
        if not path.exists():
            return None
        restart = _restart(index, path / LOG)
        if restart is not None:
            entries = [asdict(entry) for entry in (*self.restarts(), restart)]
            write_whole(self.path / RESTARTS, json.dumps(entries).encode())
        shutil.rmtree(path)
        return restart

    def restarts(self) -> tuple[RestartClaim, ...]:
        """All runs that were begun anew, in order."""
        file = self.path / RESTARTS
        return tuple(RestartClaim(**entry) for entry in json.loads(file.read_bytes())) if file.exists() else ()

    def system(self) -> bytes:
        """The system description, canonical JSON."""
        return (self.path / SYSTEM).read_bytes()


def _restart(index: int, log: Path) -> RestartClaim | None:
    """What an unfinished log tells: the seconds from its first line to its last; None where nothing was logged.

    A run that was told to stop ends its log; where it is not ended, the process died.
    """
    try:
        lines = [json.loads(line[line.index(b"{") :]) for line in log.read_bytes().split(b"\n")[:-1]]
    except FileNotFoundError:
        return None
    if not lines:
        return None
    lost_ms = max(0, lines[-1]["time_ms"] - lines[0]["time_ms"])
    reason = INTERRUPTED if lines[-1]["key"] == keys.END else CRASHED
    return RestartClaim(run=index, reason=reason, lost_s=math.ceil(lost_ms / MS_PER_S))
