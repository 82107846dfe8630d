"""Report documents with runs, as pages and figures read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.portal.reports import report, score

VALID = (2.0e9, 3.0e9, 1.0e9, 5.0e9, 0.5e9)
"""Valid FLOPS of five runs; the first three are the middle ones."""


def run(index: int, **curves: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """A run of 1,000 samples in ten seconds; the first three count."""
    quality = [
        {"seconds": 5.0, "samples": 500, "quality": 0.80 + index / 100, "loss": 0.7},
        {"seconds": 10.0, "samples": 1000, "quality": 0.90 + index / 100, "loss": 0.4},
    ]
    throughput = [
        {"seconds": 1.0, "samples_per_s": 100.0 + index, "loss": 2.0},
        {"seconds": 2.0, "samples_per_s": 101.0 + index, "loss": None},
    ]
    return {
        "index": index,
        "seed": 100 + index,
        "status": "success",
        "valid_flops": VALID[index],
        "flops": 1e5,
        "quality": 0.90 + index / 100,
        "factor": 1.0,
        "seconds": 10.0 + index,
        "samples": 1000,
        "time_to_target_s": 8.0,
        "epochs_to_target": 3.2,
        "energy": None,
        "counted": index < 3,
        "curves": {"quality": quality, "throughput": throughput, "power": [], "utilisation": []} | curves,
        "phases": [
            {"name": "preparation", "start_s": -2.0, "stop_s": 0.0},
            {"name": "training", "start_s": 0.0, "stop_s": 6.0},
            {"name": "evaluation", "start_s": 6.0, "stop_s": 8.0},
            {"name": "training", "start_s": 8.0, "stop_s": 10.0},
        ],
    }


def document(**changes: Any) -> dict[str, Any]:
    """A report of five runs whose score follows from them: 3,000 samples of 1,000 FLOP in 33 seconds."""
    flops = 3000 * 1000 / 33
    factor = (0.91 / 0.9) ** 5
    figures = {"quality": 0.91, "factor": factor, "valid_flops": flops * factor}
    whole = report(score=score(flops, **figures), runs=[run(index) for index in range(5)])
    return whole | changes
