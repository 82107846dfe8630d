"""Energy of the CPU packages, from Linux's RAPL counters where this user may read them."""

from __future__ import annotations

from pathlib import Path

from ranking.evidence.model import Reading, Unavailable
from runner.telemetry.unavailable import attempt, because

ROOT = Path("/sys/class/powercap")
PACKAGE_PATTERN = "intel-rapl:[0-9]*"
"""Packages are ``intel-rapl:N`` (AMD's too); parts of a package, ``intel-rapl:N:M``, lie within and are not added."""


class RaplReader:
    """Sums the energy of all packages since this object was made; counters that wrap are followed."""

    def __init__(self, root: Path = ROOT) -> None:
        """Find the packages and their counters' first values."""
        self._packages = [p for p in sorted(root.glob(PACKAGE_PATTERN)) if p.name.count(":") == 1]
        self._ranges = attempt(lambda: self._numbers("max_energy_range_uj"), OSError, ValueError)
        self._last = attempt(lambda: self._numbers("energy_uj"), OSError, ValueError)
        self._total_microjoules = 0

    def read(self) -> Reading:
        """One sample: microjoules of all packages together."""
        if not self._packages:
            return because("no RAPL counters on this machine")
        now = attempt(lambda: self._numbers("energy_uj"), OSError, ValueError)
        if isinstance(now, Unavailable):
            return now
        if isinstance(self._ranges, Unavailable) or isinstance(self._last, Unavailable):
            return because("the counters could not be read at the start")
        return self._add(now, self._last, self._ranges)

    def _add(self, now: list[int], last: list[int], ranges: list[int]) -> int:
        for value, before, size in zip(now, last, ranges, strict=True):
            self._total_microjoules += value - before if value >= before else value - before + size
        self._last = now
        return self._total_microjoules

    def _numbers(self, name: str) -> list[int]:
        return [int((package / name).read_text(encoding="ascii")) for package in self._packages]
