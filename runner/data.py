"""Finds or fetches a workload's dataset, with progress for whoever watches."""

from __future__ import annotations

from pathlib import Path

from runner.events import Fetching, Listener
from workloads.datasets.files import Progress
from workloads.datasets.search import ensure
from workloads.definition import Workload


def find_data(workload: Workload, root: Path | None, listener: Listener) -> Path:
    """The folder of the workload's data: found on this machine, or fetched; raises DatasetError."""

    def progress(step: Progress) -> None:
        listener.tell(
            Fetching(source=step.source, name=step.file, done_bytes=step.done_bytes, total_bytes=step.total_bytes)
        )

    return ensure(workload, root, progress).absolute()
