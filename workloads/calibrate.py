"""Calibrate a definition: `python -m workloads.calibrate NAME --scale lite --seeds 20` trains one seed a core.

It can be stopped and called again: finished seeds are kept. At the end it prints mean, deviation and the target that
follows, and fails where a rule of calibration is broken or the definition says something else.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

from workloads import calibration
from workloads.calibration import CalibrationRun, Summary
from workloads.definition import TrainingTask, UnknownWorkload, Workload, find, released
from workloads.errors import WorkloadError
from workloads.recording import SilentRecorder


class QualityRecorder(SilentRecorder):
    """Keeps the qualities of a run and how it ended."""

    def __init__(self) -> None:
        self.qualities: list[float] = []
        self.loss = float("nan")
        self.status = ""

    def evaluation_stop(self, *, samples: int, quality: float, loss: float, eval_samples: int) -> None:  # noqa: ARG002
        """Keep the quality, and the loss of the last evaluation."""
        self.qualities.append(quality)
        self.loss = loss

    def checkpoint(self, path: Path, *, samples: int) -> None:  # noqa: ARG002
        """Calibration needs no checkpoints: remove it at once."""
        path.unlink()

    def run_stop(self, *, status: str) -> None:
        """Keep how the run ended."""
        self.status = status


def calibrate(
    workload: Workload, *, seeds: int, processes: int, path: Path | None = None
) -> tuple[CalibrationRun, ...]:
    """Train the seeds 0 to ``seeds`` - 1 that the table lacks, add each to it as it ends, and return all."""
    runs = list(calibration.read(workload, path))
    missing = sorted(set(range(seeds)) - {run.seed for run in runs})
    for run in _trained(workload, missing, processes):
        runs.append(run)
        calibration.write(workload, runs, path)
        print(f"seed {run.seed}: quality {run.quality:.4f} ({len(runs)} of {seeds})", flush=True)
    calibration.write(workload, runs, path)
    return tuple(sorted(runs, key=lambda run: run.seed))


def _trained(workload: Workload, seeds: list[int], processes: int) -> Iterator[CalibrationRun]:
    """Runs in the order in which they end; children are spawned, since a forked PyTorch has broken thread pools."""
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for future in as_completed([pool.submit(train_seed, workload, seed) for seed in seeds]):
            yield future.result()


def train_seed(workload: Workload, seed: int) -> CalibrationRun:
    """One whole run on one CPU thread at the default batch."""
    package = f"workloads.{workload.name}"
    recorder = QualityRecorder()
    with tempfile.TemporaryDirectory() as scratch:
        task = TrainingTask(
            workload=workload,
            configuration=replace(released(workload), threads=1),
            seed=seed,
            salts=("",) * len(workload.evaluation_points),
            data_dir=importlib.import_module(f"{package}.data").ensure(workload),
            checkpoint_dir=Path(scratch),
            device="cpu",
        )
        importlib.import_module(f"{package}.train").train(task, recorder)
    if recorder.status != "success":
        raise WorkloadError("calibration.aborted", "A calibration run diverged.", place=f"{workload.id}, seed {seed}")
    return CalibrationRun(seed=seed, loss=recorder.loss, qualities=tuple(recorder.qualities))


def disagreements(workload: Workload, summary: Summary) -> tuple[str, ...]:
    """Where the definition does not say what its calibration runs say."""
    stated = workload.calibration
    found = [] if workload.target_quality == summary.target else [f"target_quality is {workload.target_quality}"]
    wanted = (calibration.csv_path(workload).name, summary.seeds, round(summary.mean, 6), round(summary.std, 6))
    if stated is None or (stated.csv, stated.seeds, stated.quality_mean, stated.quality_std) != wanted:
        found.append(f"calibration is {stated}")
    return tuple(f"the definition differs: {text}" for text in found)


def main(arguments: list[str] | None = None) -> int:
    """The command; 0 where all rules are kept and the definition agrees."""
    parser = argparse.ArgumentParser(prog="python -m workloads.calibrate", description=__doc__)
    parser.add_argument("name", help="workload, for example image_classification")
    parser.add_argument("--scale", default="lite", help="lite or smoke")
    parser.add_argument("--seeds", type=int, default=20, help="number of seeds in all, from 0 on")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="runs at a time")
    parser.add_argument("--csv", type=Path, help="table to keep; that of the workload's folder where not given")
    options = parser.parse_args(arguments)
    try:
        workload = find(options.name, options.scale)
        runs = calibrate(workload, seeds=options.seeds, processes=options.processes, path=options.csv)
    except (UnknownWorkload, WorkloadError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return _report(workload, calibration.summarise(workload, runs))


def _report(workload: Workload, summary: Summary) -> int:
    print(f"{workload.id}: {summary.seeds} seeds, mean {summary.mean:.6f}, standard deviation {summary.std:.6f}")
    print(f"target {summary.target}, met no earlier than after {summary.earliest_crossing:.1%} of the budget")
    problems = (*calibration.broken_rules(workload, summary), *disagreements(workload, summary))
    for problem in problems:
        print(f"broken: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
