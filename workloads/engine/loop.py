"""A run from first to last: prepare, then for each interval train, evaluate and write a checkpoint; then stop."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass

import torch

from workloads.definition import IntervalTimes, Recorder, TrainingTask
from workloads.engine import checkpoint
from workloads.engine.losses import loss_reader
from workloads.engine.problem import Evaluation, OpenData, Problem
from workloads.engine.schedule import Interval, intervals, learning_rate, peak_learning_rate, step_bounds
from workloads.engine.session import Session, prepare
from workloads.engine.warmup import warm_up


class NotFiniteError(ArithmeticError):
    """A loss is no finite number: training has diverged."""


@dataclass(frozen=True, slots=True)
class TrainedInterval:
    """Mean loss of an interval's training, and the seconds spent on data and on computation."""

    loss: float
    data_s: float
    compute_s: float


def run(task: TrainingTask, recorder: Recorder, problem: Problem) -> None:
    """Train the task's whole epoch budget and report it; a run that diverges ends as ``aborted``."""
    recorder.init_start()
    session = prepare(task, problem)
    recorder.hyperparameters(hyperparameters(task))
    warm_up(session)
    recorder.init_stop()
    recorder.run_start()
    try:
        _run_intervals(session, recorder)
    except NotFiniteError:
        recorder.run_stop(status="aborted")
    else:
        recorder.run_stop(status="success")


def _run_intervals(session: Session, recorder: Recorder) -> None:
    data = session.problem.open(session.task, session.device)
    for interval in intervals(session.task):
        run_interval(session, data, interval, recorder)


def run_interval(session: Session, data: OpenData, interval: Interval, recorder: Recorder) -> None:
    """Train, evaluate and checkpoint one interval; raises NotFiniteError where training has diverged."""
    recorder.interval_start(index=interval.index, first_sample=interval.first, salt=interval.salt)
    trained = train_interval(session, data, interval, recorder)
    recorder.evaluation_start(samples=interval.last)
    started = time.perf_counter()
    result = evaluate(session, data)
    evaluated = time.perf_counter()
    recorder.evaluation_stop(
        samples=interval.last, quality=result.quality, loss=result.loss, eval_samples=result.samples
    )
    writing = time.perf_counter()
    path = checkpoint.write(session.task, session.state, interval)
    checkpoint_s = time.perf_counter() - writing
    recorder.checkpoint(path, samples=interval.last)
    times = IntervalTimes(
        data_s=trained.data_s, compute_s=trained.compute_s, evaluation_s=evaluated - started, checkpoint_s=checkpoint_s
    )
    recorder.interval_stop(index=interval.index, samples=interval.last, loss=trained.loss, times=times)


def train_interval(session: Session, data: OpenData, interval: Interval, recorder: Recorder) -> TrainedInterval:
    """All steps of an interval; returns once the device has done them."""
    task, losses = session.task, loss_reader(session.device)
    batch_size = task.configuration.global_batch_size
    begun = time.perf_counter()
    data.begin(interval)
    data_s = time.perf_counter() - begun
    for start, stop in step_bounds(interval.samples, batch_size):
        fetching = time.perf_counter()
        batch = data.batch(start, stop)
        data_s += time.perf_counter() - fetching
        samples = interval.first + stop
        loss = losses.add(session.step(batch, rate=learning_rate(task.workload, batch_size, samples)), stop - start)
        recorder.step(samples=samples, loss=loss if loss is not None and math.isfinite(loss) else None)
    mean = _finite(losses.mean())
    return TrainedInterval(mean, data_s, time.perf_counter() - begun - data_s)


def evaluate(session: Session, data: OpenData) -> Evaluation:
    """Quality and loss over the whole evaluation set; reading the sum waits for the device."""
    total = torch.zeros(2, dtype=torch.float64, device=session.device)
    samples = 0
    for start, stop in data.evaluation_batches():
        total += session.score(data.evaluation_batch(start, stop))
        samples += stop - start
    quality, loss = (_finite(value / samples) for value in total.tolist())
    return Evaluation(quality, loss, samples)


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise NotFiniteError(str(value))
    return value


def hyperparameters(task: TrainingTask) -> Mapping[str, int | float | str]:
    """All values of optimizer and schedule in use, by MLPerf's keys where it has one."""
    workload, batch_size = task.workload, task.configuration.global_batch_size
    recipe = dict(workload.hyperparameters)
    return {
        "global_batch_size": batch_size,
        "opt_name": recipe.pop("opt_name"),
        "opt_base_learning_rate": peak_learning_rate(workload.learning_rate, batch_size),
        "opt_learning_rate_warmup_epochs": workload.learning_rate.warmup_epochs,
        "opt_learning_rate_schedule": "cosine",
        "sgd_opt_momentum": recipe.pop("momentum"),
        "opt_weight_decay": recipe.pop("weight_decay"),
        **recipe,
    }
