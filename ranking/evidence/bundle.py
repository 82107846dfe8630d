"""A bundle on disk: written atomically in canonical form, read in one pass that never raises on what it is given."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Final
from zlib import crc32

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ranking.evidence import container, names
from ranking.evidence.assembly import Assembly
from ranking.evidence.container import Member
from ranking.evidence.errors import EvidenceError, Faults, fault
from ranking.evidence.limits import Limits
from ranking.evidence.model import Predicate, RunSetEvidence, Subject
from ranking.evidence.reader import CHUNK_BYTES, ContainerReader
from ranking.evidence.statement import build_statement, sign
from ranking.findings import Finding

Source = Path | bytes
"""Contents of an entry: a file, or the bytes themselves."""

DEFAULT_LIMITS: Final = Limits()


def read_bundle(path: Path, limits: Limits = DEFAULT_LIMITS) -> tuple[RunSetEvidence, list[Finding]]:
    """Everything sound in the bundle at ``path``, and a finding for everything else. Raises for no contents at all."""
    faults = Faults()
    assembly = Assembly(faults, limits)
    size_bytes, file_sha256 = 0, ""
    try:
        with _open(path) as stream:
            size_bytes = os.fstat(stream.fileno()).st_size
            if size_bytes > limits.file_bytes:
                raise fault("container.too_large", path.name, expected=f"at most {limits.file_bytes}", got=size_bytes)
            reader = ContainerReader(stream, faults, most_entries=limits.entries)
            _read(reader, assembly, faults)
            file_sha256 = reader.finish()
    except EvidenceError as error:
        faults.take(error.finding)
    except OSError as error:
        faults.add("container.unreadable", path.name, expected="a file that can be read", got=error.strerror)
    return assembly.evidence(file_sha256=file_sha256, size_bytes=size_bytes), faults.listed()


def _open(path: Path) -> BinaryIO:
    """Open a regular file; a pipe would wait for ever, and a device never end."""
    if path.exists() and not path.is_file():
        raise fault("container.unreadable", path.name, expected="a regular file", got="a folder, pipe or device")
    try:
        return path.open("rb")
    except ValueError as error:
        raise fault("container.unreadable", path.name, expected="a name that a file can have", got=error) from error


def _read(reader: ContainerReader, assembly: Assembly, faults: Faults) -> None:
    try:
        reader.read(assembly.open_sink)
    except EvidenceError as error:
        faults.take(error.finding)
    else:
        assembly.check_complete()


def write_bundle(path: Path, entries: Sequence[tuple[str, Source]]) -> None:
    """Write a container of ``entries``, in their order, to ``path``: whole and on disk, or not at all."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            _write(stream, entries)
            stream.flush()
            os.fchmod(stream.fileno(), 0o644)
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def seal_bundle(
    path: Path, *, predicate: Predicate, files: Sequence[tuple[str, Source]], private_key: Ed25519PrivateKey
) -> str:
    """Sign a statement over ``files`` and write both as a bundle to ``path``; gives the bundle's identity.

    ``files`` may come in any order. Raises EvidenceError for a name that format 1 does not know.
    """
    ordered = sorted(files, key=lambda file: _entry_order(file[0]))
    subjects = [Subject(name=name, sha256=_measure(source).sha256) for name, source in ordered]
    payload = build_statement(predicate, subjects)
    write_bundle(path, [(names.STATEMENT, sign(payload, private_key)), *ordered])
    return sha256(payload).hexdigest()


def _entry_order(name: str) -> names.Entry:
    entry = names.parse(name)
    if entry is None:
        raise fault("container.unexpected_entry", name, expected="a name of format 1", got=name)
    return entry


@dataclass(frozen=True, slots=True)
class _Measured:
    sha256: str
    crc: int
    size_bytes: int


def _measure(source: Source) -> _Measured:
    digest, crc, size_bytes = sha256(), 0, 0
    for chunk in _chunks(source):
        digest.update(chunk)
        crc = crc32(chunk, crc)
        size_bytes += len(chunk)
    return _Measured(digest.hexdigest(), crc, size_bytes)


def _write(stream: BinaryIO, entries: Sequence[tuple[str, Source]]) -> None:
    members: list[Member] = []
    for name, source in entries:
        found = _measure(source)
        member = Member(name=name.encode("ascii"), crc=found.crc, size_bytes=found.size_bytes, offset=stream.tell())
        stream.write(container.local_header(member))
        if _copy(source, stream) != found.crc:
            raise fault("container.checksum", name, expected=f"{found.crc:08x}", got="a file that changes")
        members.append(member)
    stream.write(container.directory(members, stream.tell()))


def _copy(source: Source, stream: BinaryIO) -> int:
    crc = 0
    for chunk in _chunks(source):
        crc = crc32(chunk, crc)
        stream.write(chunk)
    return crc


def _chunks(source: Source) -> Iterator[bytes]:
    if isinstance(source, bytes):
        yield source
        return
    with source.open("rb") as stream:
        while chunk := stream.read(CHUNK_BYTES):
            yield chunk


def _sync_folder(folder: Path) -> None:
    """Make the new name itself durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
