"""What the runner needs of clocks beside ``ranking.evidence.clock``: the boot's id, and UTC as text."""

from __future__ import annotations

import time
from pathlib import Path

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
"""Linux's random id of this boot: CLOCK_BOOTTIME may be compared within it only."""


def supported() -> bool:
    """Whether this system has a clock that goes on through suspend, and says which boot it counts from."""
    return hasattr(time, "CLOCK_BOOTTIME") and BOOT_ID.exists()


def utc_text() -> str:
    """UTC now as ``2026-11-30T20:00:00Z``."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def boot_id() -> str:
    """This boot's id as the kernel gives it; never written to evidence unhashed."""
    return BOOT_ID.read_text(encoding="ascii").strip()
