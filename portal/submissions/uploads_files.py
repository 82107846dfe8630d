"""The growing file of an unfinished upload: one writer at a time, bytes on disk before the database counts them."""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from django.conf import settings

READ_BYTES = 64 * 1024
"""Bytes held in memory at a time, whatever the size of a request or bundle."""

LOCK_SUFFIX = ".lock"


class Busy(Exception):
    """Another request is writing to this upload."""


def partial_path(public_id: str) -> Path:
    """Where the bytes of an unfinished upload lie. All web processes of a deployment share this folder."""
    return Path(settings.UPLOAD_DIR) / public_id


@contextmanager
def only_writer(public_id: str) -> Iterator[None]:
    """Hold an upload for writing; raises Busy where someone does.

    The lock is the kernel's: it ends with the process that holds it, so that a killed web process blocks nobody.
    """
    path = partial_path(public_id).with_suffix(LOCK_SUFFIX)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Busy(public_id) from error
        yield


@contextmanager
def open_at(public_id: str, offset_bytes: int) -> Iterator[BinaryIO]:
    """The partial file, cut to what the database counts and positioned at its end."""
    path = partial_path(public_id)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    with os.fdopen(descriptor, "r+b") as file:
        file.truncate(offset_bytes)
        file.seek(offset_bytes)
        yield file


def make_durable(file: BinaryIO) -> None:
    """Bring written bytes to the disk."""
    file.flush()
    os.fsync(file.fileno())


def sha256_of(public_id: str) -> str:
    """SHA-256 of the partial file, in hex."""
    with partial_path(public_id).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def discard(public_id: str) -> None:
    """Remove what an upload left in the folder."""
    partial_path(public_id).unlink(missing_ok=True)
    partial_path(public_id).with_suffix(LOCK_SUFFIX).unlink(missing_ok=True)
