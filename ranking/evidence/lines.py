"""Lines on their way out and in: appended whole or not at all; read with a bound on their length, along their chain."""

from __future__ import annotations

import os
from typing import Final

from ranking.evidence import canonical
from ranking.evidence.chain import next_head
from ranking.evidence.errors import EvidenceError, Faults, fault

LINE_BYTES: Final = 1 << 16
"""Longest line of a log or of telemetry: telemetry of 64 devices takes 25 KB; a line is held in memory whole."""

MOST_FAULTY: Final = 10_000
"""Faulty lines of a file after which its rest is not read: millions of empty ones would only cost time."""


def append_line(file: int, line: bytes) -> None:
    """Append ``line`` and a line feed to an open file, whole or not at all: a full disk leaves no half line behind."""
    size_bytes, data = os.fstat(file).st_size, line + b"\n"
    try:
        while data:
            data = data[os.write(file, data) :]
    except OSError:
        os.ftruncate(file, size_bytes)
        raise


class ChainedLines:
    """Base of the streaming parsers: feed it chunks, close it; each whole line goes to ``_line``.

    ``head`` is the digest of the line read last (the current one while in ``_line``); ``start`` is what the first line
    must name as the one before it (None: not known, not checked). A fault in one line is recorded, and reading goes on
    with the next, up to MOST_FAULTY of them. A line of more than ``most_values`` is refused unread: values take up to
    twenty times the memory of their text.
    """

    most_values: int

    def __init__(self, name: str, faults: Faults, *, start: str | None) -> None:
        self.name = name
        self.number = 0
        self.head = start
        self._faults = faults
        self._rest = b""
        self._skipping = False
        self._faulty = 0

    def feed(self, chunk: bytes) -> None:
        """Take the next part of the file."""
        lines = [] if self._is_hopeless else (self._rest + chunk).split(b"\n")
        self._rest = lines.pop() if lines else b""
        for line in lines:
            self._end_of_line(line)
            if self._is_hopeless:
                self._rest = b""
                return
        if len(self._rest) > LINE_BYTES:
            self._refuse_long_line()

    @property
    def _is_hopeless(self) -> bool:
        return self._faulty > MOST_FAULTY

    def close(self) -> None:
        """The file has ended."""
        if self._is_hopeless:
            expected, got = f"at most {MOST_FAULTY} faulty lines", "more, and the rest unread"
            self._faults.add("schema.many_faults", self._here(), expected=expected, got=got)
            self.head = None
        elif self._rest or self._skipping:
            self._faults.add("schema.line_ending", self._here(1), expected="a line feed at the end", got="the end")
            self._end_of_line(self._rest)
        if not self.number:
            self._faults.add("schema.empty", self.name, expected="at least one line", got="an empty file")

    def _line(self, line: bytes) -> str:
        """Read one line, keep what it says, and give the digest that it names as the line before it."""
        raise NotImplementedError

    def _end_of_line(self, line: bytes) -> None:
        if len(line) > LINE_BYTES:
            self._refuse_long_line()
        self.number += 1
        if self._skipping:
            self._skipping = False
            self.head = None  # a line that was not held has no digest here, so the next one's link cannot be checked
            return
        before, self.head = self.head, next_head(line)
        try:
            self._check_values(line)
            self._link(self._line(line), before)
        except EvidenceError as error:
            self._faulty += 1
            self._faults.take(error.finding)

    def _check_values(self, line: bytes) -> None:
        """Refuse a line by its commas and brackets, which are at least as many as its values."""
        values = sum(map(line.count, (b",", b"[", b"{")))
        if values > self.most_values:
            canonical.check_depth(line, canonical.MAX_DEPTH, self._here())
            raise fault("schema.too_many_values", self._here(), expected=f"at most {self.most_values}", got=values)

    def _link(self, named: str, before: str | None) -> None:
        if before is not None and named != before:
            self._faults.add("chain.link", self._here(), expected=f"prev: {before}", got=named)

    def _refuse_long_line(self) -> None:
        if not self._skipping:
            self._faults.add("schema.line_too_long", self._here(1), expected=f"at most {LINE_BYTES} bytes", got="more")
        self._skipping = True
        self._rest = b""

    def _here(self, ahead: int = 0) -> str:
        return f"{self.name}:{self.number + ahead}"
