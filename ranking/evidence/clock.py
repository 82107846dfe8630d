"""The clocks that evidence is stamped with: UTC for people, and one that never steps and counts suspend."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Moment:
    """UTC in milliseconds since 1970, and CLOCK_BOOTTIME in microseconds, read together."""

    time_ms: int
    clock_us: int


Clock: TypeAlias = Callable[[], Moment]


def system_clock() -> Moment:
    """This moment, by the machine's clocks."""
    clock_us = time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000
    return Moment(time_ms=time.time_ns() // 1_000_000, clock_us=clock_us)
