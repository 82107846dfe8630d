"""Child processes of the runner: the same interpreter and packages, whatever folder the user stands in."""

from __future__ import annotations

import os
import site
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from runner import shadowing

DEFAULTS = {"OMP_WAIT_POLICY": "PASSIVE"}
"""Set for children unless the user set them: threads that spin beside a busy process make a step six times slower."""


def command(module: str, arguments: Sequence[str] = ()) -> list[str]:
    """The command line that runs ``module`` in a child, with nothing of the current folder on its path (``-P``)."""
    return [sys.executable, "-P", "-m", module, *arguments]


def environment() -> dict[str, str]:
    """The environment of a child: safe path for it and for what it starts itself, and this very installation."""
    found = {**DEFAULTS, **os.environ, "PYTHONSAFEPATH": "1"}
    root = shadowing.installation()
    if root not in _installed_places():
        found["PYTHONPATH"] = os.pathsep.join([str(root), *filter(None, [found.get("PYTHONPATH")])])
    return found


def _installed_places() -> set[Path]:
    """Folders that Python searches by itself; a checkout that is only on this process's path is none of them."""
    places = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), site.getusersitepackages()]
    return {Path(place).resolve() for place in places}
