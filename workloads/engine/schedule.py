"""The course of a run in samples: its intervals, their steps and the learning rate. Pure arithmetic."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

from workloads.definition import LearningRateRule, TrainingTask, Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """The stretch of a run between two evaluations, in cumulative samples: from ``first`` up to ``last``."""

    index: int
    first: int
    last: int
    salt: str

    @property
    def samples(self) -> int:
        """Training samples of the interval."""
        return self.last - self.first


@dataclass(frozen=True, slots=True)
class EpochPart:
    """The part of an interval that lies in one epoch: positions ``start`` to ``stop`` of that epoch's order."""

    epoch: int
    start: int
    stop: int


def intervals(task: TrainingTask) -> tuple[Interval, ...]:
    """All intervals of a run; each ends at an evaluation."""
    points = (0, *task.workload.evaluation_points)
    if len(task.salts) != len(points) - 1:
        raise ValueError(f"{len(points) - 1} intervals need as many salts, not {len(task.salts)}")
    return tuple(
        Interval(index=index, first=points[index], last=points[index + 1], salt=salt)
        for index, salt in enumerate(task.salts)
    )


def epoch_parts(interval: Interval, train_samples: int) -> Iterator[EpochPart]:
    """The interval cut at the ends of epochs, so that no sample is seen twice before every one was seen once."""
    position = interval.first
    while position < interval.last:
        epoch, start = divmod(position, train_samples)
        stop = min(train_samples, start + interval.last - position)
        yield EpochPart(epoch, start, stop)
        position += stop - start


def step_bounds(samples: int, global_batch_size: int) -> tuple[tuple[int, int], ...]:
    """The steps of ``samples``: as few as fit, and of sizes that differ by one at most, so that none is a tiny rest."""
    steps = math.ceil(samples / global_batch_size)
    edges = [step * samples // steps for step in range(steps + 1)]
    return tuple(itertools.pairwise(edges))


def peak_learning_rate(rule: LearningRateRule, global_batch_size: int) -> float:
    """The rate after the warm-up: proportional to the batch."""
    return rule.base * global_batch_size / rule.base_batch


def learning_rate(workload: Workload, global_batch_size: int, samples: int) -> float:
    """The rate of a step that ends ``samples`` into the run: linear warm-up, then a cosine to zero.

    A function of samples, not of steps, so that it is the same whatever the batch.
    """
    peak = peak_learning_rate(workload.learning_rate, global_batch_size)
    warmup = workload.learning_rate.warmup_epochs * workload.dataset.train_samples
    if samples < warmup:
        return peak * samples / warmup
    progress = (samples - warmup) / (workload.total_samples - warmup)
    return peak * 0.5 * (1 + math.cos(math.pi * progress))
