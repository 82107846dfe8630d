"""Digest of the source that makes evidence: every Python file of the three packages."""

from __future__ import annotations

import hashlib
from pathlib import Path

from runner import shadowing
from workloads.datasets.files import sha256_of


def source_digest(root: Path | None = None) -> str:
    """SHA-256 over the sorted lines ``path sha256`` of all ``.py`` files below ``root``, this installation by default.

    The same in a checkout and in the wheel made from it.
    """
    root = root or shadowing.installation()
    files = sorted(path for package in shadowing.PACKAGES for path in (root / package).rglob("*.py"))
    lines = (f"{p.relative_to(root).as_posix()} {sha256_of(p)}\n" for p in files)
    return hashlib.sha256("".join(lines).encode()).hexdigest()
