"""Pages of organisations for their members: making one, members, keys, tokens."""

from __future__ import annotations

import pytest
from django.test import Client

from portal.accounts.models import ApiToken, Membership, Organisation, Role
from portal.accounts.selectors import api_token_find
from tests.portal.api.world import World
from tests.portal.scenes import register


@pytest.fixture
def alice(client: Client, world: World) -> Client:
    """The owner's browser."""
    client.force_login(world.alice)
    return client


@pytest.fixture
def bob(world: World) -> Client:
    """A member's browser, who only looks."""
    browser = Client()
    browser.force_login(world.bob)
    return browser


def test_whoever_makes_an_organisation_owns_it(alice: Client, world: World) -> None:
    """And goes on to a token."""
    answer = alice.post("/account/organisations/new/", {"name": "Second  Laboratory", "country": "de"})
    made = Organisation.objects.get(slug="second-laboratory")
    assert answer["Location"] == "/organisations/second-laboratory/tokens/"
    assert made.name == "Second Laboratory"
    assert made.country == "DE"
    assert Membership.objects.get(organisation=made, user=world.alice).role == Role.OWNER


def test_a_name_that_is_taken_is_refused_with_what_to_do(alice: Client) -> None:
    """Beside the field."""
    html = alice.post("/account/organisations/new/", {"name": "Laboratory"}).content.decode()
    assert "An organisation of this name exists." in html
    assert "Choose another name" in html


def test_a_name_without_latin_letters_needs_a_short_one(alice: Client) -> None:
    """The refusal says so, and the name itself is kept."""
    address, name = "/account/organisations/new/", "\N{CJK UNIFIED IDEOGRAPH-5B9E}\N{CJK UNIFIED IDEOGRAPH-9A8C}"
    assert "a short name of Latin letters" in alice.post(address, {"name": name}).content.decode()
    alice.post(address, {"name": name, "slug": "shiyan"})
    assert Organisation.objects.get(slug="shiyan").name == name


def test_an_owner_gives_and_takes_roles(alice: Client, world: World) -> None:
    """By address."""
    alice.post("/organisations/laboratory/members/", {"email": "Charlie@Example.org", "role": "submitter"})
    given = Membership.objects.get(organisation=world.laboratory, user=world.charlie)
    assert given.role == Role.SUBMITTER
    alice.post(f"/organisations/laboratory/members/{world.charlie.public_id}/remove/")
    assert not Membership.objects.filter(pk=given.pk).exists()


def test_the_last_owner_stays(alice: Client, world: World) -> None:
    """And is told what to do first."""
    address = f"/organisations/laboratory/members/{world.alice.public_id}/remove/"
    html = alice.post(address, follow=True).content.decode()
    assert Membership.objects.filter(organisation=world.laboratory, user=world.alice).exists()
    assert "Make somebody else an owner first." in html


def test_a_member_may_leave_but_not_add(bob: Client, world: World) -> None:
    """The form is not shown, and the door refuses."""
    assert "Add a person" not in bob.get("/organisations/laboratory/members/").content.decode()
    bob.post("/organisations/laboratory/members/", {"email": "charlie@example.org", "role": "member"})
    assert not Membership.objects.filter(organisation=world.laboratory, user=world.charlie).exists()
    bob.post(f"/organisations/laboratory/members/{world.bob.public_id}/remove/")
    assert not Membership.objects.filter(organisation=world.laboratory, user=world.bob).exists()


def test_a_tokens_secret_is_shown_once(alice: Client, world: World) -> None:
    """In the answer to its making, and on no page after."""
    made = alice.post("/organisations/laboratory/tokens/", {"name": "cluster", "days": "30"})
    secret = made.context["secret"]
    token = api_token_find(secret)
    assert token is not None
    assert token.name == "cluster"
    assert secret in made.content.decode()
    assert "no-store" in made["Cache-Control"]
    again = alice.get("/organisations/laboratory/tokens/").content.decode()
    assert secret not in again
    assert token.prefix in again


def test_a_token_is_revoked_by_a_form(alice: Client, world: World) -> None:
    """And the page says so."""
    html = alice.post(f"/organisations/laboratory/tokens/{world.token.public_id}/revoke/", follow=True).content.decode()
    assert ApiToken.objects.get(pk=world.token.pk).revoked_at is not None
    assert "The token is revoked." in html


def test_a_token_lives_a_year_at_most(alice: Client) -> None:
    """Refused by the form."""
    alice.post("/organisations/laboratory/tokens/", {"name": "for ever", "days": "9999"})
    assert not ApiToken.objects.filter(name="for ever").exists()


def test_a_member_who_only_looks_makes_no_token_and_sees_nobody_elses(bob: Client, world: World) -> None:
    """Tokens hand in and publish."""
    html = bob.post("/organisations/laboratory/tokens/", {"name": "mine", "days": "30"}).content.decode()
    assert not ApiToken.objects.filter(name="mine").exists()
    assert world.token.prefix not in html


def test_a_key_is_revoked_with_a_reason_that_is_shown(alice: Client, world: World) -> None:
    """For ever."""
    key = register(world.laboratory, world.alice)
    address = f"/organisations/laboratory/keys/{key.key_id}/revoke/"
    assert "This cannot be undone" in alice.get(address).content.decode()
    html = alice.post(address, {"reason": "laptop lost"}, follow=True).content.decode()
    key.refresh_from_db()
    assert key.revoked_at is not None
    assert "laptop lost" in html


@pytest.mark.parametrize("page", ["members", "keys", "tokens"])
def test_strangers_find_nothing(world: World, page: str) -> None:
    """As if the organisation had no such page."""
    stranger = Client()
    stranger.force_login(world.charlie)
    assert stranger.get(f"/organisations/laboratory/{page}/").status_code == 404
    assert Client().get(f"/organisations/laboratory/{page}/").status_code == 302
