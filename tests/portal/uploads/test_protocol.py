"""Headers of tus are typed at the door: what is well formed is read, everything else is refused by name."""

from __future__ import annotations

import base64
import hashlib
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.submissions.uploads_protocol import MalformedHeader, parse_declaration, parse_metadata, parse_number

DIGEST = hashlib.sha256(b"bundle")


def header(**values: bytes) -> str:
    return ",".join(f"{key} {base64.b64encode(value).decode()}" for key, value in values.items())


@pytest.mark.parametrize("sha256", [DIGEST.hexdigest().encode(), DIGEST.hexdigest().upper().encode(), DIGEST.digest()])
def test_the_hash_may_come_as_hex_digits_or_as_its_bytes(sha256: bytes) -> None:
    declared = parse_declaration("6", header(sha256=sha256, filename=b"a.vflops", publish=b"true"))
    assert declared.sha256 == DIGEST.hexdigest()
    assert (declared.size_bytes, declared.filename, declared.publish) == (6, "a.vflops", True)


def test_what_is_not_declared_is_empty_and_is_not_published() -> None:
    declared = parse_declaration("6", header(sha256=DIGEST.digest()))
    assert (declared.filename, declared.organisation, declared.publish) == ("", "", False)


@pytest.mark.parametrize(
    "text", ["", "-1", "+1", "1.0", "1e3", " 1", "0x10", "\N{ARABIC-INDIC DIGIT ONE}", "1" * 16, "NaN", "Infinity"]
)
def test_a_number_of_bytes_is_decimal_digits_alone(text: str) -> None:
    with pytest.raises(MalformedHeader, match="Upload-Length"):
        parse_number("Upload-Length", text)


@pytest.mark.parametrize(
    "metadata",
    [
        "",
        "sha256",
        "sha256 !!!",
        header(sha256=b"too short"),
        header(sha256=b"g" * 64),
        header(sha256=DIGEST.digest(), filename=b"\xff\xfe"),
        header(sha256=DIGEST.digest(), filename=b"a\nb"),
        header(sha256=DIGEST.digest(), filename=b"x" * 201),
        header(sha256=DIGEST.digest(), publish=b"yes"),
        header(sha256=DIGEST.digest()) + "," + header(sha256=DIGEST.digest()),
        "x " + "A" * 5000,
    ],
)
def test_metadata_that_cannot_be_meant_is_refused(metadata: str) -> None:
    with pytest.raises(MalformedHeader):
        parse_declaration("6", metadata)


def test_keys_of_others_are_ignored() -> None:
    assert parse_declaration("6", header(sha256=DIGEST.digest(), colour=b"blue")).sha256 == DIGEST.hexdigest()


KEYS = st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters=","), min_size=1, max_size=20)


@given(st.dictionaries(KEYS, st.binary(max_size=60), max_size=8))
def test_metadata_comes_back_as_it_was_written(values: dict[str, bytes]) -> None:
    assert parse_metadata(header(**values)) == values


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_is_read_or_refused(length: str, metadata: str) -> None:
    with suppress(MalformedHeader):
        assert parse_declaration(length, metadata).size_bytes >= 0
