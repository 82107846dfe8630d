"""A run's phases as strips on one time scale: what was prepared, trained, evaluated and written, and for how long."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from portal.boards.words import word

STRIP_WIDTH = 1000.0
"""Width of a strip's drawing in its own units."""
KNOWN = ("preparation", "training", "evaluation", "checkpoint")
"""Phases with a colour of their own; others share one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One phase of a run: its class, place and width in the drawing, and its length in seconds."""

    name: str
    css: str
    x: float
    width: float
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """The phases of one run, and how long each kind took in all."""

    number: int
    parts: tuple[Part, ...]
    totals: tuple[tuple[str, float], ...]


def strips(runs: Sequence[Mapping[str, Any]]) -> tuple[Strip, ...]:
    """One strip a run, all on the scale of the longest."""
    moments = [phase[key] for run in runs for phase in run["phases"] for key in ("start_s", "stop_s")]
    if not moments:
        return ()
    first, last = min(moments), max(moments)
    scale = STRIP_WIDTH / (last - first) if last > first else 0.0
    return tuple(_strip(run, first, scale) for run in runs)


def _strip(run: Mapping[str, Any], first: float, scale: float) -> Strip:
    parts = tuple(_part(phase, first, scale) for phase in run["phases"])
    totals: dict[str, float] = defaultdict(float)
    for part in parts:
        totals[word(part.name, "phase")] += part.seconds
    return Strip(number=run["index"] + 1, parts=parts, totals=tuple(totals.items()))


def _part(phase: Mapping[str, Any], first: float, scale: float) -> Part:
    name = phase["name"]
    seconds = phase["stop_s"] - phase["start_s"]
    return Part(
        name=name,
        css=f"phase-{name if name in KNOWN else 'other'}",
        x=round((phase["start_s"] - first) * scale, 2),
        width=round(seconds * scale, 2),
        seconds=seconds,
    )
