"""Who may open what: every address of the portal, asked for by everybody; the API's own walk is in tests/portal/api."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from portal.accounts.models import User
from portal.results.models import Figure, Result
from portal.submissions.models import Submission
from portal.trail.models import Event
from tests.portal.api.world import World
from tests.portal.reports import report
from tests.portal.scenes import publish, record, register


class Rule(StrEnum):
    """Who may open an address."""

    PUBLIC = "everybody"
    PERSON = "everybody who is logged in"
    OWN = "members of the organisation and auditors"
    ACTION = "by POST: owners and submitters of the organisation"
    ACCOUNT = "each person about themselves; anonymous visitors to log in"


PUBLIC = "home index board organisation result version document picture bundle report citation rules glossary "
PUBLIC += "favicon take_part api_reference queue account_menu health_live"
RULES: dict[str, Rule] = {
    **dict.fromkeys(PUBLIC.split(), Rule.PUBLIC),
    **dict.fromkeys(["organisations", "organisation_new", "submissions", "upload"], Rule.PERSON),
    **dict.fromkeys(["members", "keys", "tokens", "submission", "submission_state"], Rule.OWN),
    **dict.fromkeys(["member_remove", "key_revoke", "token_revoke", "publish", "withdraw"], Rule.ACTION),
}
"""Every address by name; one that is missing here fails the walk: access is decided, never left open."""

OPEN_ELSEWHERE = ("health_ready",)
"""Answers 503 here, where no sweep runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """An address with every part filled in."""

    route: str
    name: str
    path: str


@pytest.fixture
def people(world: World, auditor: User, admin: User) -> dict[str, Client]:
    """A browser for each kind of person."""
    persons = {"stranger": world.charlie, "member": world.bob, "owner": world.alice, "auditor": auditor, "admin": admin}
    clients = {"anonymous": Client()}
    for name, person in persons.items():
        clients[name] = Client()
        clients[name].force_login(person)
    return clients


@pytest.fixture
def published(world: World, make_submission: Callable[[str], Submission]) -> Result:
    """A published result."""
    register(world.laboratory, world.alice)
    result = publish(record(make_submission("a"), report("a")), world.alice)
    Figure.objects.create(version=result.version, name="quality", title="Q", plotly={}, svg="<svg/>", table={})
    return result


@pytest.fixture
def pending(world: World, published: Result, make_submission: Callable[[str], Submission]) -> Submission:
    """A submission of the same organisation that is not published."""
    return record(make_submission("b"), report("b"))


def routes(resolver: URLResolver | None = None, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Every route with its name."""
    for entry in (resolver or get_resolver()).url_patterns:
        if isinstance(entry, URLPattern):
            yield prefix + str(entry.pattern), entry.name or ""
        else:
            yield from routes(entry, prefix + str(entry.pattern))


@pytest.fixture
def addresses(world: World, published: Result, pending: Submission) -> list[Address]:
    """Every address outside API and administration, about the laboratory."""
    parts = {
        "<slug:workload>/<slug:scale>/<slug:level>": "image_classification/smoke/hardware",
        "organisations/<slug:slug>": "organisations/laboratory",
        "results/<slug:public_id>": f"results/{published.public_id}",
        "submissions/<slug:public_id>": f"submissions/{pending.public_id}",
        "tokens/<slug:public_id>": f"tokens/{world.token.public_id}",
        "<slug:person_id>": world.bob.public_id,
        "<slug:key_id>": world.laboratory.signing_keys.get().key_id,
        "<int:number>": "1",
        "<slug:name>": "quality",
    }
    found = []
    for route, name in routes():
        path = "/" + route
        for part, value in parts.items():
            path = path.replace(part, value)
        if not path.startswith(("/api/v1/", "/admin/")) and name not in OPEN_ELSEWHERE:
            found.append(Address(route=route, name=name, path=path))
    return found


def rule_of(address: Address) -> Rule | None:
    """What is decided about an address."""
    return (
        Rule.ACCOUNT if address.name.startswith("account_") and address.name not in RULES else RULES.get(address.name)
    )


def test_access_to_every_address_is_decided(addresses: list[Address]) -> None:
    """Nobody adds a page without saying for whom it is."""
    assert [address.route for address in addresses if rule_of(address) is None] == []


def outcome(client: Client, address: Address) -> str:
    """What a person meets there: open, login, hidden, refused."""
    answer = client.post(address.path) if rule_of(address) is Rule.ACTION else client.get(address.path)
    if answer.status_code == 302:
        return "login" if answer.headers["Location"].startswith("/account/login/") else "open"
    return {200: "open", 403: "refused", 404: "hidden", 405: "refused"}.get(answer.status_code, str(answer.status_code))


EXPECTED: dict[Rule, dict[str, set[str]]] = {
    Rule.PUBLIC: {},
    Rule.PERSON: {"anonymous": {"login"}},
    Rule.OWN: {"anonymous": {"login"}, "stranger": {"hidden"}},
}


@pytest.mark.parametrize("rule", EXPECTED)
def test_every_page_opens_for_whom_it_is_meant_and_for_nobody_else(
    addresses: list[Address], people: dict[str, Client], rule: Rule
) -> None:
    """Strangers cannot even tell that a page exists."""
    wrong = [
        (address.path, who, found)
        for address in addresses
        if rule_of(address) is rule
        for who, client in people.items()
        if (found := outcome(client, address)) not in EXPECTED[rule].get(who, {"open"})
    ]
    assert wrong == []


def test_an_action_of_somebody_who_may_not_changes_nothing(
    addresses: list[Address], people: dict[str, Client], pending: Submission
) -> None:
    """Whatever the page answers, the trail stays as it is."""
    before = Event.objects.count()
    actions = [address for address in addresses if rule_of(address) is Rule.ACTION]
    assert len(actions) == 5
    for address in actions:
        assert outcome(people["anonymous"], address) == "login"
        assert outcome(people["stranger"], address) == "hidden"
        for who in ("auditor", "admin"):
            assert not outcome(people[who], address).isdigit()
        if address.name != "member_remove":  # a member may leave by it
            assert not outcome(people["member"], address).isdigit()
    pending.refresh_from_db()
    assert (pending.state, Event.objects.count()) == ("verified", before)


def test_account_pages_never_fail(addresses: list[Address], people: dict[str, Client]) -> None:
    """Whoever opens them, in whatever order."""
    for address in addresses:
        if rule_of(address) is Rule.ACCOUNT and "(?P" not in address.route and "logout" not in address.route:
            for who, client in people.items():
                assert not outcome(client, address).startswith("5"), (address.path, who)


def admin_paths() -> list[str]:
    """Every address of the administration that needs no row, and those of the first row."""
    paths = {"/" + route for route, _name in routes() if route.startswith("admin/")}
    filled = {
        path.replace("<path:object_id>", "1").replace("<int:pk>", "1").replace("<int:attempt>", "1") for path in paths
    }
    return sorted(path for path in filled if "<" not in path and "(?P" not in path and "logout" not in path)


def test_the_administration_is_closed_to_everybody_else(people: dict[str, Client], pending: Submission) -> None:
    """Owners too: it shows what belongs to others."""
    for path in admin_paths():
        for who in ("anonymous", "stranger", "member", "owner"):
            answer = people[who].get(path)
            public = path == "/admin/login/"
            assert answer.status_code in ({200, 302} if public else {302, 404}), (path, who, answer.status_code)


def test_the_administration_never_fails_for_those_it_is_for(people: dict[str, Client], pending: Submission) -> None:
    """Pages, or a refusal; no error of ours."""
    for path in admin_paths():
        for who in ("auditor", "admin"):
            assert people[who].get(path).status_code < 500, (path, who)


def test_public_pages_set_no_cookie_and_are_the_same_for_everybody(
    addresses: list[Address], people: dict[str, Client]
) -> None:
    """So that they can be cached anywhere; the account menu is a fragment."""
    for address in addresses:
        if rule_of(address) is Rule.PUBLIC and address.name not in {"account_menu", "bundle"}:
            answers = [people[who].get(address.path) for who in ("anonymous", "owner", "admin")]
            assert not any(answer.cookies for answer in answers), address.path
            assert len({answer.content for answer in answers}) == 1, address.path
