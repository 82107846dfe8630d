"""Headers of the tus 1.0 protocol, typed once at the door."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass

VERSION = "1.0.0"
EXTENSIONS = "creation,expiration"
CONTENT_TYPE = "application/offset+octet-stream"

SHA256_PATTERN = re.compile(r"[0-9a-f]{64}")
LENGTH_DIGITS = 15
"""A petabyte has 16 digits; longer numbers are no size of a file."""
FILENAME_LENGTH = 200
METADATA_LENGTH = 4096
"""Longest Upload-Metadata header: five short texts in base64."""


class MalformedHeader(ValueError):
    """A header is missing or cannot be read; ``name`` says which."""

    def __init__(self, name: str, expected: str, got: str) -> None:
        """Keep what a client's author needs to know."""
        super().__init__(f"{name}: expected {expected}, got {got[:100] or 'nothing'}")
        self.name = name
        self.expected = expected
        self.got = got


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """What a client declares before the first byte. ``organisation`` is empty where the token names one."""

    size_bytes: int
    sha256: str
    filename: str
    organisation: str
    publish: bool


def parse_declaration(length: str, metadata: str) -> Declaration:
    """Upload-Length and Upload-Metadata of a creation; raises MalformedHeader."""
    values = parse_metadata(metadata)
    return Declaration(
        size_bytes=parse_number("Upload-Length", length),
        sha256=_sha256(values.get("sha256", b"")),
        filename=_text("filename", values.get("filename", b"")),
        organisation=_text("organisation", values.get("organisation", b"")),
        publish=_flag("publish", values.get("publish", b"false")),
    )


def parse_number(name: str, text: str) -> int:
    """A count of bytes as tus writes it: decimal digits alone."""
    if not text.isascii() or not text.isdecimal() or len(text) > LENGTH_DIGITS:
        raise MalformedHeader(name, "a number of bytes", text)
    return int(text)


def parse_metadata(header: str) -> dict[str, bytes]:
    """``key base64,key base64``; a key may stand alone, none may come twice."""
    if len(header) > METADATA_LENGTH:
        raise MalformedHeader("Upload-Metadata", f"at most {METADATA_LENGTH} characters", f"{len(header)} characters")
    values: dict[str, bytes] = {}
    for pair in filter(None, (part.strip() for part in header.split(","))):
        key, _, encoded = pair.partition(" ")
        if key in values:
            raise MalformedHeader("Upload-Metadata", "every key once", key)
        values[key] = _decoded(key, encoded)
    return values


def _decoded(key: str, encoded: str) -> bytes:
    try:
        return base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as error:
        raise MalformedHeader("Upload-Metadata", f"base64 as the value of {key}", encoded) from error


def _sha256(value: bytes) -> str:
    """The hash in hex; it may be given as hex digits or as its 32 bytes."""
    text = value.hex() if len(value) == 32 else value.decode("ascii", "replace").lower()
    if not SHA256_PATTERN.fullmatch(text):
        raise MalformedHeader("Upload-Metadata", "the file's SHA-256 as the value of sha256: 64 hex digits", text)
    return text


def _text(key: str, value: bytes) -> str:
    try:
        text = value.decode("utf-8")
    except UnicodeDecodeError as error:
        raise MalformedHeader("Upload-Metadata", f"UTF-8 as the value of {key}", repr(value)) from error
    if len(text) > FILENAME_LENGTH or not text.isprintable():
        raise MalformedHeader("Upload-Metadata", f"up to {FILENAME_LENGTH} printable characters as {key}", text)
    return text


def _flag(key: str, value: bytes) -> bool:
    if value not in {b"true", b"false"}:
        raise MalformedHeader("Upload-Metadata", f"true or false as the value of {key}", repr(value))
    return value == b"true"
