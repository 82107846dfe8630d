"""API tokens: shown once, kept as a digest, expiring, revocable, dead with their person's membership."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from portal.accounts.models import ApiToken, Membership
from portal.accounts.selectors import api_token_condition, api_token_find
from portal.accounts.services import TOKEN_PREFIX, api_token_create, api_token_revoke
from portal.errors import PortalError
from tests.portal.api.world import World


def test_the_secret_is_not_kept(world: World) -> None:
    """Its digest is, and its beginning, to tell tokens apart."""
    row = str(ApiToken.objects.filter(pk=world.token.pk).values().get())
    assert world.secret.startswith(TOKEN_PREFIX)
    assert world.secret not in row
    assert world.token.prefix == world.secret[:8]


def test_a_secret_finds_its_token_and_a_wrong_one_none(world: World) -> None:
    """By digest."""
    assert api_token_find(world.secret) == world.token
    assert api_token_find(world.secret + "x") is None


def test_a_token_ends_by_itself_by_hand_and_with_its_person(world: World) -> None:
    """And says which of these it was."""
    now = timezone.now()
    assert api_token_condition(world.token) == "valid"
    assert api_token_condition(world.token, now=now + timedelta(days=91)) == "expired"
    Membership.objects.filter(user=world.alice).delete()
    assert api_token_condition(world.token) == "orphaned"
    assert api_token_condition(api_token_revoke(token=world.token, user=world.alice)) == "revoked"


@pytest.mark.parametrize("days", [0, -1, 366])
def test_a_lifetime_has_bounds(world: World, days: int) -> None:
    """No token is for ever."""
    with pytest.raises(PortalError, match=r"token\.lifetime_invalid"):
        api_token_create(organisation=world.laboratory, user=world.alice, name="x", days=days)


def test_strangers_and_members_make_and_end_no_tokens(world: World) -> None:
    """A token may hand in."""
    for person in (world.bob, world.charlie):
        with pytest.raises(PortalError, match=r"permission\.denied"):
            api_token_create(organisation=world.laboratory, user=person, name="x")
        with pytest.raises(PortalError, match=r"permission\.denied"):
            api_token_revoke(token=world.token, user=person)
