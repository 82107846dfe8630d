"""Data files on disk: checking them against their pinned digests, and the folders where they may lie."""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from workloads.definition import DataFile, Dataset
from workloads.errors import DatasetError

VARIABLE = "VFLOPS_DATA"
"""Environment variable: a folder with data files, or with one folder a data set."""

SYSTEM_FOLDER = Path("/usr/share/datasets")
"""Where Debian's ``dataset-*`` packages put their files."""

PACKAGE_FOLDERS = {"digits": ("sklearn", "datasets/data")}
"""Data sets that come inside a Python package: its name, and the folder in it."""

_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a file is: ``source`` says where it comes from."""

    source: str
    file: str
    done_bytes: int
    total_bytes: int


ProgressCallback = Callable[[Progress], None]


def sha256_of(path: Path) -> str:
    """SHA-256 of a file's bytes, in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()


def check(path: Path, expected: DataFile) -> None:
    """Raise DatasetError ``data.corrupt`` unless the file at ``path`` is exactly the published one."""
    size_bytes = path.stat().st_size
    if size_bytes != expected.size_bytes:
        raise _corrupt(path, f"{expected.size_bytes} bytes", f"{size_bytes} bytes")
    digest = sha256_of(path)
    if digest != expected.sha256:
        raise _corrupt(path, f"SHA-256 {expected.sha256}", f"SHA-256 {digest}")


def _corrupt(path: Path, expected: str, got: str) -> DatasetError:
    return DatasetError(
        "data.corrupt",
        f"The data file {path.name} is not the published one.",
        place=path,
        expected=expected,
        got=got,
        action="Remove the file and run again: it is fetched anew.",
    )


def complete(folder: Path, dataset: Dataset) -> bool:
    """Whether ``folder`` holds all files of the data set, each checked; a damaged one is an error, not a miss."""
    paths = [folder / file.name for file in dataset.files]
    if not all(path.is_file() for path in paths):
        return False
    for path, file in zip(paths, dataset.files, strict=True):
        check(path, file)
    return True


def home_folder(dataset: Dataset) -> Path:
    """Where this user's fetched files of a data set lie: under ``VFLOPS_HOME``, else the platform's data folder."""
    chosen = os.environ.get("VFLOPS_HOME")
    base = Path(chosen).expanduser().absolute() if chosen else platformdirs.user_data_path("vflops")
    return base / "data" / dataset.name


def candidates(dataset: Dataset, root: Path | None) -> tuple[Path, ...]:
    """Folders that may hold the data set, in the order in which they are tried; ``root`` replaces the user's own."""
    named = os.environ.get(VARIABLE)
    chosen = (Path(named) / dataset.name, Path(named)) if named else ()
    own = home_folder(dataset) if root is None else root / dataset.name
    return (*chosen, SYSTEM_FOLDER / dataset.name, own, *_package_folder(dataset))


def _package_folder(dataset: Dataset) -> tuple[Path, ...]:
    """Found without importing the package: importing it takes a second."""
    if dataset.name not in PACKAGE_FOLDERS:
        return ()
    package, folder = PACKAGE_FOLDERS[dataset.name]
    spec = importlib.util.find_spec(package)
    return tuple(Path(place) / folder for place in (spec.submodule_search_locations or ())) if spec else ()
