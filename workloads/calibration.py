"""Calibration runs of a definition: their table on disk, what follows from it, and the rules it must keep. No torch."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import os
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workloads.definition import Scale, Workload

DEVIATIONS = 3
"""The target lies this many standard deviations below the mean, so that about one honest run in 700 misses it."""

EARLIEST_CROSSING = 0.6
"""Part of the budget before which no calibration run may meet the target: else most of a run would be idle."""

TARGET_DECIMALS = 4
"""Of the target: one image in ten thousand, the size of the lite evaluation set."""

MIN_SEEDS = {Scale.LITE: 20, Scale.SMOKE: 59}
"""59 runs bound a p of 0.05 at 95 % confidence (0.95^59 < 0.05); lite runs are dearer and get the least that a
standard deviation deserves."""

MIN_TARGET = {("image_classification", Scale.LITE): 0.87}
"""Below this Fashion-MNIST is solved by a linear model on pixels, and the network would prove nothing."""

_FIXED_COLUMNS = ("recipe", "seed", "quality", "loss", "epochs_to_target")
_QUALITY_PREFIX = "quality_at_"


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationRun:
    """One calibration run: its last loss, and the quality at each evaluation point in order."""

    seed: int
    loss: float
    qualities: tuple[float, ...]

    @property
    def quality(self) -> float:
        """Quality at the end of the budget."""
        return self.qualities[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What the runs say together; ``target`` is the proposed one."""

    seeds: int
    mean: float
    std: float
    target: float
    earliest_crossing: float


def recipe_digest(workload: Workload) -> str:
    """Short digest of everything that training depends on, so that runs of another recipe are never mixed in."""
    parts = {
        "model": dict(workload.model),
        "input": workload.input_shape,
        "dataset": [file.sha256 for file in workload.dataset.files],
        "epochs": workload.epoch_budget,
        "points": workload.evaluation_points,
        "rate": [workload.learning_rate.base, workload.learning_rate.base_batch, workload.learning_rate.warmup_epochs],
        "hyperparameters": dict(workload.hyperparameters),
        "batch": workload.default_global_batch_size,
        "channels_last": workload.channels_last,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]


def csv_path(workload: Workload) -> Path:
    """The table of a definition, in the workload's folder."""
    return Path(__file__).parent / workload.name / f"calibration_{workload.scale}_{workload.version}.csv"


def read(workload: Workload, path: Path | None = None) -> tuple[CalibrationRun, ...]:
    """The runs of the present recipe, by seed; none where there is no table."""
    path = path or csv_path(workload)
    if not path.is_file():
        return ()
    with path.open(encoding="ascii", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["recipe"] == recipe_digest(workload)]
    return tuple(sorted((_run_of(row) for row in rows), key=lambda run: run.seed))


def _run_of(row: dict[str, str]) -> CalibrationRun:
    qualities = tuple(float(value) for name, value in row.items() if name.startswith(_QUALITY_PREFIX))
    return CalibrationRun(seed=int(row["seed"]), loss=float(row["loss"]), qualities=qualities)


def write(workload: Workload, runs: Sequence[CalibrationRun], path: Path | None = None) -> None:
    """Write the table whole or not at all; epochs to target follow from the definition's present target."""
    path = path or csv_path(workload)
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow([*_FIXED_COLUMNS, *(f"{_QUALITY_PREFIX}{point}" for point in workload.evaluation_points)])
    for run in sorted(runs, key=lambda run: run.seed):
        epochs = epochs_to(workload.target_quality, run, workload)
        fixed = (recipe_digest(workload), run.seed, run.quality, f"{run.loss:.6f}")
        table.writerow([*fixed, "" if epochs is None else f"{epochs:.4f}", *run.qualities])
    part = path.with_name(path.name + ".part")
    with part.open("w", encoding="ascii") as file:
        file.write(text.getvalue())
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def epochs_to(target: float, run: CalibrationRun, workload: Workload) -> float | None:
    """Epochs at which a run met ``target``, on the line between the two evaluations around it; None where never."""
    points = workload.evaluation_points
    before_samples, before = points[0], run.qualities[0]
    for samples, quality in zip(points, run.qualities, strict=True):
        if quality >= target:
            part = (target - before) / (quality - before) if quality > before else 1.0
            return (before_samples + max(part, 0.0) * (samples - before_samples)) / workload.dataset.train_samples
        before_samples, before = samples, quality
    return None


def summarise(workload: Workload, runs: Sequence[CalibrationRun]) -> Summary:
    """Mean, deviation, the target that follows, and how early a run met it, as a part of the budget."""
    qualities = [run.quality for run in runs]
    mean, std = statistics.fmean(qualities), statistics.stdev(qualities)
    scale = 10**TARGET_DECIMALS
    target = math.floor((mean - DEVIATIONS * std) * scale) / scale
    crossings = [epochs for run in runs if (epochs := epochs_to(target, run, workload)) is not None]
    earliest = min(crossings, default=math.inf) / workload.epoch_budget
    return Summary(seeds=len(runs), mean=mean, std=std, target=target, earliest_crossing=earliest)


def broken_rules(workload: Workload, summary: Summary) -> tuple[str, ...]:
    """One sentence for each rule of calibration that ``summary`` breaks."""
    least = MIN_SEEDS.get(workload.scale, 0)
    floor = MIN_TARGET.get((workload.name, workload.scale), 0.0)
    checks = (
        (summary.seeds >= least, f"{summary.seeds} seeds are fewer than {least}"),
        (summary.target >= floor, f"the target {summary.target} is below {floor}"),
        (
            summary.earliest_crossing >= EARLIEST_CROSSING,
            f"a run met the target after {summary.earliest_crossing:.1%} of the budget, before {EARLIEST_CROSSING:.0%}",
        ),
    )
    return tuple(sentence for kept, sentence in checks if not kept)
