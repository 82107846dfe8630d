"""JSON with one byte form (RFC 8785), read strictly: no duplicate keys, no NaN, no depth that could hurt a parser."""

from __future__ import annotations

import base64
import json
import math
import re
from collections import Counter
from typing import Any, Final, NoReturn, TypeAlias, cast

import rfc8785

from ranking.evidence.errors import EvidenceError, fault
from ranking.evidence.model import Json

MAX_DEPTH: Final = 64
"""Nested arrays and objects. Documents of ours need 6; Python's parser recurses, so the bound lies far below 1000."""

MAX_INTEGER: Final = 2**53 - 1
"""Largest integer that every JSON reader takes exactly (RFC 8785); larger counters are written as strings."""

_LEAST_EXPONENT: Final = 10**21
"""Doubles from here on are written with an exponent (RFC 8785, after ECMAScript)."""

_MAX_DIGITS: Final = 400
"""Characters of one number: a double written out has at most 325, and reading an integer costs their square."""

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_PLAIN = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_Pairs: TypeAlias = list[tuple[str, Json]]
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)
"""A text, also one that never ends (each byte is looked at once), or a bracket."""

_MANY_DIGITS = re.compile(r"[0-9]{16}")
_UNLIKE = ("e-", "e+", ".0,", ".0}", ".0]")
"""What numbers look like that Python writes in another form than RFC 8785: exponents, and floats that are whole."""


def dumps(value: object, *, place: str = "") -> bytes:
    """The RFC 8785 form of ``value``. Raises EvidenceError where it has none (NaN, a huge integer, a foreign type)."""
    if isinstance(value, dict) and (plain := _plain_form(value)) is not None and _has_text_keys(value):
        return plain.encode("ascii")
    try:
        return rfc8785.dumps(cast("Any", value))
    except rfc8785.FloatDomainError as error:
        raise fault("schema.not_finite", place, expected="a finite number", got=error) from error
    except rfc8785.IntegerDomainError as error:
        raise fault("schema.number_range", place, expected=f"at most {MAX_INTEGER}", got=error) from error
    except RecursionError as error:
        raise fault("schema.too_deep", place, expected=f"at most {MAX_DEPTH} levels", got="more") from error
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as error:
        raise fault("schema.not_json", place, expected="a JSON value", got=error) from error


def loads(data: bytes, *, max_depth: int = MAX_DEPTH, place: str = "") -> Json:
    """The value of strict JSON in any byte form. Raises EvidenceError with the fault's finding."""
    return _parse(_decode(data, place), data, max_depth, place)


def loads_canonical(data: bytes, *, max_depth: int = MAX_DEPTH, place: str = "") -> Json:
    """As ``loads``, and refuses every byte form but the one of RFC 8785."""
    text = _decode(data, place)
    value = _plain(text, data, max_depth)
    if value is not None:
        return value
    value = _parse(text, data, max_depth, place)
    written = dumps(value, place=place)
    if written != data:
        raise _not_canonical(written, data, place)
    return value


def is_canonical(data: bytes) -> bool:
    """Whether ``data`` is strict JSON in the byte form of RFC 8785."""
    try:
        loads_canonical(data)
    except EvidenceError:
        return False
    return True


def encode64(data: bytes) -> str:
    """Padded base64 in the standard alphabet."""
    return base64.b64encode(data).decode("ascii")


def decode64(value: Json, *, place: str) -> bytes:
    """The bytes of padded base64. Raises EvidenceError, also for another spelling of the same bytes."""
    try:
        data = base64.b64decode(value, validate=True) if isinstance(value, str) else None
    except ValueError:
        data = None
    if data is None:
        raise fault("statement.envelope", place, expected="base64", got=value)
    if encode64(data) != value:
        raise fault("statement.not_canonical", place, expected=encode64(data), got=value)
    return data


def _has_text_keys(value: object) -> bool:
    """Whether all keys are texts: Python's writer turns others into texts."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and _has_text_keys(inner) for key, inner in value.items())
    return not isinstance(value, list | tuple) or all(map(_has_text_keys, value))


def _plain_form(value: dict[str, Any]) -> str | None:
    """The canonical form of an ordinary object by Python's C writer, ten times as fast; None where unsure.

    It writes ASCII objects as RFC 8785 does, but for some numbers. What looks like one in a text only costs time.
    """
    try:
        written = _PLAIN.encode(value)
    except (ValueError, TypeError, RecursionError):
        return None
    ordinary = written.isascii() and not any(map(written.__contains__, _UNLIKE)) and not _MANY_DIGITS.search(written)
    return written if ordinary else None


def _plain(text: str, data: bytes, max_depth: int) -> Json:
    """The value of an ordinary object in canonical form, by the C parser and writer alone; None where unsure.

    A duplicate key, white space or another order does not come back equal.
    """
    if data.count(b"{") + data.count(b"[") > max_depth or not text.startswith("{"):
        return None
    try:
        value: Json = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) and _plain_form(value) == text else None


def _decode(data: bytes, place: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        got = f"byte {data[error.start]:#04x} at offset {error.start}"
        raise fault("schema.not_utf8", place, expected="UTF-8", got=got) from error


def _parse(text: str, data: bytes, max_depth: int, place: str) -> Json:
    check_depth(data, max_depth, place)
    try:
        value = cast("Json", _Decoder(place).decode(text))
    except json.JSONDecodeError as error:
        raise fault("schema.not_json", place, expected="JSON", got=error) from error
    if _SURROGATE.search(text):
        dumps(value, place=place)  # half a surrogate pair is no text, and refused here
    return value


def check_depth(data: bytes, max_depth: int, place: str) -> None:
    """Refuse nesting beyond ``max_depth`` before a recursive parser sees it."""
    if data.count(b"{") + data.count(b"[") <= max_depth:
        return
    depth = 0
    for token in _TOKEN.finditer(data):
        first = token.group()[:1]
        depth += 1 if first in b"[{" else -1 if first in b"]}" else 0
        if depth > max_depth:
            got = f"more at byte {token.start()}"
            raise fault("schema.too_deep", place, expected=f"at most {max_depth} levels", got=got)


class _Decoder(json.JSONDecoder):
    """Python's parser with its liberties taken away."""

    def __init__(self, place: str) -> None:
        self._place = place
        super().__init__(
            object_pairs_hook=self._object,
            parse_int=self._int,
            parse_float=self._float,
            parse_constant=self._constant,
        )

    def _object(self, pairs: _Pairs) -> dict[str, Json]:
        value = dict(pairs)
        if len(value) != len(pairs):
            twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
            raise fault("schema.duplicate_key", self._place, expected="each key once", got=twice)
        return value

    def _int(self, text: str) -> int | float:
        """An exact integer, or a double that happens to be whole: RFC 8785 writes 1e17 with all its digits."""
        value = int(text) if len(text) <= _MAX_DIGITS else MAX_INTEGER + 1
        if abs(value) <= MAX_INTEGER:
            return value
        if abs(value) < _LEAST_EXPONENT and rfc8785.dumps(float(value)) == text.encode("ascii"):
            return float(value)
        raise fault("schema.number_range", self._place, expected=f"at most {MAX_INTEGER}", got=text)

    def _float(self, text: str) -> float:
        value = float(text) if len(text) <= _MAX_DIGITS else math.inf
        if not math.isfinite(value):
            raise fault("schema.not_finite", self._place, expected="a finite number", got=text)
        return value

    def _constant(self, text: str) -> NoReturn:
        raise fault("schema.not_finite", self._place, expected="a finite number", got=text)


def _not_canonical(written: bytes, data: bytes, place: str) -> EvidenceError:
    at = next((i for i, (a, b) in enumerate(zip(written, data, strict=False)) if a != b), min(len(written), len(data)))
    expected, got = (part[at : at + 24].decode("utf-8", "replace") or "the end" for part in (written, data))
    return fault("schema.not_canonical", place, expected=f"{expected} at byte {at}", got=got)
