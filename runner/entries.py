"""A bundle's entries as they stand in the file, however damaged it is; read as the verifier reads, nothing inflated."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ranking.evidence import names
from ranking.evidence.errors import EvidenceError, Faults
from ranking.evidence.limits import Limits
from ranking.evidence.model import Statement
from ranking.evidence.reader import ContainerReader, Sink
from ranking.evidence.statement import open_envelope
from ranking.findings import Finding
from runner.errors import RunnerError

LIMITS = Limits()
"""The verifier's own: what it would refuse for its size is not held in memory here either."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A file in the bundle."""

    name: str
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The entries up to the end or to what cannot be read, and the contents of those that were wanted."""

    entries: tuple[Entry, ...]
    contents: Mapping[str, bytes]


class _Enough(Exception):
    """The rest of the container is not wanted."""


@dataclass(slots=True)
class _Kept:
    """Takes an entry's contents; what ends too early is kept up to there."""

    data: bytearray = field(default_factory=bytearray)

    def feed(self, chunk: bytes, /) -> None:
        """Keep the next part."""
        self.data.extend(chunk)

    def close(self, sha256: str, /) -> None:
        """Nothing more to do."""


class _Passed(_Kept):
    """An entry that is only listed."""

    def feed(self, chunk: bytes, /) -> None:
        """Let it pass."""


class _Shelf:
    """Lists every entry and keeps the first of each name that is wanted."""

    def __init__(self, wanted: Collection[str], most: int) -> None:
        self._wanted = wanted
        self._most = most
        self.entries: list[Entry] = []
        self.kept: dict[str, _Kept] = {}

    def open_sink(self, name: str, size_bytes: int) -> Sink:
        """Where the next entry's contents go."""
        if len(self.entries) >= self._most:
            raise _Enough
        self.entries.append(Entry(name=name, size_bytes=size_bytes))
        place = names.parse(name)
        if place is None or name not in self._wanted or name in self.kept or size_bytes > LIMITS.of(place.kind):
            return _Passed()
        return self.kept.setdefault(name, _Kept())


def read_entries(path: Path, wanted: Collection[str], *, most: int = LIMITS.entries) -> Opened:
    """The first ``most`` entries of the file at ``path``; raises ``bundle.unreadable`` where it holds none of ours."""
    shelf, faults = _Shelf(wanted, most), Faults()
    try:
        with path.open("rb") as stream:
            ContainerReader(stream, faults, most_entries=LIMITS.entries).read(shelf.open_sink)
    except _Enough:
        pass
    except EvidenceError as error:
        faults.take(error.finding)
    except OSError as error:
        raise unreadable(path, error.strerror) from error
    if not any(names.parse(entry.name) for entry in shelf.entries):
        raise unreadable(path, _first(faults.listed()))
    return Opened(entries=tuple(shelf.entries), contents={name: bytes(kept.data) for name, kept in shelf.kept.items()})


def statement_of(path: Path) -> Statement:
    """The statement of the bundle at ``path``; reads no further than that, and raises ``bundle.unreadable``."""
    envelope = read_entries(path, (names.STATEMENT,), most=1).contents.get(names.STATEMENT, b"")
    statement, findings = open_envelope(envelope)
    if statement is None:
        raise unreadable(path, _first(findings))
    return statement


def _first(findings: list[Finding]) -> str:
    """The first thing that is wrong, in a line."""
    if not findings:
        return "no entry of a bundle"
    found = findings[0]
    return ", ".join(filter(None, [f"{found.id} in {found.place}", found.got and f"got {found.got}"]))


def unreadable(path: Path, got: object) -> RunnerError:
    """The error of a file that cannot be read as a bundle."""
    return RunnerError(
        "bundle.unreadable",
        "This file cannot be read as a bundle.",
        place=path,
        expected="a file that `vflops run` wrote",
        got=got,
        action=f"See what is wrong with it: vflops verify {shlex.quote(str(path))}",
    )
