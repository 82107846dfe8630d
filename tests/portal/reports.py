"""Reports as the verifier writes them, for tests of what the portal does with one."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from ranking.evidence.statement import key_id, public_bytes
from tests.bundles import KEY

FINDING = {
    "id": "repeatability.cv_flops",
    "verdict": "hold",
    "sentence": "The runs differ.",
    "place": "runs",
    "expected": "at most 5 %",
    "got": "7 %",
    "action": "Run again on a quiet machine.",
}


def report(name: str = "bundle", *, verdict: str = "accept", flops: float = 1e9, **changes: Any) -> dict[str, Any]:
    """A whole report; ``flops`` is the score, with runs 1 % around it."""
    document: dict[str, Any] = {
        "schema": "vflops-report/1",
        "rule_set": "1",
        "verifier": "0.1.0",
        "bundle": sha256(name.encode()).hexdigest(),
        "file_sha256": sha256(b"file" + name.encode()).hexdigest(),
        "size_bytes": 1000,
        "verdict": verdict,
        "findings": [] if verdict == "accept" else [FINDING | {"verdict": verdict}],
        "submission": claims(),
        "score": score(flops),
        "runs": [],
        "system": {"framework": "PyTorch 2.13.0"},
        "accelerator": {"name": "NVIDIA H200", "canonical": "H200", "count": 8, "vendor": "NVIDIA", "peak_flops": 1e15},
        "framework": "PyTorch 2.13.0",
        "precision": "fp32",
    }
    return document | changes


def claims(**changes: Any) -> dict[str, Any]:
    """What the statement says."""
    return {
        "workload": "image_classification",
        "scale": "smoke",
        "version": "1",
        "level": "hardware",
        "key_id": key_id(public_bytes(KEY)),
        "organisation": "",
        "system_name": "Test system",
        "seeds": "own",
        "created": "2026-11-30T20:00:00Z",
    } | changes


def score(flops: float, **changes: Any) -> dict[str, Any]:
    """Figures of a run set."""
    return {
        "valid_flops": flops,
        "flops": flops,
        "quality": 0.9,
        "target_quality": 0.9,
        "sensitivity_n": 5,
        "factor": 1.0,
        "seconds": 10.0,
        "samples": 1000,
        "flops_per_sample": 1000,
        "throughput": 100.0,
        "low": flops * 0.99,
        "high": flops * 1.01,
        "all_low": flops * 0.98,
        "all_high": flops * 1.02,
        "cv_flops": 0.01,
        "time_to_target_s": 5.0,
        "epochs_to_target": 2.0,
        "share_of_peak": None,
        "energy": None,
        "counted": [0, 1, 2],
    } | changes
