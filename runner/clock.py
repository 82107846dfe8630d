"""The two clocks of the evidence: boot time, which counts suspend, and UTC beside it."""

from __future__ import annotations

import time
from pathlib import Path

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
"""Linux's random id of this boot: the clock may be compared within it only."""


def supported() -> bool:
    """Whether this system has a clock that goes on through suspend."""
    return hasattr(time, "CLOCK_BOOTTIME")


def boot_us() -> int:
    """Microseconds since boot, suspend included (CLOCK_BOOTTIME)."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000


def utc_ms() -> int:
    """UTC in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def utc_text() -> str:
    """UTC now as ``2026-11-30T20:00:00Z``."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def boot_id() -> str:
    """This boot's id as the kernel gives it; never written to evidence unhashed."""
    return BOOT_ID.read_text(encoding="ascii").strip()
