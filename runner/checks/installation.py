"""Checks of the installation itself, made before anything else of it is imported."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from runner import shadowing
from runner.checks.check import Check, Status, check

MIN_PYTHON = (3, 11)


def installation_checks() -> Iterator[Check]:
    """Python's version, and where the packages come from."""
    yield python_version()
    yield packages_origin()


def python_version() -> Check:
    """``python.version``."""
    wanted = ".".join(map(str, MIN_PYTHON))
    found = ".".join(map(str, sys.version_info[:3]))
    bad = Status.FAIL if sys.version_info < MIN_PYTHON else None
    return check("python.version", f"Python {found}", bad=bad, action=f"Use {wanted} or newer.")


def packages_origin() -> Check:
    """``install.shadowed``."""
    wrong = shadowing.shadowed()
    found = "; ".join(f"{name} comes from {place}" for name, place in wrong.items())
    return check(
        "install.shadowed",
        found or f"all packages come from {shadowing.installation()}",
        bad=Status.FAIL if wrong else None,
        action=shadowing.ACTION,
    )
