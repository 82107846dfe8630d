"""Signing keys over the API: a proof of possession lets a key in, its owner's organisation takes it out."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.test import Client

from portal.accounts.models import SigningKey
from tests.portal.api.world import World

KEY = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(b"a key of tests").digest())
PUBLIC = KEY.public_key().public_bytes_raw()


def text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def body(slug: str = "laboratory", **changes: Any) -> dict[str, Any]:
    proof = KEY.sign(b"vflops-key-registration:" + slug.encode())
    return {"organisation": slug, "name": "node", "public_key": text(PUBLIC), "signature": text(proof), **changes}


def register(client: Client, world: World, fields: dict[str, Any]) -> Any:
    return client.post("/api/v1/keys", fields, "application/json", headers=world.headers())


def test_a_key_is_registered_and_listed(client: Client, world: World) -> None:
    response = register(client, world, body())
    assert response.status_code == 201
    assert response.json()["key_id"] == hashlib.sha256(PUBLIC).hexdigest()
    assert client.get("/api/v1/keys", headers=world.headers()).json()["results"] == [response.json()]


def test_registering_again_changes_nothing(client: Client, world: World) -> None:
    first = register(client, world, body()).json()
    assert register(client, world, body(name="other")).json() == first
    assert SigningKey.objects.count() == 1


def test_the_organisation_need_not_be_named_with_a_token(client: Client, world: World) -> None:
    fields = body()
    del fields["organisation"]
    assert register(client, world, fields).json()["organisation"] == "laboratory"


@pytest.mark.parametrize(
    ("fields", "status", "id"),
    [
        (body(signature=text(KEY.sign(b"vflops-key-registration:elsewhere"))), 422, "key.proof_failed"),
        (body(signature=text(b"x" * 64)), 422, "key.proof_failed"),
        (body(signature=text(b"short")), 422, "key.proof_failed"),
        (body(public_key="not base64!"), 422, "key.malformed"),
        (body(public_key=text(b"short")), 422, "key.malformed"),
        (body("elsewhere"), 422, "organisation.unclear"),
    ],
)
def test_what_is_no_key_of_yours_is_refused(
    client: Client, world: World, fields: dict[str, Any], status: int, id: str
) -> None:
    response = register(client, world, fields)
    assert (response.status_code, response.json()["id"]) == (status, id)
    assert not SigningKey.objects.exists()


def test_a_key_of_another_organisation_is_refused_and_not_shown(client: Client, world: World) -> None:
    stranger = {"Authorization": f"Bearer {world.secret_of(world.charlie, world.elsewhere)}"}
    client.post("/api/v1/keys", body("elsewhere"), "application/json", headers=stranger)
    assert register(client, world, body()).json()["id"] == "key.already_registered"
    assert client.get("/api/v1/keys", headers=world.headers()).json()["results"] == []


def test_a_key_is_revoked_with_a_reason(client: Client, world: World) -> None:
    key_id = register(client, world, body()).json()["key_id"]
    address = f"/api/v1/keys/{key_id}/revoke"
    assert client.post(address, {}, "application/json", headers=world.headers()).status_code == 422
    response = client.post(address, {"reason": "lost"}, "application/json", headers=world.headers())
    assert response.json()["revoked_reason"] == "lost"
    assert response.json()["revoked_at"]
    again = client.post(address, {"reason": "lost"}, "application/json", headers=world.headers())
    assert (again.status_code, again.json()["id"]) == (409, "key.already_revoked")
    assert register(client, world, body()).json()["id"] == "key.already_registered"
