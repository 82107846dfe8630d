"""The log of a run: lines that MLPerf's tools read, each bound to the one before by sequence, clock and digest."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from sys import intern
from types import MappingProxyType, TracebackType
from typing import Final, Self

from ranking.evidence import canonical, keys
from ranking.evidence.chain import Chain, genesis
from ranking.evidence.clock import Clock, Moment, system_clock
from ranking.evidence.errors import Faults, fault
from ranking.evidence.fields import Fields
from ranking.evidence.lines import ChainedLines, append_line
from ranking.evidence.model import Json, LogLine
from ranking.findings import Finding

PREFIX: Final = b":::MLLOG "
"""What MLPerf's parsers look for in front of a line's JSON."""

_FIELDS: Final = frozenset({"event_type", "key", "metadata", "namespace", "time_ms", "value"})
MOST_VALUES: Final = 96
"""Values of a line: the longest, ``begin``, has 20; the rest is room for the commas of a system's name."""

_NAMESPACES: Final = ("", keys.NAMESPACE)
_NO_METADATA: Final[Mapping[str, Json]] = MappingProxyType({})
"""One for all lines that have none: the log of a day has a hundred thousand."""

_DURABLE_AFTER: Final = frozenset({keys.BLOCK_STOP, keys.RUN_STOP, keys.END})
"""Keys after which the log is forced to disk: once an interval, so that a crash of the machine costs one at most."""


class LogWriter:
    """Writes a new log at ``path``, a whole line at a time; refuses to touch one that exists."""

    def __init__(self, path: Path, *, nonce: str, index: int, seed: int, clock: Clock = system_clock) -> None:
        self._chain = Chain(genesis(nonce, index, seed))
        self._clock = clock
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)

    @property
    def head(self) -> str:
        """SHA-256 of the last line."""
        return self._chain.head

    def write(
        self,
        key: str,
        value: object = None,
        *,
        event_type: str = keys.POINT_IN_TIME,
        namespace: str = "",
        metadata: Mapping[str, object] | None = None,
    ) -> Moment:
        """Append one line; gives the moment that it was stamped with. Raises EvidenceError for what JSON cannot say."""
        moment = self._clock()
        line = PREFIX + canonical.dumps(
            {
                "event_type": event_type,
                "key": key,
                "metadata": {**self._common(moment), **(metadata or {})},
                "namespace": namespace,
                "time_ms": moment.time_ms,
                "value": value,
            },
            place=key,
        )
        append_line(self._file, line)
        self._chain.append(line)
        if key in _DURABLE_AFTER:
            os.fsync(self._file)
        return moment

    def close(self) -> None:
        """Force the log to disk and close it."""
        os.fsync(self._file)
        os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _common(self, moment: Moment) -> dict[str, object]:
        return {
            keys.FILE: keys.NAMESPACE,
            keys.LINENO: 0,
            keys.SEQ: self._chain.seq,
            keys.CLOCK_US: moment.clock_us,
            keys.PREV: self._chain.head,
        }


class LogParser(ChainedLines):
    """Streaming parser of one log: feed, close, then ``lines``."""

    most_values = MOST_VALUES

    def __init__(self, name: str, faults: Faults, *, start: str | None) -> None:
        super().__init__(name, faults, start=start)
        self.lines: list[LogLine] = []

    def _line(self, line: bytes) -> str:
        here = self._here()
        if not line.startswith(PREFIX):
            raise fault("schema.log_prefix", here, expected=PREFIX.decode(), got=line[:20].decode("utf-8", "replace"))
        if line.endswith(b"\r"):
            raise fault("schema.line_ending", here, expected="a line feed alone", got="carriage return and line feed")
        fields = Fields(canonical.loads_canonical(line[len(PREFIX) :], place=here), here).only(_FIELDS)
        parsed, prev = _log_line(fields, self.number)
        if parsed.seq != self.number - 1:
            self._faults.add("chain.sequence", here, expected=self.number - 1, got=parsed.seq)
        self.lines.append(parsed)
        return prev


def _log_line(fields: Fields, number: int) -> tuple[LogLine, str]:
    common = fields.object("metadata")
    metadata = common.including(keys.COMMON_METADATA)
    common.text(keys.FILE)
    common.integer(keys.LINENO)
    line = LogLine(
        number=number,
        event_type=intern(fields.word("event_type", keys.EVENT_TYPES)),
        namespace=intern(fields.word("namespace", _NAMESPACES)),
        key=intern(fields.text("key")),
        value=fields.any("value"),
        metadata=metadata or _NO_METADATA,
        time_ms=fields.integer("time_ms"),
        clock_us=common.integer(keys.CLOCK_US),
        seq=common.integer(keys.SEQ),
    )
    return line, common.hex(keys.PREV, 64)


def parse_log(
    chunks: bytes | Iterable[bytes], *, name: str = "log.txt", start: str | None = None
) -> tuple[tuple[LogLine, ...], list[Finding]]:
    """Lines and findings of a log given whole or in parts; ``start`` is the chain's genesis where it is known."""
    faults = Faults()
    parser = LogParser(name, faults, start=start)
    for chunk in [chunks] if isinstance(chunks, bytes) else chunks:
        parser.feed(chunk)
    parser.close()
    return tuple(parser.lines), faults.listed()
