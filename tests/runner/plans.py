"""A plan of a smoke run set, for tests that need one and run nothing of it."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from runner.plan import RunSetPlan, seeds_of
from workloads.definition import Configuration, Level, find

SMOKE = find("image_classification", "smoke")
NONCE = "11" * 16


def make_plan(folder: Path, **fields: Any) -> RunSetPlan:
    """A plan whose data and bundle lie in ``folder``; ``fields`` replace its own."""
    plan = RunSetPlan(
        workload=SMOKE,
        level=Level.HARDWARE,
        configuration=Configuration(global_batch_size=SMOKE.default_global_batch_size),
        layers_changed=(),
        nonce=NONCE,
        seeds=seeds_of(NONCE, SMOKE),
        created="2026-11-30T20:00:00Z",
        device="cpu",
        system_name="a system",
        organisation="",
        key="default",
        data_dir=folder,
        output=folder / "set.vflops",
        source_digest="ab" * 32,
    )
    return dataclasses.replace(plan, **fields)
