"""Measures what the documentation states, on this machine, and prints one line a figure: `make bench`."""

from __future__ import annotations

import os
import platform
import resource
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from ranking.evidence.log import LogWriter, parse_log
from scripts.common import PYTHON, QUIET_THREADS, ROOT
from tests.bundles import make_bundle
from workloads.datasets.search import locate
from workloads.definition import Scale, TrainingTask, find, released
from workloads.recording import SilentRecorder

REPEATS = 5
LOG_LINES = 20_000
WEIGHTS = 1_000_000
"""Numbers in each checkpoint of the larger bundle: 4 MB, forty-five checkpoints, about what scale lite writes."""


def main() -> None:
    """All figures, each the median of REPEATS; load and machine first, since they decide what the figures are worth."""
    load = ", ".join(f"{value:.2f}" for value in os.getloadavg())
    print(f"{platform.platform()}, {os.cpu_count()} processors, load average {load}\n")
    for what, value in figures():
        print(f"{what:52} {value}", flush=True)


def figures() -> Iterator[tuple[str, str]]:
    """What is measured, and its value with unit."""
    with tempfile.TemporaryDirectory(prefix="vflops-bench-") as scratch:
        folder = Path(scratch)
        yield "parse a log, chain checked", f"{log_rate(folder) / 1e6:.1f} MB/s"
        for name, floats in (("small", 4), ("large", WEIGHTS)):
            bundle = make_bundle(folder, name=f"{name}.vflops", checkpoint_floats=floats)
            seconds = median_s(partial(verify, bundle))
            yield f"verify a bundle of {bundle.stat().st_size / 1e6:.1f} MB, process included", f"{seconds:.2f} s"
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        yield "memory of that process at most", f"{peak / 1e3:.0f} MB"
        for scale in Scale.SMOKE, Scale.LITE:
            yield f"train image_classification {scale}, a whole run", training_time(scale, folder)


def median_s(action: Callable[[], object]) -> float:
    """Median of an action's seconds."""
    return statistics.median(seconds(action) for _ in range(REPEATS))


def seconds(action: Callable[[], object]) -> float:
    """How long an action takes."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def log_rate(folder: Path) -> float:
    """Bytes of log a second that the parser reads."""
    path = folder / "log.txt"
    with LogWriter(path, nonce="0" * 32, index=0, seed=1) as log:
        for line in range(LOG_LINES):
            log.write("progress", {"loss": 1 / (line + 1), "samples": line}, namespace="vflops")
    content = path.read_bytes()
    return len(content) / median_s(lambda: parse_log(content))


def verify(bundle: Path) -> None:
    """Verifies as the portal does, in a process of its own."""
    words = [str(PYTHON), "-m", "ranking.verify", "--json", str(bundle)]
    subprocess.run(words, cwd=ROOT, env={**os.environ, **QUIET_THREADS}, check=True, stdout=subprocess.DEVNULL)


def training_time(scale: Scale, folder: Path) -> str:
    """Seconds of a whole run of the released code, preparation, evaluations and checkpoints included."""
    from workloads.image_classification.train import train

    workload = find("image_classification", scale)
    data = locate(workload)
    if data is None:
        return f"not measured: {workload.dataset.title} is not on this machine"
    task = TrainingTask(
        workload=workload,
        configuration=released(workload),
        seed=1,
        salts=("",) * len(workload.evaluation_points),
        data_dir=data,
        checkpoint_dir=folder,
        device="cpu",
    )
    return f"{median_s(lambda: train(task, SilentRecorder())):.1f} s"


if __name__ == "__main__":
    main()
