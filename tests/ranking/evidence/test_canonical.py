"""Canonical JSON: one byte form, and every other one refused with a finding."""

from __future__ import annotations

import json
import math

import pytest
import rfc8785
from hypothesis import example, given
from hypothesis import strategies as st

from ranking.evidence import canonical
from ranking.evidence.errors import EvidenceError

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-canonical.MAX_INTEGER, canonical.MAX_INTEGER),
    st.floats(allow_nan=False, allow_infinity=False),
    TEXTS,
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4), max_leaves=12
)


def refusal(data: bytes, *, strict: bool = False) -> str:
    """Id of the finding that ``data`` gives."""
    with pytest.raises(EvidenceError) as caught:
        canonical.loads_canonical(data, place="here") if strict else canonical.loads(data, place="here")
    assert caught.value.finding.place == "here"
    return caught.value.finding.id


@given(VALUES)
def test_what_was_written_comes_back_equal(value: object) -> None:
    assert canonical.loads_canonical(canonical.dumps(value)) == value


@given(st.dictionaries(TEXTS, VALUES, max_size=5))
@example({"a": 1e16, "b": 1e15, "c": 1.0, "d": -0.0, "e": 1e-5, "f": 1e-7, "g": 2**53 - 1, "h": 123456789012345.6})
@example({"\ufb33": 1, "\U0001f600": 2})
def test_the_byte_form_is_that_of_rfc_8785(value: dict[str, object]) -> None:
    assert canonical.dumps(value) == rfc8785.dumps(value)  # type: ignore[arg-type]


@given(st.dictionaries(TEXTS, VALUES, max_size=5), st.booleans(), st.sampled_from([None, 1]))
def test_every_other_byte_form_is_refused(value: dict[str, object], ascii_only: bool, indent: int | None) -> None:
    other = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode()
    assert canonical.loads(other) == value
    assert canonical.is_canonical(other) == (other == rfc8785.dumps(value))  # type: ignore[arg-type]


@given(st.binary(max_size=40) | st.text('{}[]":,\\u0de.-+0123456789 truefalsn\n', max_size=40).map(str.encode))
def test_any_bytes_give_a_value_or_a_finding(data: bytes) -> None:
    canonical_form = canonical.is_canonical(data)
    try:
        value = canonical.loads(data)
    except EvidenceError:
        assert not canonical_form
    else:
        assert canonical_form == (canonical.dumps(value) == data)


@pytest.mark.parametrize(
    ("data", "id"),
    [
        (b"", "schema.not_json"),
        (b"{}x", "schema.not_json"),
        (b"{'a':1}", "schema.not_json"),
        (b"{}\x00", "schema.not_json"),
        (b"\xef\xbb\xbf{}", "schema.not_json"),
        (b'"\xff"', "schema.not_utf8"),
        (b'"\xed\xa0\x80"', "schema.not_utf8"),
        (b"\xff\xfe{\x00}\x00", "schema.not_utf8"),
        (b'{"a":1,"b":2,"a":1}', "schema.duplicate_key"),
        (b'{"x":{"a":1,"a":1}}', "schema.duplicate_key"),
        (b'{"a":1,"\\u0061":2}', "schema.duplicate_key"),
        (b'{"a":NaN}', "schema.not_finite"),
        (b"[Infinity]", "schema.not_finite"),
        (b"[-Infinity]", "schema.not_finite"),
        (b'{"a":1e400}', "schema.not_finite"),
        (b"[" + b"1" * 5000 + b".5]", "schema.not_finite"),
        (b"[9007199254740993]", "schema.number_range"),
        (b"[1000000000000000000000]", "schema.number_range"),
        (b'{"a":-9007199254740993}', "schema.number_range"),
        (b'{"a":' + b"1" * 100_000 + b"}", "schema.number_range"),
    ],
)
def test_liberties_of_json_are_refused(data: bytes, id: str) -> None:
    assert refusal(data) == id
    assert refusal(data, strict=True) == id


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"b":'])
def test_nesting_of_10000_levels_is_a_finding(opening: bytes) -> None:
    assert refusal(opening * 10_000) == "schema.too_deep"
    assert refusal(opening * 10_000, strict=True) == "schema.too_deep"


def test_brackets_inside_texts_are_no_nesting() -> None:
    data = canonical.dumps({"text": '[{"\\' * 1_000, "open": ["["] * 100})
    assert canonical.loads_canonical(data, max_depth=2)


@pytest.mark.parametrize(
    "data",
    [
        b'"' + b'\\"' * 500_000 + b"[" * 100,
        b"[" * 60 + b'"' + b'\\"[' * 300_000,
        b"{" + b",".join(b'"%d":0' % number for number in range(100_000)) + b',"99999":1}',
        b"[" + b"9" * 1_000_000 + b"]",
        b'{"a":' + b"-" * 1_000_000,
    ],
)
def test_input_made_to_be_slow_is_refused_in_linear_time(data: bytes) -> None:
    """Each of these took minutes with a scan that starts again at every quote, or counts each key in all keys."""
    assert refusal(data, strict=True).startswith("schema.")


def test_depth_counts_open_brackets_only() -> None:
    assert canonical.loads(b"[" + b",".join([b"[]"] * 1_000) + b"]", max_depth=2) == [[]] * 1_000


@pytest.mark.parametrize(
    "data",
    [
        b'{"a":1.0}',
        b'{"a":0.50}',
        b'{"a":1e16}',
        b'{"a":-0}',
        b'{"a":1E2}',
        b'{"b":1,"a":2}',
        b'{ "a":1}',
        b'{"a":1}\n',
        b'{"a":"\\u0041"}',
        b'{"a":"\\/"}',
        b'{"a":"\\ud83d\\ude00"}',
    ],
)
def test_another_spelling_of_the_same_value_is_not_canonical(data: bytes) -> None:
    assert refusal(data, strict=True) == "schema.not_canonical"


def test_a_lone_surrogate_has_no_byte_form() -> None:
    assert refusal(b'["\\ud800"]') == "schema.not_json"
    assert refusal(b'{"a":"\\ud800"}', strict=True) == "schema.not_json"
    assert refusal(b'{"\\udfff":1}', strict=True) == "schema.not_json"


@pytest.mark.parametrize(
    ("value", "id"),
    [
        (math.nan, "schema.not_finite"),
        ({"a": math.inf}, "schema.not_finite"),
        ({"a": 2**53}, "schema.number_range"),
        ({"a": b"bytes"}, "schema.not_json"),
        ({1: 2}, "schema.not_json"),
        ({"a": {"b": object()}}, "schema.not_json"),
    ],
)
def test_what_has_no_byte_form_is_not_written(value: object, id: str) -> None:
    with pytest.raises(EvidenceError) as caught:
        canonical.dumps(value)
    assert caught.value.finding.id == id


def test_a_value_that_contains_itself_is_not_written() -> None:
    value: dict[str, object] = {}
    value["itself"] = value
    with pytest.raises(EvidenceError) as caught:
        canonical.dumps(value)
    assert caught.value.finding.id == "schema.too_deep"


@given(st.binary(max_size=40))
def test_base64_comes_back(data: bytes) -> None:
    assert canonical.decode64(canonical.encode64(data), place="") == data


@pytest.mark.parametrize("text", ["QQ", "Q===", "QR==", "QQ==\n", "Q Q==", "_-8=", "é", 5, None])
def test_other_spellings_of_base64_are_refused(text: str | int | None) -> None:
    with pytest.raises(EvidenceError) as caught:
        canonical.decode64(text, place="")
    assert caught.value.finding.id in {"statement.envelope", "statement.not_canonical"}
