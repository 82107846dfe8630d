"""The statement: one envelope for one payload, signed by the key it names, every field as format 1 asks."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from ranking.evidence import canonical
from ranking.evidence.model import Predicate, Subject
from ranking.evidence.statement import (
    build_statement,
    key_id,
    open_envelope,
    pre_authentication,
    public_bytes,
    sign,
)
from tests.bundles import KEY, OTHER_KEY, entries_of, make_bundle

CURVE_ORDER = 2**252 + 27742317777372353535851937790883648493
"""Order of the group that Ed25519 signs in (RFC 8032, section 5.1)."""


@pytest.fixture(scope="module")
def envelope(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The envelope of an honest bundle."""
    return entries_of(make_bundle(tmp_path_factory.mktemp("bundle"), runs=2))["statement.dsse.json"]


def payload_of(envelope: bytes) -> bytes:
    return base64.b64decode(json.loads(envelope)["payload"])


def signed(payload: dict[str, Any], key: Ed25519PrivateKey = KEY) -> bytes:
    """An envelope of any payload."""
    return sign(canonical.dumps(payload), key)


def ids(envelope: bytes) -> list[str]:
    return [found.id for found in open_envelope(envelope)[1]]


def test_an_honest_envelope_gives_its_statement(envelope: bytes) -> None:
    statement, findings = open_envelope(envelope)
    assert findings == []
    assert statement is not None
    assert statement.bundle_id == sha256(payload_of(envelope)).hexdigest()
    assert statement.key_id == key_id(public_bytes(KEY))
    assert statement.subjects[0].name == "system.json"
    assert [run.index for run in statement.predicate.runs] == [0, 1]
    assert statement.predicate.workload.id == "image_classification/smoke/1"


def test_what_was_built_comes_back_equal(envelope: bytes) -> None:
    statement, _ = open_envelope(envelope)
    assert statement is not None
    assert build_statement(statement.predicate, statement.subjects) == payload_of(envelope)
    assert sign(payload_of(envelope), KEY) == envelope


def test_the_signed_bytes_are_dsse_s() -> None:
    assert pre_authentication(b"{}") == b"DSSEv1 28 application/vnd.in-toto+json 2 {}"


def test_another_person_s_signature_under_this_key_s_name_is_refused(envelope: bytes) -> None:
    document = json.loads(envelope)
    forged = json.loads(sign(payload_of(envelope), OTHER_KEY))["signatures"][0]["sig"]
    document["signatures"][0]["sig"] = forged
    assert ids(canonical.dumps(document)) == ["statement.signature"]


def test_another_person_s_key_is_refused(envelope: bytes) -> None:
    assert ids(sign(payload_of(envelope), OTHER_KEY)) == ["statement.key_id"]


def test_a_changed_payload_is_refused(envelope: bytes) -> None:
    document = json.loads(envelope)
    changed = payload_of(envelope).replace(b'"level":"hardware"', b'"level":"system"')
    document["payload"] = canonical.encode64(changed)
    assert ids(canonical.dumps(document)) == ["statement.signature"]


def test_a_signature_has_one_form(envelope: bytes) -> None:
    """Adding the group's order to the scalar gives other bytes that naive verifiers accept."""
    document = json.loads(envelope)
    signature = base64.b64decode(document["signatures"][0]["sig"])
    scalar = int.from_bytes(signature[32:], "little") + CURVE_ORDER
    document["signatures"][0]["sig"] = canonical.encode64(signature[:32] + scalar.to_bytes(32, "little"))
    assert ids(canonical.dumps(document)) == ["statement.signature"]


@pytest.mark.parametrize("length", [0, 1, 63, 65])
def test_a_signature_of_another_length_is_refused(envelope: bytes, length: int) -> None:
    document = json.loads(envelope)
    document["signatures"][0]["sig"] = canonical.encode64(bytes(length))
    assert ids(canonical.dumps(document)) == ["statement.signature"]


@pytest.mark.parametrize(
    ("respell", "id"),
    [
        (lambda text: text.rstrip("="), "statement.envelope"),
        (lambda text: text + "\n", "statement.envelope"),
        (lambda text: text[:4] + " " + text[4:], "statement.envelope"),
        (lambda text: text + "====", "statement.envelope"),
        (lambda text: text[:-3] + chr(ord(text[-3]) + 1) + "==", "statement.not_canonical"),
    ],
)
def test_a_signature_in_another_spelling_is_refused(envelope: bytes, respell: Callable[[str], str], id: str) -> None:
    document = json.loads(envelope)
    document["signatures"][0]["sig"] = respell(document["signatures"][0]["sig"])
    assert ids(canonical.dumps(document)) == [id]


@pytest.mark.parametrize(
    ("change", "id"),
    [
        (lambda d: d.update(extra=1), "statement.envelope"),
        (lambda d: d.pop("payload"), "statement.envelope"),
        (lambda d: d.update(payload=7), "statement.envelope"),
        (lambda d: d.update(signatures=[]), "statement.envelope"),
        (lambda d: d.update(signatures=d["signatures"] * 2), "statement.envelope"),
        (lambda d: d.update(signatures=["x"]), "statement.envelope"),
        (lambda d: d.update(signatures={}), "statement.envelope"),
        (lambda d: d["signatures"][0].update(extra=1), "statement.envelope"),
        (lambda d: d["signatures"][0].update(keyid="x"), "statement.envelope"),
        (lambda d: d.update(payloadType="application/json"), "statement.type"),
        (lambda d: d.update(payload=canonical.encode64(b"[]")), "statement.field"),
        (lambda d: d.update(payload=canonical.encode64(b"\xff")), "schema.not_utf8"),
        (lambda d: d.update(payload=canonical.encode64(b'{"a":1,"a":1}')), "schema.duplicate_key"),
        (lambda d: d.update(payload=canonical.encode64(b"[" * 10_000)), "schema.too_deep"),
        (lambda d: d.update(payload=canonical.encode64(b'{"a": 1}')), "schema.not_canonical"),
    ],
)
def test_another_envelope_is_refused(envelope: bytes, change: Callable[[dict[str, Any]], None], id: str) -> None:
    document = json.loads(envelope)
    change(document)
    assert ids(canonical.dumps(document)) == [id]


@pytest.mark.parametrize("data", [b"", b"[]", b"null", b"\xff", b"[" * 10_000, b'{"a":NaN}', b"{ }"])
def test_what_is_no_envelope_gives_a_finding(data: bytes) -> None:
    statement, findings = open_envelope(data)
    assert statement is None
    assert len(findings) == 1


@given(st.binary(max_size=200))
def test_any_bytes_give_a_finding(data: bytes) -> None:
    assert open_envelope(data)[1]


def test_an_envelope_that_is_not_canonical_is_refused(envelope: bytes) -> None:
    assert ids(envelope + b"\n") == ["schema.not_canonical"]
    assert ids(json.dumps(json.loads(envelope)).encode()) == ["schema.not_canonical"]


def predicate(change: Callable[[dict[str, Any]], None]) -> Callable[[dict[str, Any]], None]:
    """A change of the predicate as a change of the payload."""
    return lambda payload: change(payload["predicate"])


@pytest.mark.parametrize(
    ("change", "id"),
    [
        (lambda p: p.update(extra=1), "statement.field"),
        (lambda p: p.pop("subject"), "statement.field"),
        (lambda p: p.update(_type="https://in-toto.io/Statement/v0.1"), "statement.type"),
        (lambda p: p.update(predicateType="urn:vflops:run-set:2"), "statement.type"),
        (lambda p: p.update(predicate=[]), "statement.field"),
        (lambda p: p.update(subject={}), "statement.field"),
        (lambda p: p["subject"].append(p["subject"][0]), "statement.subject"),
        (lambda p: p["subject"].reverse(), "statement.subject"),
        (lambda p: p["subject"][0].update(name="../system.json"), "statement.subject"),
        (lambda p: p["subject"][0].update(name="statement.dsse.json"), "statement.subject"),
        (lambda p: p["subject"][0].update(name="ticket.json"), "statement.subject"),
        (lambda p: p["subject"][0].update(name=5), "statement.subject"),
        (lambda p: p["subject"][0]["digest"].update(sha512="0"), "statement.subject"),
        (lambda p: p["subject"][0]["digest"].update(sha256="0"), "statement.subject"),
        (lambda p: p["predicate"]["runs"].pop(), "statement.subject"),
        *(
            (predicate(change), "statement.field")
            for change in (
                lambda p: p.update(unknown=1),
                lambda p: p.pop("nonce"),
                lambda p: p.pop("answer"),
                lambda p: p.update(format=2),
                lambda p: p.update(format=True),
                lambda p: p.update(nonce="0" * 31),
                lambda p: p.update(nonce="G" * 32),
                lambda p: p.update(created="2026-11-30 20:00:00"),
                lambda p: p.update(created="2026-13-30T20:00:00Z"),
                lambda p: p.update(created="2026-11-30T20:00:00+00:00"),
                lambda p: p.update(public_key=canonical.encode64(bytes(31))),
                lambda p: p.update(organisation="No Slug"),
                lambda p: p.update(system_name="x" * 201),
                lambda p: p.update(system_name="line\nbreak"),
                lambda p: p.update(workload="image_classification"),
                lambda p: p["workload"].update(scale="huge"),
                lambda p: p["workload"].update(name="../x"),
                lambda p: p["workload"].update(version="1.0"),
                lambda p: p.update(level="any"),
                lambda p: p.update(layers_changed=[0]),
                lambda p: p.update(layers_changed=[1, 1]),
                lambda p: p.update(layers_changed=[3, 1]),
                lambda p: p.update(layers_changed=[True]),
                lambda p: p.update(layers_changed=list(range(1, 11))),
                lambda p: p["configuration"].update(global_batch_size=0),
                lambda p: p["configuration"].update(global_batch_size="32"),
                lambda p: p["configuration"].update(precision="fp4"),
                lambda p: p["configuration"].update(compile=0),
                lambda p: p["configuration"].update(threads=0),
                lambda p: p["configuration"].update(extra=1),
                lambda p: p.update(seeds="mine"),
                lambda p: p.update(ticket={}),
                lambda p: p.update(salts=[""]),
                lambda p: p.update(receipts=None),
                lambda p: p.update(restarts=[1]),
                lambda p: p.update(challenge=""),
                lambda p: p.update(answer=[]),
                lambda p: p["runner"].update(source_digest="x"),
                lambda p: p["runs"].reverse(),
                lambda p: p["runs"][0].update(index=1),
                lambda p: p["runs"][0].update(seed=-1),
                lambda p: p["runs"][0].update(seed=2**31),
                lambda p: p["runs"][0].update(log_head="0"),
                lambda p: p["runs"][0].pop("telemetry_head"),
                lambda p: p["runs"].extend([p["runs"][0]] * 63),
            )
        ),
    ],
)
def test_a_statement_of_another_form_is_refused_though_it_is_signed(
    envelope: bytes, change: Callable[[dict[str, Any]], None], id: str
) -> None:
    payload = json.loads(payload_of(envelope))
    change(payload)
    statement, findings = open_envelope(signed(payload))
    assert statement is None
    assert [found.id for found in findings] == [id]


def test_a_key_that_is_no_point_of_the_curve_is_refused(envelope: bytes) -> None:
    statement, _ = open_envelope(envelope)
    assert statement is not None
    public_key = bytes([2]) + bytes(31)
    claims: Predicate = replace(statement.predicate, public_key=canonical.encode64(public_key))
    document = json.loads(sign(build_statement(claims, statement.subjects), KEY))
    document["signatures"][0]["keyid"] = key_id(public_key)
    assert ids(canonical.dumps(document)) == ["statement.signature"]


def test_a_run_set_without_runs_or_files_is_a_statement_too(envelope: bytes) -> None:
    statement, _ = open_envelope(envelope)
    assert statement is not None
    empty = replace(statement.predicate, runs=())
    subject = Subject(name="system.json", sha256="0" * 64)
    assert ids(sign(build_statement(empty, [subject]), KEY)) == []


def test_a_bundle_that_one_key_signed_for_another_is_refused(tmp_path: Path) -> None:
    bundle = make_bundle(
        tmp_path,
        runs=1,
        key=OTHER_KEY,
        edit_predicate=lambda p: replace(p, public_key=canonical.encode64(public_bytes(KEY))),
    )
    assert ids(entries_of(bundle)["statement.dsse.json"]) == ["statement.key_id"]
