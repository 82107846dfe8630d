"""Downloading a data file: progress, resume after an interruption, and nothing kept that has the wrong digest."""

from __future__ import annotations

import http.client
import os
import urllib.error
import urllib.request
from pathlib import Path

from workloads.datasets.files import Progress, ProgressCallback, check
from workloads.definition import DataFile
from workloads.errors import DatasetError

TIMEOUT_S = 30
"""Longest silence of a server: mirrors pause for seconds under load, half a minute means that it is gone."""

_BLOCK_BYTES = 1 << 17
_PARTIAL_CONTENT = 206


def download(file: DataFile, folder: Path, progress: ProgressCallback) -> Path:
    """Fetch ``file`` into ``folder`` from the first of its homes that answers; an earlier partial one is continued.

    Raises DatasetError ``data.download_failed`` where none does, ``data.corrupt`` where the bytes are wrong.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path, part = folder / file.name, folder / f"{file.name}.part"
    failures = [failure for url in file.urls if (failure := _attempt(url, file, part, progress))]
    if len(failures) == len(file.urls):
        raise DatasetError(
            "data.download_failed",
            f"The data file {file.name} could not be downloaded.",
            place=" ".join(file.urls),
            expected=f"{file.size_bytes} bytes",
            got="; ".join(failures),
            action="Check the network and run again: the download goes on where it stopped. "
            "Or put the file into a folder and name that folder in VFLOPS_DATA.",
        )
    _keep(part, path, file)
    return path


def _attempt(url: str, file: DataFile, part: Path, progress: ProgressCallback) -> str | None:
    """Fetch what is missing of ``part``; returns what went wrong, None where nothing did or nothing was missing."""
    if part.exists() and part.stat().st_size >= file.size_bytes:
        return None
    try:
        _fetch(url, file, part, progress)
    except (OSError, http.client.HTTPException) as error:
        return f"{type(error).__name__}: {error}"
    done = part.stat().st_size
    return None if done >= file.size_bytes else f"the connection ended after {done} bytes"


def _fetch(url: str, file: DataFile, part: Path, progress: ProgressCallback) -> None:
    have = part.stat().st_size if part.exists() else 0
    headers = {"Range": f"bytes={have}-"} if have else {}
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 - addresses stand in a definition
    with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310
        resumed = answer.status == _PARTIAL_CONTENT
        done = have if resumed else 0
        with part.open("ab" if resumed else "wb") as out:
            while done <= file.size_bytes and (block := answer.read(_BLOCK_BYTES)):
                out.write(block)
                done += len(block)
                progress(Progress(url, file.name, min(done, file.size_bytes), file.size_bytes))


def _keep(part: Path, path: Path, file: DataFile) -> None:
    """Move a finished download into place; a wrong one is removed, so that the next attempt starts afresh."""
    try:
        check(part, file)
    except DatasetError:
        part.unlink()
        raise
    with part.open("rb+") as written:
        os.fsync(written.fileno())
    part.replace(path)
