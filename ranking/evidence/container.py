"""The container's one byte form: a ZIP of stored entries whose every header follows from names, sizes and checksums."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

LOCAL_SIGNATURE: Final = b"PK\x03\x04"
CENTRAL_SIGNATURE: Final = b"PK\x01\x02"

LOCAL: Final = struct.Struct("<4s5H3I2H")
"""Signature, version, flags, method, time, date, checksum, stored size, size, length of name, length of extra."""

CENTRAL: Final = struct.Struct("<4s6H3I5H2I")
"""As LOCAL with the maker's version before and comment, disk, attributes and offset behind."""

ZIP64_SIZES: Final = struct.Struct("<2H2Q")
"""Extra field of a local header whose sizes need 64 bits: tag, length, size, stored size."""

_END = struct.Struct("<4s4H2IH")
_ZIP64_END = struct.Struct("<4sQ2H2I4Q")
_ZIP64_LOCATOR = struct.Struct("<4sIQI")

STORED: Final = 0
_VERSION: Final = 20
_VERSION_ZIP64: Final = 45
_MADE_BY_UNIX: Final = 3 << 8 | _VERSION
_TIME: Final = 0
_DATE: Final = 1 << 5 | 1
"""1980-01-01, the first day that ZIP can say."""

_ATTRIBUTES: Final = 0o100644 << 16
"""A regular file that its owner may write and everybody may read."""

_ZIP64_TAG: Final = 1
_MAX_16: Final = 0xFFFF
MAX_32: Final = 0xFFFFFFFF
"""In place of a number that stands in 64 bits elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """What determines every header byte of an entry."""

    name: bytes
    crc: int
    size_bytes: int
    offset: int


def local_header(member: Member) -> bytes:
    """What stands in front of an entry's data."""
    large = member.size_bytes >= MAX_32
    extra = ZIP64_SIZES.pack(_ZIP64_TAG, 16, member.size_bytes, member.size_bytes) if large else b""
    size = MAX_32 if large else member.size_bytes
    version = _VERSION_ZIP64 if large else _VERSION
    fields = (version, 0, STORED, _TIME, _DATE, member.crc, size, size, len(member.name), len(extra))
    return LOCAL.pack(LOCAL_SIGNATURE, *fields) + member.name + extra


def central_record(member: Member) -> bytes:
    """An entry's record in the central directory."""
    large, far = member.size_bytes >= MAX_32, member.offset >= MAX_32
    numbers = ([member.size_bytes] * 2 if large else []) + ([member.offset] if far else [])
    extra = struct.pack(f"<2H{len(numbers)}Q", _ZIP64_TAG, 8 * len(numbers), *numbers) if numbers else b""
    size, offset = MAX_32 if large else member.size_bytes, MAX_32 if far else member.offset
    version = _VERSION_ZIP64 if numbers else _VERSION
    common = (_MADE_BY_UNIX, version, 0, STORED, _TIME, _DATE, member.crc, size, size, len(member.name), len(extra))
    return CENTRAL.pack(CENTRAL_SIGNATURE, *common, 0, 0, 0, _ATTRIBUTES, offset) + member.name + extra


def end_records(count: int, directory_offset: int, directory_bytes: int) -> bytes:
    """What stands behind the central directory, to the last byte of the file."""
    large = count >= _MAX_16 or directory_offset >= MAX_32 or directory_bytes >= MAX_32
    records = b""
    if large:
        version = _VERSION_ZIP64
        numbers = (count, count, directory_bytes, directory_offset)
        records = _ZIP64_END.pack(b"PK\x06\x06", _ZIP64_END.size - 12, version, version, 0, 0, *numbers)
        records += _ZIP64_LOCATOR.pack(b"PK\x06\x07", 0, directory_offset + directory_bytes, 1)
    short = min(count, _MAX_16)
    numbers_32 = (min(directory_bytes, MAX_32), min(directory_offset, MAX_32))
    return records + _END.pack(b"PK\x05\x06", 0, 0, short, short, *numbers_32, 0)


def directory(members: Sequence[Member], offset: int) -> bytes:
    """Central directory and end records of a container whose entries end at ``offset``."""
    records = b"".join(map(central_record, members))
    return records + end_records(len(members), offset, len(records))
