"""Reads a container once, front to back: regenerates each header, compares it, and hands contents on in chunks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import BinaryIO, Final, Protocol
from zlib import crc32

from ranking.evidence import container
from ranking.evidence.container import Member
from ranking.evidence.errors import Faults, fault

CHUNK_BYTES: Final = 1 << 20
"""Bytes read at a time: large enough that hashing dominates, small enough that memory stays flat."""

MOST_NAME_BYTES: Final = 128
"""Longest name of an entry: those of format 1 have at most 40 bytes, and all names are held until the end."""

_FLAG_ENCRYPTED: Final = 1
_FLAG_DESCRIPTOR: Final = 8
_MODE_KIND: Final = 0o170000
_MODE_LINK: Final = 0o120000


class Sink(Protocol):
    """Takes one entry's contents."""

    def feed(self, chunk: bytes, /) -> None:
        """The next part."""

    def close(self, sha256: str, /) -> None:
        """The entry has ended, its digest is known."""


OpenSink = Callable[[str, int], Sink]
"""Gives the sink of an entry by name and size. Raises EvidenceError to end the reading."""


@dataclass(frozen=True, slots=True)
class _LocalHeader:
    """An entry's header as it stands in the file."""

    raw: bytes
    flags: int
    method: int
    stored_bytes: int
    member: Member


class ContainerReader:
    """One pass over ``stream``. What is wrong goes to ``faults``; a fault that hides what follows ends the pass."""

    def __init__(self, stream: BinaryIO, faults: Faults, *, most_entries: int) -> None:
        self._stream = stream
        self._faults = faults
        self._most_entries = most_entries
        self._whole = sha256()
        self._offset = 0
        self._members: list[Member] = []

    def read(self, open_sink: OpenSink) -> None:
        """Read all entries, then what stands behind them. Raises EvidenceError where it cannot go on."""
        signature = self._take(4, "the first entry")
        if signature != container.LOCAL_SIGNATURE:
            expected = container.LOCAL_SIGNATURE.hex(" ")
            raise fault("container.not_zip", "byte 0", expected=expected, got=signature.hex(" "))
        while signature == container.LOCAL_SIGNATURE:
            self._entry(open_sink)
            signature = self._take(4, "the next entry or the central directory")
        if self._directory_agrees(signature):
            self._expect_end()

    def finish(self) -> str:
        """SHA-256 of the whole file: of what has been read, and of the rest."""
        while chunk := self._stream.read(CHUNK_BYTES):
            self._whole.update(chunk)
        return self._whole.hexdigest()

    def _take(self, count: int, what: str) -> bytes:
        data = self._stream.read(count)
        self._whole.update(data)
        self._offset += len(data)
        if len(data) != count:
            raise fault("container.truncated", f"byte {self._offset}", expected=what, got="the end of the file")
        return data

    def _entry(self, open_sink: OpenSink) -> None:
        header = self._local_header()
        name = header.member.name.decode("ascii", "backslashreplace")
        if len(header.member.name) > MOST_NAME_BYTES:
            raise fault("container.unsafe_name", name, expected=f"at most {MOST_NAME_BYTES} bytes", got="more")
        if len(self._members) >= self._most_entries:
            raise fault("container.too_many_entries", name, expected=f"at most {self._most_entries}", got="more")
        self._check_header(header, name)
        sink = open_sink(name, header.member.size_bytes)
        crc = self._contents(sink, header.member.size_bytes, name)
        if crc != header.member.crc:
            self._faults.add("container.checksum", name, expected=f"{header.member.crc:08x}", got=f"{crc:08x}")
        self._members.append(header.member)

    def _local_header(self) -> _LocalHeader:
        offset = self._offset - 4
        fixed = container.LOCAL_SIGNATURE + self._take(container.LOCAL.size - 4, "an entry's header")
        _, _, flags, method, _, _, crc, stored, size, name_bytes, extra_bytes = container.LOCAL.unpack(fixed)
        name = self._take(name_bytes, "an entry's name")
        extra = self._take(extra_bytes, "an entry's extra field")
        if size == stored == container.MAX_32 and len(extra) == container.ZIP64_SIZES.size:
            _, _, size, stored = container.ZIP64_SIZES.unpack(extra)
        member = Member(name=name, crc=crc, size_bytes=size, offset=offset)
        return _LocalHeader(raw=fixed + name + extra, flags=flags, method=method, stored_bytes=stored, member=member)

    def _check_header(self, header: _LocalHeader, name: str) -> None:
        member = header.member
        if header.method != container.STORED:
            got = f"method {header.method}: {header.stored_bytes} bytes that claim to be {member.size_bytes}"
            raise fault("container.compressed", name, expected="a stored entry", got=got)
        if header.flags & (_FLAG_DESCRIPTOR | _FLAG_ENCRYPTED) or header.stored_bytes != member.size_bytes:
            got = f"flags {header.flags:#06x}, sizes {header.stored_bytes} and {member.size_bytes}"
            raise fault("container.not_canonical", name, expected="no flags, two equal sizes", got=got)
        self._compare(container.local_header(member), header.raw, f"{name}: header")

    def _contents(self, sink: Sink, size_bytes: int, name: str) -> int:
        digest, crc, left = sha256(), 0, size_bytes
        while left:
            chunk = self._take(min(left, CHUNK_BYTES), f"{left} more bytes of {name}")
            digest.update(chunk)
            crc = crc32(chunk, crc)
            sink.feed(chunk)
            left -= len(chunk)
        sink.close(digest.hexdigest())
        return crc

    def _directory_agrees(self, signature: bytes) -> bool:
        """Compare central directory and end records, up to the first that differs; ``signature`` has been read."""
        start = self._offset - 4
        for member in self._members:
            name = member.name.decode("ascii", "backslashreplace")
            record = container.central_record(member)
            got = signature + self._take(len(record) - len(signature), f"the central directory's record of {name}")
            signature = b""
            self._check_link(got, name)
            if not self._compare(record, got, f"{name}: central directory"):
                return False
        end = container.end_records(len(self._members), start, self._offset - start)
        return self._compare(end, signature + self._take(len(end) - len(signature), "the end records"), "end records")

    def _check_link(self, got: bytes, name: str) -> None:
        mode = container.CENTRAL.unpack_from(got)[-2] >> 16
        if mode & _MODE_KIND == _MODE_LINK:
            self._faults.add("container.link", name, expected="a regular file", got=f"a symbolic link, mode {mode:o}")

    def _expect_end(self) -> None:
        if extra := self._stream.read(1):
            self._whole.update(extra)
            place = f"byte {self._offset}"
            self._faults.add("container.trailing_bytes", place, expected="the end of the file", got="more")

    def _compare(self, expected: bytes, got: bytes, place: str) -> bool:
        if expected == got:
            return True
        pairs = enumerate(zip(expected, got, strict=False))
        at = next((i for i, (a, b) in pairs if a != b), min(len(expected), len(got)))
        self._faults.add(
            "container.not_canonical",
            place,
            expected=f"{expected[at : at + 8].hex(' ') or 'the end'} at byte {at}",
            got=got[at : at + 8].hex(" ") or "the end",
        )
        return False
