"""The signed statement of a bundle: in-toto Statement v1 in a DSSE envelope, Ed25519, one byte form."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from hashlib import sha256
from itertools import pairwise
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from ranking.evidence import canonical, names, predicate
from ranking.evidence.canonical import decode64, encode64
from ranking.evidence.errors import EvidenceError, fault
from ranking.evidence.fields import Fields
from ranking.evidence.model import Json, Predicate, Statement, Subject
from ranking.evidence.names import Entry, Kind
from ranking.findings import Finding

PAYLOAD_TYPE: Final = "application/vnd.in-toto+json"
STATEMENT_TYPE: Final = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE: Final = "urn:vflops:run-set:1"
MOST_SUBJECTS: Final = 10_000
"""Files that a statement may name: 64 runs of 150 evaluations."""


def key_id(public_key: bytes) -> str:
    """Identity of a raw Ed25519 public key."""
    return sha256(public_key).hexdigest()


def public_bytes(key: Ed25519PrivateKey) -> bytes:
    """The raw 32 bytes of a private key's public half."""
    return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def pre_authentication(payload: bytes) -> bytes:
    """What is signed: DSSE's encoding of payload type and payload."""
    return b"DSSEv1 %d %s %d %s" % (len(PAYLOAD_TYPE), PAYLOAD_TYPE.encode("ascii"), len(payload), payload)


def build_statement(claims: Predicate, subjects: Sequence[Subject]) -> bytes:
    """The statement's payload; its SHA-256 is the bundle's identity."""
    document = {
        "_type": STATEMENT_TYPE,
        "predicateType": PREDICATE_TYPE,
        "subject": [{"name": subject.name, "digest": {"sha256": subject.sha256}} for subject in subjects],
        "predicate": predicate.document(claims),
    }
    return canonical.dumps(document, place=names.STATEMENT)


def sign(payload: bytes, private_key: Ed25519PrivateKey) -> bytes:
    """The DSSE envelope of ``payload``."""
    signature = private_key.sign(pre_authentication(payload))
    return _envelope(payload, key_id(public_bytes(private_key)), signature)


def open_envelope(data: bytes) -> tuple[Statement | None, list[Finding]]:
    """The statement in an envelope and all that is wrong with either; None where no statement could be read.

    The signature is checked with the key that the predicate names: that the file was not changed since. Whose key it
    is, and whether it still counts, is for the portal to say.
    """
    try:
        payload, signer, signature = _open(data)
        statement = _statement(payload, signer)
    except EvidenceError as error:
        return None, [error.finding]
    return statement, _signature_findings(statement, payload, signature)


def _open(data: bytes) -> tuple[bytes, str, bytes]:
    place = names.STATEMENT
    document = canonical.loads_canonical(data, place=place)
    envelope = Fields(document, place, rule="statement.envelope")
    envelope.only(frozenset({"payload", "payloadType", "signatures"}))
    if envelope.any("payloadType") != PAYLOAD_TYPE:
        raise fault("statement.type", place, expected=PAYLOAD_TYPE, got=envelope.any("payloadType"))
    signatures = envelope.array("signatures", most=1)
    if not signatures:
        raise envelope.wrong("signatures", "one signature")
    signature = Fields(signatures[0], place, rule="statement.envelope", where="signatures")
    signature.only(frozenset({"keyid", "sig"}))
    payload = decode64(envelope.any("payload"), place=f"{place}: payload")
    return payload, signature.hex("keyid", 64), decode64(signature.any("sig"), place=f"{place}: sig")


def _envelope(payload: bytes, signer: str, signature: bytes) -> bytes:
    return canonical.dumps(
        {
            "payload": encode64(payload),
            "payloadType": PAYLOAD_TYPE,
            "signatures": [{"keyid": signer, "sig": encode64(signature)}],
        }
    )


def _statement(payload: bytes, signer: str) -> Statement:
    place = names.STATEMENT
    document = Fields(canonical.loads_canonical(payload, place=f"{place}: payload"), place, rule=predicate.RULE)
    document.only(frozenset({"_type", "predicateType", "subject", "predicate"}))
    for name, expected in (("_type", STATEMENT_TYPE), ("predicateType", PREDICATE_TYPE)):
        if document.any(name) != expected:
            raise fault("statement.type", place, expected=expected, got=document.any(name))
    claims = predicate.read(document.object("predicate"))
    return Statement(
        predicate=claims,
        subjects=_subjects(document.array("subject", most=MOST_SUBJECTS), runs=len(claims.runs)),
        bundle_id=sha256(payload).hexdigest(),
        key_id=signer,
    )


def _signature_findings(statement: Statement, payload: bytes, signature: bytes) -> list[Finding]:
    public_key = base64.b64decode(statement.predicate.public_key)
    if statement.key_id != key_id(public_key):
        error = fault("statement.key_id", names.STATEMENT, expected=key_id(public_key), got=statement.key_id)
        return [error.finding]
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, pre_authentication(payload))
    except InvalidSignature:
        expected = f"a signature by key {statement.key_id}"
        return [fault("statement.signature", names.STATEMENT, expected=expected, got="one that does not fit").finding]
    return []


def _subjects(values: list[Json], *, runs: int) -> tuple[Subject, ...]:
    read = [_subject(Fields(value, names.STATEMENT, rule="statement.subject"), runs) for value in values]
    for (before, _), (after, subject) in pairwise(read):
        if before >= after:
            raise fault("statement.subject", names.STATEMENT, expected="each file once, in order", got=subject.name)
    return tuple(subject for _, subject in read)


def _subject(fields: Fields, runs: int) -> tuple[Entry, Subject]:
    """A file and its place in the container's order; only files of the runs that the statement names."""
    fields.only(frozenset({"name", "digest"}))
    name = fields.text("name")
    entry = names.parse(name)
    if entry is None or entry.kind is Kind.STATEMENT or (entry.kind is not Kind.SYSTEM and entry.run >= runs):
        raise fields.wrong("name", f"a file of format 1, of {runs} runs")
    return entry, Subject(name=name, sha256=fields.object("digest").only(frozenset({"sha256"})).hex("sha256", 64))
