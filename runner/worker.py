"""``python -m runner.worker FOLDER INDEX EVENTS_FD [UUID]``: one run of a run set, in a process of its own."""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ranking.evidence import keys, predicate
from ranking.evidence.log import LogWriter
from ranking.evidence.telemetry import TelemetryWriter
from runner import clock, events
from runner.errors import Exit, problem_of
from runner.events import Event, Failed
from runner.plan import RunSetPlan
from runner.recorder import RunRecorder
from runner.run_folder import CHECKPOINTS, LOG, TELEMETRY, FinishedRun, RunFolder
from runner.stopping import StopFlag, Stopped
from runner.telemetry.host import load_average
from runner.telemetry.sampler import Sampler
from workloads.definition import TrainingTask


def main(argv: Sequence[str]) -> int:
    """Train the run, leave its evidence whole, and return the exit status."""
    stop = StopFlag()
    stop.listen()
    folder, index, tell, uuids = RunFolder.open(Path(argv[0])), int(argv[1]), _teller(int(argv[2]), stop), argv[3:]
    try:
        finished = _train(folder, index, tell, stop, uuids)
    except Stopped:
        return Exit.INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the parent tells it to the user
        tell(Failed(problem=problem_of(error)))
        return Exit.ERROR
    folder.finish_run(index, finished)
    return Exit.ACCEPTED


def _train(
    folder: RunFolder, index: int, tell: Callable[[Event], None], stop: StopFlag, uuids: Sequence[str]
) -> FinishedRun:
    """Train within open log and telemetry; a run that diverged is whole too, and says that it was aborted."""
    plan, path = folder.plan, folder.run_path(index)
    nonce, seed = plan.nonce, plan.seeds[index]
    with (
        LogWriter(path / LOG, nonce=nonce, index=index, seed=seed) as log,
        TelemetryWriter(path / TELEMETRY, nonce=nonce, index=index, seed=seed) as telemetry,
    ):
        with Sampler(telemetry, uuids) as sampler:
            _write_head(log, plan, index)
            task = _task(plan, index, path / CHECKPOINTS)
            recorder = RunRecorder(index=index, task=task, log=log, sampler=sampler, stop=stop, tell=tell)
            with _ending(log, recorder, sampler):
                importlib.import_module(f"workloads.{plan.workload.name}.train").train(task, recorder)
        return FinishedRun(log_head=log.head, telemetry_head=telemetry.state()[1])


@contextmanager
def _ending(log: LogWriter, recorder: RunRecorder, sampler: Sampler) -> Iterator[None]:
    """Whatever happens within, the log ends with ``run_stop`` and ``end``."""
    try:
        yield
    finally:
        if recorder.status is None:
            recorder.run_stop(status=keys.ABORTED)
        sampler.stop()
        end = {"load_average": load_average(), "telemetry_cpu_s": sampler.cpu_s}
        log.write(keys.END, end, namespace=keys.NAMESPACE)


def _write_head(log: LogWriter, plan: RunSetPlan, index: int) -> None:
    """The lines that say what is run, before anything runs."""
    workload = plan.workload
    begin = {
        "boot": hashlib.sha256((plan.nonce + clock.boot_id()).encode("ascii")).hexdigest(),
        "format": predicate.FORMAT,
        "index": index,
        "load_average": load_average(),
        "nonce": plan.nonce,
        "workload": workload.id,
    }
    log.write(keys.BEGIN, begin, namespace=keys.NAMESPACE)
    for key, value in (
        (keys.SUBMISSION_BENCHMARK, workload.name),
        (keys.SUBMISSION_DIVISION, "closed"),
        (keys.SUBMISSION_ORG, plan.organisation),
        (keys.SUBMISSION_PLATFORM, plan.system_name),
        (keys.SUBMISSION_STATUS, "onprem"),
        (keys.SEED, plan.seeds[index]),
        (keys.GRADIENT_ACCUMULATION_STEPS, 1),
        (keys.TRAIN_SAMPLES, workload.dataset.train_samples),
        (keys.EVAL_SAMPLES, workload.dataset.eval_samples),
    ):
        log.write(key, value)


def _task(plan: RunSetPlan, index: int, checkpoint_dir: Path) -> TrainingTask:
    return TrainingTask(
        workload=plan.workload,
        configuration=plan.configuration,
        seed=plan.seeds[index],
        salts=("",) * len(plan.workload.evaluation_points),
        data_dir=plan.data_dir,
        checkpoint_dir=checkpoint_dir,
        device=plan.device,
    )


def _teller(descriptor: int, stop: StopFlag) -> Callable[[Event], None]:
    """Writes events to the parent; where it is gone, the run is to stop."""

    def tell(event: Event) -> None:
        try:
            os.write(descriptor, events.dump(event))
        except BrokenPipeError:
            stop.set()

    return tell


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
