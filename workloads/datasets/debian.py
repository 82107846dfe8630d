"""A data set out of its Debian package, downloaded and unpacked without root and without installing it."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from workloads.datasets.files import SYSTEM_FOLDER, Progress, ProgressCallback, complete
from workloads.definition import Dataset
from workloads.errors import DatasetError

PACKAGES = {"fashion-mnist": "dataset-fashion-mnist"}
"""Debian's package of each data set that has one."""

TIMEOUT_S = 300
"""For 30 MB from a package mirror: slower than 100 kB/s is as good as broken."""


def available(dataset: Dataset) -> bool:
    """Whether the data set has a package and this machine the tools to unpack it."""
    return dataset.name in PACKAGES and all(map(shutil.which, ("apt-get", "dpkg-deb")))


def unpack(dataset: Dataset, folder: Path, progress: ProgressCallback) -> None:
    """Put the data set's files into ``folder``; raises DatasetError ``data.package_failed`` where that fails."""
    package = PACKAGES[dataset.name]
    total_bytes = sum(file.size_bytes for file in dataset.files)
    progress(Progress("Debian package", package, 0, total_bytes))
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        _command(["apt-get", "download", package], Path(scratch))
        archives = [str(path) for path in Path(scratch).glob("*.deb")]
        for archive in archives:
            _command(["dpkg-deb", "-x", archive, "unpacked"], Path(scratch))
        found = Path(scratch) / "unpacked" / SYSTEM_FOLDER.relative_to("/") / dataset.name
        if not complete(found, dataset):
            raise _failed(package, f"files missing in {', '.join(archives) or 'no archive'}")
        folder.mkdir(exist_ok=True)
        for file in dataset.files:
            (found / file.name).replace(folder / file.name)
    progress(Progress("Debian package", package, total_bytes, total_bytes))


def _command(command: list[str], folder: Path) -> None:
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _failed(command[-1], str(error)) from error
    if done.returncode != 0:
        raise _failed(command[-1], f"{command[0]} ended with {done.returncode}: {done.stderr.strip()[-200:]}")


def _failed(what: str, got: str) -> DatasetError:
    return DatasetError(
        "data.package_failed",
        "The data set's Debian package could not be fetched and unpacked.",
        place=what,
        got=got,
        action="Run apt-get update as root, or let the files be downloaded.",
    )
