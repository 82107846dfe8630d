"""Whether ``runner``, ``workloads`` and ``ranking`` all come from one installation, and not from a user's folder."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import runner
from runner.errors import RunnerError

PACKAGES = ("runner", "workloads", "ranking")
ACTION = "Start `vflops` itself, not `python -m runner`; unset PYTHONPATH, or change folder."


def installation() -> Path:
    """The folder that holds the packages of this installation."""
    return Path(runner.__file__).resolve().parent.parent


def shadowed() -> dict[str, str]:
    """Packages that Python finds elsewhere than in this installation, and where; empty is as it should be."""
    return {name: found for name in PACKAGES if (found := _found_at(name)) != str(installation() / name)}


def _found_at(name: str) -> str:
    spec = importlib.util.find_spec(name)
    if spec is None:
        return "nowhere"
    if spec.origin is None or Path(spec.origin).name != "__init__.py":
        return str(spec.origin or "a folder without __init__.py")
    return str(Path(spec.origin).resolve().parent)


def refuse_shadowed() -> None:
    """Raise ``install.shadowed`` where another folder's packages would be used in place of ours."""
    wrong = shadowed()
    if wrong:
        raise RunnerError(
            "install.shadowed",
            "Python finds packages of another folder in place of those of vflops.",
            expected=installation(),
            got="; ".join(f"{name}: {place}" for name, place in wrong.items()),
            action=ACTION,
        )
