"""Puts evidence together from the entries of a container, and holds them against the statement of the bundle."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ranking.evidence import canonical, names
from ranking.evidence.chain import genesis
from ranking.evidence.checkpoint import CheckpointReader
from ranking.evidence.errors import EvidenceError, Faults, fault
from ranking.evidence.fields import kind_of
from ranking.evidence.limits import Limits
from ranking.evidence.log import LogParser
from ranking.evidence.model import CheckpointFile, RunClaim, RunEvidence, RunSetEvidence, Statement, Tensor
from ranking.evidence.names import Entry, Kind
from ranking.evidence.reader import Sink
from ranking.evidence.statement import open_envelope
from ranking.evidence.telemetry import TelemetryParser


@dataclass(frozen=True, slots=True)
class _Sink:
    """An entry's contents go to ``feed``; when it has ended, its digest goes to ``close``."""

    feed: Callable[[bytes], None]
    close: Callable[[str], None]


_MOST_LAYOUTS: Final = 16
"""Different sets of tensors that are held, for the memory of the process; what lies beyond differs all the same."""

_IGNORED = _Sink(feed=lambda _chunk: None, close=lambda _sha256: None)


class Assembly:
    """Takes entries in the order of the container; ``evidence`` is all that was sound."""

    def __init__(self, faults: Faults, limits: Limits) -> None:
        self._faults = faults
        self._limits = limits
        self._statement: Statement | None = None
        self._subjects: dict[str, str] = {}
        self._system: Mapping[str, Any] | None = None
        self._logs: dict[int, tuple[LogParser, str]] = {}
        self._telemetry: dict[int, TelemetryParser] = {}
        self._checkpoints: dict[int, list[CheckpointFile]] = {}
        self._layouts: dict[tuple[Tensor, ...], tuple[Tensor, ...]] = {}
        self._seen: set[str] = set()
        self._last: Entry | None = None
        self._text_bytes = 0

    def open_sink(self, name: str, size_bytes: int) -> Sink:
        """Where the contents of the next entry go. Raises EvidenceError where it is too large to go on."""
        entry = self._admit(name)
        if entry is None:
            return _IGNORED
        self._check_size(name, entry.kind, size_bytes)
        if entry.kind is Kind.STATEMENT:
            return self._document(name, self._take_statement)
        if entry.kind is Kind.SYSTEM:
            return self._document(name, self._take_system)
        if entry.kind is Kind.LOG:
            return self._log(name, entry.run)
        if entry.kind is Kind.TELEMETRY:
            return self._samples(name, entry.run)
        return self._checkpoint(name, entry.run, size_bytes)

    def check_complete(self) -> None:
        """Report what the bundle should hold and does not; for a container that was read to its end."""
        required = {names.STATEMENT, names.SYSTEM, *self._subjects}
        for claim in self._claims():
            required |= {names.log_name(claim.index), names.telemetry_name(claim.index)}
        for run, checkpoints in self._checkpoints.items():
            required |= {names.checkpoint_name(run, number + 1) for number in range(len(checkpoints))}
        for name in sorted(required - self._seen):
            self._faults.add("container.missing_entry", name, expected="an entry of that name", got="none")

    def evidence(self, *, file_sha256: str, size_bytes: int) -> RunSetEvidence:
        """All that was sound."""
        return RunSetEvidence(
            statement=self._statement,
            system=self._system,
            runs=tuple(self._run(claim) for claim in self._claims()),
            file_sha256=file_sha256,
            size_bytes=size_bytes,
        )

    def _claims(self) -> tuple[RunClaim, ...]:
        return self._statement.predicate.runs if self._statement else ()

    def _admit(self, name: str) -> Entry | None:
        """The entry called ``name``; None, with a finding, for one that has no place here."""
        entry = names.parse(name)
        if not names.is_safe(name):
            self._faults.add("container.unsafe_name", name, expected="a relative path of [a-z0-9._-]", got=name)
        elif name in self._seen:
            self._faults.add("container.duplicate_name", name, expected="each name once", got="a second entry")
        elif entry is None:
            self._faults.add("container.unexpected_entry", name, expected="a file of format 1", got=name)
        elif self._statement and name != names.STATEMENT and name not in self._subjects:
            self._faults.add("container.unexpected_entry", name, expected="a subject of the statement", got=name)
        else:
            self._seen.add(name)
            self._check_order(name, entry)
            return entry
        return None

    def _check_order(self, name: str, entry: Entry) -> None:
        if self._last is None and entry.kind is not Kind.STATEMENT:
            self._faults.add("container.order", name, expected=f"{names.STATEMENT} first", got=name)
        elif self._last is not None and entry < self._last:
            self._faults.add("container.order", name, expected="the order of format 1", got="an entry that comes late")
        self._last = entry

    def _check_size(self, name: str, kind: Kind, size_bytes: int) -> None:
        limit = self._limits.of(kind)
        if kind in (Kind.LOG, Kind.TELEMETRY):
            limit = min(limit, self._limits.text_bytes - self._text_bytes)
            self._text_bytes += size_bytes
        if size_bytes > limit:
            raise fault("container.entry_too_large", name, expected=f"at most {limit} bytes", got=size_bytes)

    def _document(self, name: str, take: Callable[[bytes], None]) -> Sink:
        data = bytearray()

        def close(sha256: str) -> None:
            self._check_digest(name, sha256)
            self._guarded(lambda: take(bytes(data)))

        return _Sink(feed=data.extend, close=close)

    def _take_statement(self, data: bytes) -> None:
        self._statement, findings = open_envelope(data)
        for found in findings:
            self._faults.take(found)
        if self._statement:
            self._subjects = {subject.name: subject.sha256 for subject in self._statement.subjects}

    def _take_system(self, data: bytes) -> None:
        value = canonical.loads_canonical(data, place=names.SYSTEM)
        if not isinstance(value, dict):
            raise fault("schema.field", names.SYSTEM, expected="an object", got=kind_of(value))
        self._system = value

    def _log(self, name: str, run: int) -> Sink:
        parser = LogParser(name, self._faults, start=self._genesis(run))

        def close(sha256: str) -> None:
            parser.close()
            self._check_digest(name, sha256)
            self._check_head(name, parser.head, [claim.log_head for claim in self._claims() if claim.index == run])
            self._logs[run] = parser, sha256

        return _Sink(feed=parser.feed, close=close)

    def _samples(self, name: str, run: int) -> Sink:
        parser = TelemetryParser(name, self._faults, start=self._genesis(run))

        def close(sha256: str) -> None:
            parser.close()
            self._check_digest(name, sha256)
            self._check_head(name, parser.head, [c.telemetry_head for c in self._claims() if c.index == run])
            self._telemetry[run] = parser

        return _Sink(feed=parser.feed, close=close)

    def _checkpoint(self, name: str, run: int, size_bytes: int) -> Sink:
        reader = CheckpointReader(name, size_bytes)

        def take(sha256: str) -> None:
            found = reader.contents()
            checkpoint = CheckpointFile(
                name=name,
                sha256=sha256,
                size_bytes=size_bytes,
                tensors=self._shared(found.tensors),
                workload=found.workload,
                integers=found.integers,
                weights=found.weights,
            )
            self._checkpoints.setdefault(run, []).append(checkpoint)

        def close(sha256: str) -> None:
            self._check_digest(name, sha256)
            self._guarded(lambda: take(sha256))

        return _Sink(feed=reader.feed, close=close)

    def _shared(self, tensors: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """One object for all checkpoints of one layout; the checkpoints of a run set have a single one."""
        if len(self._layouts) < _MOST_LAYOUTS:
            return self._layouts.setdefault(tensors, tensors)
        return self._layouts.get(tensors, ())

    def _guarded(self, take: Callable[[], None]) -> None:
        try:
            take()
        except EvidenceError as error:
            self._faults.take(error.finding)

    def _genesis(self, run: int) -> str | None:
        if self._statement is None:
            return None
        nonce = self._statement.predicate.nonce
        return next((genesis(nonce, run, claim.seed) for claim in self._claims() if claim.index == run), None)

    def _check_digest(self, name: str, sha256: str) -> None:
        expected = self._subjects.get(name)
        if expected is not None and sha256 != expected:
            self._faults.add("statement.digest", name, expected=f"SHA-256 {expected}", got=sha256)

    def _check_head(self, name: str, head: str | None, claimed: list[str]) -> None:
        if claimed and head is not None and head != claimed[0]:
            self._faults.add("chain.head", name, expected=f"the last line to have SHA-256 {claimed[0]}", got=head)

    def _run(self, claim: RunClaim) -> RunEvidence:
        log, sha256 = self._logs.get(claim.index, (None, None))
        telemetry = self._telemetry.get(claim.index)
        return RunEvidence(
            index=claim.index,
            seed=claim.seed,
            lines=tuple(log.lines) if log else (),
            telemetry=tuple(telemetry.samples) if telemetry else (),
            checkpoints=tuple(self._checkpoints.get(claim.index, ())),
            log_sha256=sha256,
        )
