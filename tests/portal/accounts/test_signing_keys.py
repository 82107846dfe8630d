"""Signing keys: registered by who holds them, one organisation each, revoked with a reason."""

from __future__ import annotations

import base64

import pytest

from portal.accounts.models import SigningKey
from portal.accounts.services import signing_key_register, signing_key_revoke
from portal.errors import PortalError
from portal.trail.selectors import events_of
from tests.bundles import KEY, OTHER_KEY
from tests.portal.api.world import World
from tests.portal.scenes import proof, public_key_of, register


def test_the_holder_of_a_key_registers_it(world: World) -> None:
    """Once; a second time gives the same row."""
    key = register(world.laboratory, world.alice)
    assert register(world.laboratory, world.alice) == key
    assert [event.kind for event in events_of(key.key_id)] == ["signing_key:register"]


@pytest.mark.parametrize("signature", [proof(OTHER_KEY, "laboratory"), proof(KEY, "elsewhere"), "", "@", "AAAA"])
def test_without_the_private_key_nothing_is_registered(world: World, signature: str) -> None:
    """A signature of another key, for another organisation, or none."""
    with pytest.raises(PortalError, match=r"key\.proof_failed"):
        signing_key_register(
            organisation=world.laboratory, user=world.alice, public_key=public_key_of(KEY), signature=signature
        )
    assert not SigningKey.objects.exists()


@pytest.mark.parametrize("public_key", ["", "not base64!", base64.b64encode(b"short").decode()])
def test_what_is_no_key_is_refused(world: World, public_key: str) -> None:
    """With what was expected."""
    with pytest.raises(PortalError, match=r"key\.malformed"):
        signing_key_register(
            organisation=world.laboratory, user=world.alice, public_key=public_key, signature=proof(KEY, "laboratory")
        )


@pytest.mark.sqlite
def test_a_key_belongs_to_one_organisation_for_ever(world: World) -> None:
    """Also after it was revoked."""
    key = register(world.laboratory, world.alice)
    with pytest.raises(PortalError, match=r"key\.already_registered"):
        register(world.elsewhere, world.charlie)
    signing_key_revoke(key=key, user=world.alice, reason="lost")
    for organisation, user in ((world.elsewhere, world.charlie), (world.laboratory, world.alice)):
        with pytest.raises(PortalError, match=r"key\.already_registered"):
            register(organisation, user)


def test_a_revocation_has_a_reason_and_happens_once(world: World) -> None:
    """By an owner."""
    key = register(world.laboratory, world.alice)
    with pytest.raises(PortalError, match=r"reason\.missing"):
        signing_key_revoke(key=key, user=world.alice, reason=" ")
    with pytest.raises(PortalError, match=r"permission\.denied"):
        signing_key_revoke(key=key, user=world.bob, reason="mine")
    assert signing_key_revoke(key=key, user=world.alice, reason="lost").revoked_at is not None
    with pytest.raises(PortalError, match=r"key\.already_revoked"):
        signing_key_revoke(key=key, user=world.alice, reason="again")


def test_members_register_no_keys(world: World) -> None:
    """Owners and submitters do."""
    with pytest.raises(PortalError, match=r"permission\.denied"):
        register(world.laboratory, world.bob)
