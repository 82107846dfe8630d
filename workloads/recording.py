"""A recorder that keeps nothing: the base of recorders that want to hear of a few things only."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from workloads.definition import IntervalTimes


class SilentRecorder:
    """Every call of the protocol, without an effect."""

    def init_start(self) -> None:
        """Keep nothing."""

    def hyperparameters(self, values: Mapping[str, int | float | str]) -> None:
        """Keep nothing."""

    def init_stop(self) -> None:
        """Keep nothing."""

    def run_start(self) -> None:
        """Keep nothing."""

    def interval_start(self, *, index: int, first_sample: int, salt: str) -> None:
        """Keep nothing."""

    def step(self, *, samples: int, loss: float | None) -> None:
        """Keep nothing."""

    def evaluation_start(self, *, samples: int) -> None:
        """Keep nothing."""

    def evaluation_stop(self, *, samples: int, quality: float, loss: float, eval_samples: int) -> None:
        """Keep nothing."""

    def checkpoint(self, path: Path, *, samples: int) -> None:
        """Keep nothing."""

    def interval_stop(self, *, index: int, samples: int, loss: float, times: IntervalTimes) -> None:
        """Keep nothing."""

    def run_stop(self, *, status: str) -> None:
        """Keep nothing."""
