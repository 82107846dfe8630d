"""Names of a bundle's entries: which exist, in which order, and which are an attack."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

STATEMENT: Final = "statement.dsse.json"
SYSTEM: Final = "system.json"

MOST_RUNS: Final = 64
"""Runs that a bundle may hold; definitions ask for 5, larger sets serve calibration."""

_RUN_FILE = re.compile(r"runs/(0|[1-9][0-9]?)/(log\.txt|telemetry\.jsonl|checkpoints/([0-9]{5})\.safetensors)")
_SAFE = re.compile(r"[a-z0-9._-]+(/[a-z0-9._-]+)*")


class Kind(IntEnum):
    """What an entry is, in the order of the container."""

    STATEMENT = 0
    SYSTEM = 1
    LOG = 2
    TELEMETRY = 3
    CHECKPOINT = 4


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """An entry's place in the order of the container: run first within the runs, then kind, then number."""

    part: int
    run: int
    kind: Kind
    number: int


def log_name(run: int) -> str:
    """The log of run ``run``."""
    return f"runs/{run}/log.txt"


def telemetry_name(run: int) -> str:
    """The telemetry of run ``run``."""
    return f"runs/{run}/telemetry.jsonl"


def checkpoint_name(run: int, number: int) -> str:
    """The checkpoint of evaluation ``number``, which counts from 1, of run ``run``."""
    return f"runs/{run}/checkpoints/{number:05}.safetensors"


def parse(name: str) -> Entry | None:
    """What the entry ``name`` is; None for a name that format 1 does not know."""
    if name == STATEMENT:
        return Entry(0, 0, Kind.STATEMENT, 0)
    if name == SYSTEM:
        return Entry(1, 0, Kind.SYSTEM, 0)
    match = _RUN_FILE.fullmatch(name)
    if not match or int(match[1]) >= MOST_RUNS or match[3] == "00000":
        return None
    kind = Kind.LOG if match[2] == "log.txt" else Kind.TELEMETRY if match[2] == "telemetry.jsonl" else Kind.CHECKPOINT
    return Entry(2, int(match[1]), kind, int(match[3] or 0))


def is_safe(name: str) -> bool:
    """Whether ``name`` is relative, stays where it is unpacked, and means the same on every system."""
    return _SAFE.fullmatch(name) is not None and not {".", ".."} & set(name.split("/"))
