"""The recorder: what training reports becomes the lines of a run's log, and events for whoever watches."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

import pytest

from ranking.evidence import keys
from ranking.evidence.chain import genesis
from ranking.evidence.log import LogWriter, parse_log
from ranking.evidence.model import LogLine
from ranking.evidence.telemetry import TelemetryWriter
from runner.events import Event, Progress, RunFinished
from runner.recorder import RunRecorder
from runner.stopping import StopFlag, Stopped
from runner.telemetry.sampler import Sampler
from tests.runner.plans import NONCE, SMOKE
from workloads.definition import Configuration, IntervalTimes, TrainingTask

SEED = 7
TIMES = IntervalTimes(data_s=0.1, compute_s=0.2, evaluation_s=0.3, checkpoint_s=0.4)


@dataclass
class Desk:
    """A recorder at work, with everything it writes to."""

    recorder: RunRecorder
    stop: StopFlag
    folder: Path
    events: list[Event] = field(default_factory=list)

    def lines(self) -> tuple[LogLine, ...]:
        """The log so far, whole and chained."""
        found, findings = parse_log((self.folder / "log.txt").read_bytes(), start=genesis(NONCE, 0, SEED))
        assert findings == []
        return found


@contextmanager
def desk(folder: Path) -> Iterator[Desk]:
    stop, events = StopFlag(), list[Event]()
    task = TrainingTask(
        workload=SMOKE,
        configuration=Configuration(global_batch_size=32),
        seed=SEED,
        salts=("",) * len(SMOKE.evaluation_points),
        data_dir=folder,
        checkpoint_dir=folder,
        device="cpu",
    )
    with (
        LogWriter(folder / "log.txt", nonce=NONCE, index=0, seed=SEED) as log,
        TelemetryWriter(folder / "telemetry.jsonl", nonce=NONCE, index=0, seed=SEED) as telemetry,
        Sampler(telemetry, []) as sampler,
    ):
        recorder = RunRecorder(index=0, task=task, log=log, sampler=sampler, stop=stop, tell=events.append)
        yield Desk(recorder, stop, folder, events)


def train_one_interval(at: Desk) -> Path:
    """Report a run that ends after its first interval."""
    recorder, end = at.recorder, SMOKE.evaluation_points[0]
    recorder.init_start()
    recorder.hyperparameters({"opt_name": "sgd", "opt_base_learning_rate": 0.1})
    recorder.init_stop()
    recorder.run_start()
    recorder.interval_start(index=0, first_sample=0, salt="")
    recorder.step(samples=32, loss=2.5)
    recorder.step(samples=end, loss=None)
    recorder.evaluation_start(samples=end)
    recorder.evaluation_stop(samples=end, quality=0.75, loss=0.5, eval_samples=360)
    checkpoint = at.folder / "00001.safetensors"
    checkpoint.write_bytes(b"weights")
    recorder.checkpoint(checkpoint, samples=end)
    recorder.interval_stop(index=0, samples=end, loss=2.25, times=TIMES)
    recorder.run_stop(status="success")
    return checkpoint


def test_a_run_becomes_lines_in_the_order_of_the_format(tmp_path: Path) -> None:
    with desk(tmp_path) as at:
        train_one_interval(at)
    assert [line.key for line in at.lines()] == [
        keys.INIT_START,
        "opt_name",
        "opt_base_learning_rate",
        keys.INIT_STOP,
        keys.RUN_START,
        keys.BLOCK_START,
        keys.PROGRESS,
        keys.EVAL_START,
        keys.EVAL_ACCURACY,
        keys.EVAL_STOP,
        keys.CHECKPOINT,
        keys.TELEMETRY,
        keys.INTERVAL,
        keys.BLOCK_STOP,
        keys.RUN_STOP,
    ]


def test_lines_carry_what_was_reported(tmp_path: Path) -> None:
    with desk(tmp_path) as at:
        checkpoint = train_one_interval(at)
    end, epoch = SMOKE.evaluation_points[0], SMOKE.evaluation_points[0] / SMOKE.dataset.train_samples
    line = {line.key: line for line in at.lines()}
    assert line[keys.PROGRESS].value == {"samples": 32, "loss": 2.5}
    assert line[keys.BLOCK_START].metadata == {"first_epoch_num": 0, "epoch_count": epoch, "samples": 0}
    assert line[keys.EVAL_ACCURACY].value == 0.75
    assert line[keys.EVAL_ACCURACY].metadata == {
        "epoch_num": epoch,
        "samples": end,
        "eval_samples": 360,
        "loss": 0.5,
    }
    assert line[keys.CHECKPOINT].value == {
        "name": "runs/0/checkpoints/00001.safetensors",
        "sha256": hashlib.sha256(checkpoint.read_bytes()).hexdigest(),
        "bytes": 7,
    }
    assert line[keys.INTERVAL].value == {
        "loss": 2.25,
        "samples": end,
        "data_s": 0.1,
        "compute_s": 0.2,
        "evaluation_s": 0.3,
        "checkpoint_s": 0.4,
    }
    assert line[keys.RUN_STOP].metadata == {"status": "success"}


def test_the_telemetry_line_names_a_record_that_stands(tmp_path: Path) -> None:
    with desk(tmp_path) as at:
        train_one_interval(at)
    (value,) = [line.value for line in at.lines() if line.key == keys.TELEMETRY]
    assert isinstance(value, dict)
    records = (tmp_path / "telemetry.jsonl").read_bytes().splitlines()
    count = value["records"]
    assert isinstance(count, int)
    assert hashlib.sha256(records[count - 1]).hexdigest() == value["head"]


def test_whoever_watches_learns_phases_rate_and_end(tmp_path: Path) -> None:
    with desk(tmp_path) as at:
        train_one_interval(at)
    progress = [event for event in at.events if isinstance(event, Progress)]
    phases = [phase for phase, _ in groupby(progress, key=lambda event: event.phase)]
    assert phases == ["preparing", "training", "evaluating", "saving", "training"]
    training = progress[-1]
    assert training.samples_per_s is not None
    assert training.flops == training.samples_per_s * SMOKE.flops_per_sample
    finished = at.events[-1]
    assert isinstance(finished, RunFinished)
    assert (finished.status, finished.quality) == ("success", 0.75)
    start, stop = (next(x for x in at.lines() if x.key == key).clock_us for key in (keys.RUN_START, keys.RUN_STOP))
    assert finished.seconds == (stop - start) / 1e6


def test_a_run_stops_between_two_steps(tmp_path: Path) -> None:
    with desk(tmp_path) as at:
        at.recorder.run_start()
        at.recorder.interval_start(index=0, first_sample=0, salt="")
        at.recorder.step(samples=32, loss=None)
        at.stop.set()
        with pytest.raises(Stopped):
            at.recorder.step(samples=64, loss=None)
    assert at.recorder.status is None
