"""Organisations and who belongs to them."""

from __future__ import annotations

import pytest

from portal.accounts.models import Membership, Role, User
from portal.accounts.selectors import (
    may_manage,
    may_submit,
    organisations_to_submit_for,
    organisations_visible_to,
    role_in,
)
from portal.accounts.services import membership_add, membership_remove, organisation_create
from portal.errors import PortalError
from portal.trail.models import Event
from tests.portal.api.world import World


def test_who_creates_an_organisation_owns_it(world: World) -> None:
    """And may do everything in it."""
    assert role_in(world.alice, world.laboratory) is Role.OWNER
    assert may_manage(world.alice, world.laboratory)
    assert may_submit(world.alice, world.laboratory)


@pytest.mark.sqlite
@pytest.mark.parametrize("name", ["Laboratory", "LABORATORY", "  laboratory "])
def test_a_name_is_given_once(world: World, name: str) -> None:
    """However it is spelled: nobody is impersonated."""
    with pytest.raises(PortalError, match=r"organisation\.name_taken"):
        organisation_create(user=world.charlie, name=name, slug="another")


@pytest.mark.parametrize("name", ["", "   ", "!!!", "x" * 101])
def test_a_name_that_is_none_is_refused(world: World, name: str) -> None:
    """Before it reaches the database."""
    with pytest.raises(PortalError, match=r"organisation\.name_invalid"):
        organisation_create(user=world.charlie, name=name)


def test_an_owner_gives_and_changes_roles(world: World) -> None:
    """By the person's address, however it is written."""
    membership_add(organisation=world.laboratory, by=world.alice, email="CHARLIE@example.org", role=Role.SUBMITTER)
    assert may_submit(world.charlie, world.laboratory)
    membership_add(organisation=world.laboratory, by=world.alice, email="charlie@example.org", role=Role.MEMBER)
    assert not may_submit(world.charlie, world.laboratory)


def test_nobody_without_an_account_becomes_a_member(world: World) -> None:
    """The person signs up first."""
    with pytest.raises(PortalError, match=r"membership\.unknown_person"):
        membership_add(organisation=world.laboratory, by=world.alice, email="nobody@example.org")


def test_members_and_strangers_give_no_roles(world: World) -> None:
    """Owners do."""
    for person in (world.bob, world.charlie):
        with pytest.raises(PortalError, match=r"permission\.denied"):
            membership_add(organisation=world.laboratory, by=person, email="bob@example.org", role=Role.OWNER)


def test_the_last_owner_stays(world: World) -> None:
    """Neither by leaving nor by another role."""
    own = Membership.objects.get(user=world.alice, organisation=world.laboratory)
    with pytest.raises(PortalError, match=r"membership\.last_owner"):
        membership_remove(membership=own, by=world.alice)
    with pytest.raises(PortalError, match=r"membership\.last_owner"):
        membership_add(organisation=world.laboratory, by=world.alice, email=world.alice.email, role=Role.MEMBER)


def test_everybody_may_leave_and_owners_remove(world: World) -> None:
    """Each with a row in the trail."""
    membership = Membership.objects.get(user=world.bob, organisation=world.laboratory)
    with pytest.raises(PortalError, match=r"permission\.denied"):
        membership_remove(membership=membership, by=world.charlie)
    membership_remove(membership=membership, by=world.bob)
    assert role_in(world.bob, world.laboratory) is None
    assert Event.objects.filter(kind="membership:remove", actor=world.bob.public_id).exists()


def test_people_see_their_own_organisations_and_auditors_all(world: World, auditor: User) -> None:
    """One scoped queryset."""
    assert set(organisations_visible_to(world.bob)) == {world.laboratory}
    assert set(organisations_visible_to(auditor)) == {world.laboratory, world.elsewhere}
    assert not organisations_to_submit_for(world.bob)


def test_an_address_has_one_account(world: World) -> None:
    """Whatever its capitals."""
    assert User.objects.get_by_natural_key("ALICE@example.org") == world.alice
    assert User.objects.create_user("Dora@Example.ORG").email == "dora@example.org"


@pytest.mark.parametrize("name", ["Goo\u200bgle", "\u202eyrotarobaL", "La\x00b", "Lab\x1boratory", "La\u00adb"])
def test_a_name_holds_nothing_that_cannot_be_seen(world: World, name: str) -> None:
    """Two names that look the same are the same, or refused."""
    with pytest.raises(PortalError, match=r"organisation\.name_invalid"):
        organisation_create(user=world.alice, name=name, slug="another")


def test_one_name_in_two_spellings_is_one_name(world: World) -> None:
    """Composed and decomposed letters; capitals in short names."""
    organisation_create(user=world.alice, name="Universit\u00e9", slug="uni")
    with pytest.raises(PortalError, match=r"organisation\.name_taken"):
        organisation_create(user=world.charlie, name="Universite\u0301", slug="uni-2")
    with pytest.raises(PortalError, match=r"organisation\.name_taken"):
        organisation_create(user=world.charlie, name="Another", slug="UNI")
