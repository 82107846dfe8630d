"""Reference runs: what the calibration runs of a definition say of how much honest runs vary, and how good they are."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from random import Random
from typing import Final

from workloads import calibration
from workloads.definition import Workload

DRAWS: Final = 20_000
"""Sets that are drawn: the quantile below then rests on twenty of them."""

QUANTILE: Final = 0.999
"""Of the variation of drawn sets: one honest set in a thousand lies beyond it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moments:
    """A figure over all reference runs: how many they were, its mean and its standard deviation."""

    runs: int
    mean: float
    std: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread(Moments):
    """``max_cv`` is the QUANTILE of the figure's variation in sets as large as a run set."""

    max_cv: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """Final quality of reference runs at ``global_batch_size``, and their epochs to target where they got there.

    ``errors_per_loss`` is the part of wrong samples over the loss, both at the end; it says something of accuracies.
    ``changes`` are those of quality from each evaluation to the next; None where no run differs from another.
    """

    global_batch_size: int
    quality: Spread
    epochs: Spread | None
    errors_per_loss: Moments | None
    changes: tuple[Moments | None, ...]


def reference_of(workload: Workload) -> Reference | None:
    """What is known of ``workload``; None where it has no calibration runs."""
    if workload.calibration is None:
        return None
    return _reference(workload.id, workload.calibration.global_batch_size, _Figures.of(workload), workload.runs)


@dataclass(frozen=True, slots=True)
class _Figures:
    qualities: tuple[float, ...]
    epochs: tuple[float, ...]
    errors_per_loss: tuple[float, ...]
    changes: tuple[tuple[float, ...], ...]

    @classmethod
    def of(cls, workload: Workload) -> _Figures:
        runs = calibration.read(workload)
        reached = (calibration.epochs_to(workload.target_quality, run, workload) for run in runs)
        return cls(
            qualities=tuple(run.quality for run in runs),
            epochs=tuple(epochs for epochs in reached if epochs is not None),
            errors_per_loss=tuple((1 - run.quality) / run.loss for run in runs if run.loss > 0),
            changes=tuple(zip(*(_changes(run.qualities) for run in runs), strict=True)),
        )


@lru_cache(maxsize=32)
def _reference(name: str, global_batch_size: int, figures: _Figures, size: int) -> Reference | None:
    quality = spread_of(figures.qualities, size=size, seed=f"{name} quality")
    if quality is None:
        return None
    epochs = spread_of(figures.epochs, size=size, seed=f"{name} epochs")
    return Reference(
        global_batch_size=global_batch_size,
        quality=quality,
        epochs=epochs,
        errors_per_loss=moments_of(figures.errors_per_loss),
        changes=tuple(map(moments_of, figures.changes)),
    )


def _changes(qualities: Sequence[float]) -> tuple[float, ...]:
    return tuple(after - before for before, after in pairwise(qualities))


def moments_of(values: Sequence[float]) -> Moments | None:
    """Mean and deviation of ``values``; None where they do not vary, or are fewer than two."""
    if len(values) < 2 or len(set(values)) < 2:
        return None
    return Moments(runs=len(values), mean=statistics.fmean(values), std=statistics.stdev(values))


def spread_of(values: Sequence[float], *, size: int, seed: str) -> Spread | None:
    """Mean, deviation and bootstrapped variation of ``values``; the same for the same seed. None for fewer than two."""
    if len(values) < 2:
        return None
    draw = Random(seed)  # noqa: S311 - a bootstrap that anybody can repeat, nothing secret
    drawn = sorted(_variation(draw.choices(values, k=size)) for _ in range(DRAWS))
    return Spread(
        runs=len(values),
        mean=statistics.fmean(values),
        std=statistics.stdev(values),
        max_cv=drawn[math.ceil(QUANTILE * DRAWS) - 1],
    )


def _variation(values: Sequence[float]) -> float:
    """As ``scoring.variation`` has it, without the exact sums that 20,000 sets do not need."""
    mean = sum(values) / len(values)
    squares = sum((value - mean) ** 2 for value in values)
    return math.sqrt(squares / (len(values) - 1)) / mean if mean else 0.0
