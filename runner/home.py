"""Where the command line keeps its own things: keys, runs, data, logs. ``VFLOPS_HOME`` moves all of it."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

VARIABLE = "VFLOPS_HOME"
"""``workloads.datasets.files`` looks for it too; it is not imported from there, because this module must work where
another folder's ``workloads`` stands in place of ours."""


def home() -> Path:
    """The folder of this user's keys, runs, data and logs; not created here."""
    chosen = os.environ.get(VARIABLE)
    return Path(chosen).expanduser().absolute() if chosen else platformdirs.user_data_path("vflops")


def _folder(name: str, mode: int = 0o755) -> Path:
    path = home() / name
    path.mkdir(parents=True, exist_ok=True, mode=mode)
    return path


def keys_folder() -> Path:
    """Private keys; only its owner may enter."""
    return _folder("keys", 0o700)


def runs_folder() -> Path:
    """One folder a run set."""
    return _folder("runs")


def logs_folder() -> Path:
    """Tracebacks of unexpected errors."""
    return _folder("logs")
