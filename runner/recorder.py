"""What training reports to: writes the run's log, in MLPerf's keys and ours, and tells whoever watches."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from ranking.evidence import keys
from ranking.evidence.log import LogWriter
from ranking.trace import US_PER_S
from runner.events import Event, Progress, RunFinished
from runner.stopping import StopFlag
from runner.telemetry.sampler import Sampler
from workloads.datasets.files import sha256_of
from workloads.definition import IntervalTimes, TrainingTask

LOG_PERIOD_S = 1.0
"""Between two throughput points in the log: fine enough for a curve, 60 lines a minute."""

TELL_PERIOD_S = 0.25
"""Between two progress events: as often as a person can read a number."""


class RunRecorder:
    """The Recorder of one run; ``tell`` takes progress events."""

    def __init__(
        self,
        *,
        index: int,
        task: TrainingTask,
        log: LogWriter,
        sampler: Sampler,
        stop: StopFlag,
        tell: Callable[[Event], None],
    ) -> None:
        """Write to ``log``; ``sampler`` is already running."""
        self._index = index
        self._task = task
        self._log = log
        self._sampler = sampler
        self._stop = stop
        self._tell_event = tell
        self._points = task.workload.evaluation_points
        self._samples = 0
        self._loss: float | None = None
        self._quality: float | None = None
        self._rate: float | None = None
        self._mark = (0.0, 0)
        self._run_start_s = 0.0
        self._run_start_us = 0
        self._logged_s = self._told_s = -math.inf
        self._status: str | None = None

    @property
    def status(self) -> str | None:
        """How the run ended; None where it did not."""
        return self._status

    def init_start(self) -> None:
        """Write ``init_start``."""
        self._log.write(keys.INIT_START, event_type=keys.INTERVAL_START)
        self._tell("preparing")

    def hyperparameters(self, values: Mapping[str, int | float | str]) -> None:
        """Write one line a value."""
        for key, value in values.items():
            self._log.write(key, value)

    def init_stop(self) -> None:
        """Write ``init_stop``."""
        self._log.write(keys.INIT_STOP, event_type=keys.INTERVAL_END)

    def run_start(self) -> None:
        """Write ``run_start``: the timed interval begins."""
        self._stop.raise_if_set()
        self._run_start_us = self._log.write(keys.RUN_START, event_type=keys.INTERVAL_START).clock_us
        self._sampler.timed_interval_starts()
        self._run_start_s = time.monotonic()

    def interval_start(self, *, index: int, first_sample: int, salt: str) -> None:  # noqa: ARG002 - the protocol's
        """Write ``block_start``."""
        count = self._points[index] - first_sample
        self._log.write(
            keys.BLOCK_START,
            event_type=keys.INTERVAL_START,
            metadata={
                keys.FIRST_EPOCH_NUM: self._epoch(first_sample),
                keys.EPOCH_COUNT: self._epoch(count),
                keys.SAMPLES: first_sample,
            },
        )
        self._samples = first_sample
        self._mark = (time.monotonic(), first_sample)
        self._tell("training")

    def step(self, *, samples: int, loss: float | None) -> None:
        """Note a step; about once a second a point of throughput goes to the log."""
        self._stop.raise_if_set()
        self._samples = samples
        if loss is not None:
            self._loss = loss
        now = time.monotonic()
        self._rate = _rate(self._mark, now, samples)
        if now - self._logged_s >= LOG_PERIOD_S:
            self._logged_s = now
            value = {"samples": samples, keys.LOSS: self._loss}
            self._log.write(keys.PROGRESS, value, namespace=keys.NAMESPACE)
        if now - self._told_s >= TELL_PERIOD_S:
            self._tell("training")

    def evaluation_start(self, *, samples: int) -> None:
        """Write ``eval_start``."""
        self._stop.raise_if_set()
        self._samples = samples
        self._log.write(keys.EVAL_START, event_type=keys.INTERVAL_START, metadata=self._at(samples))
        self._tell("evaluating")

    def evaluation_stop(self, *, samples: int, quality: float, loss: float, eval_samples: int) -> None:
        """Write ``eval_accuracy`` and ``eval_stop``."""
        self._quality = quality
        metadata = {**self._at(samples), keys.EVAL_SAMPLES: eval_samples, keys.LOSS: loss}
        self._log.write(keys.EVAL_ACCURACY, quality, metadata=metadata)
        self._log.write(keys.EVAL_STOP, event_type=keys.INTERVAL_END, metadata=self._at(samples))
        self._tell("saving")

    def checkpoint(self, path: Path, *, samples: int) -> None:
        """Write the checkpoint's digest, and how far the telemetry is."""
        value = {
            "name": f"runs/{self._index}/checkpoints/{path.name}",
            "sha256": sha256_of(path),
            "bytes": path.stat().st_size,
        }
        self._log.write(keys.CHECKPOINT, value, namespace=keys.NAMESPACE, metadata={keys.SAMPLES: samples})
        records, head = self._sampler.position()
        self._log.write(keys.TELEMETRY, {"records": records, "head": head}, namespace=keys.NAMESPACE)

    def interval_stop(
        self,
        *,
        index: int,  # noqa: ARG002 - the protocol's
        samples: int,
        loss: float,
        times: IntervalTimes,
    ) -> None:
        """Write ``interval`` and ``block_stop``."""
        value = {
            keys.LOSS: loss,
            keys.SAMPLES: samples,
            "data_s": times.data_s,
            "compute_s": times.compute_s,
            "evaluation_s": times.evaluation_s,
            "checkpoint_s": times.checkpoint_s,
        }
        self._loss = loss
        self._log.write(keys.INTERVAL, value, namespace=keys.NAMESPACE)
        self._log.write(keys.BLOCK_STOP, event_type=keys.INTERVAL_END, metadata={keys.SAMPLES: samples})
        self._tell("training")

    def run_stop(self, *, status: str) -> None:
        """Write ``run_stop``: the timed interval ends."""
        moment = self._log.write(keys.RUN_STOP, event_type=keys.INTERVAL_END, metadata={keys.STATUS: status})
        self._status = status
        seconds = (moment.clock_us - self._run_start_us) / US_PER_S if self._run_start_us else 0.0
        self._tell_event(RunFinished(run=self._index, status=status, seconds=seconds, quality=self._quality))

    def _at(self, samples: int) -> dict[str, float | int]:
        return {keys.EPOCH_NUM: self._epoch(samples), keys.SAMPLES: samples}

    def _epoch(self, samples: int) -> float:
        return samples / self._task.workload.dataset.train_samples

    def _tell(self, phase: str) -> None:
        self._told_s = now = time.monotonic()
        rate = self._rate
        self._tell_event(
            Progress(
                run=self._index,
                phase=phase,
                samples=self._samples,
                epoch=self._epoch(self._samples),
                loss=self._loss,
                quality=self._quality,
                samples_per_s=rate,
                flops=None if rate is None else rate * self._task.workload.flops_per_sample,
                elapsed_s=now - self._run_start_s if self._run_start_us else 0.0,
            )
        )


def _rate(mark: tuple[float, int], now: float, samples: int) -> float | None:
    """Training samples a second since the interval began."""
    since_s, first = mark
    return (samples - first) / (now - since_s) if now > since_s else None
