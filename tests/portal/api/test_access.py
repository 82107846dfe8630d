"""Who may call what: default deny, tokens told apart by id, and a walk over every operation as everybody."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView

from portal.accounts.models import ApiToken, Membership, User
from portal.accounts.services import api_token_revoke
from portal.api.permissions import Everybody
from portal.api.urls import urlpatterns
from portal.submissions.models import Submission
from tests.portal.api.world import World, stored_submission

PUBLIC = {"boards", "board", "result", "result_bundle", "schema", "nothing"}


def answer(client: Client, secret: str, path: str = "me") -> Any:
    return client.get(f"/api/v1/{path}", headers={"Authorization": f"Bearer {secret}"})


def problem(response: Any) -> tuple[int, str]:
    assert response["Content-Type"] == "application/problem+json"
    assert response["Vflops-Error"] == response.json()["id"]
    return response.status_code, response.json()["id"]


def test_a_valid_token_says_whose_it_is_and_until_when(client: Client, world: World) -> None:
    me = answer(client, world.secret).json()
    assert me["user"] == {"email": "alice@example.org", "name": ""}
    assert me["organisations"] == [{"slug": "laboratory", "name": "Laboratory", "role": "owner"}]
    assert me["token"]["prefix"] == world.secret[:8]
    assert me["token"]["expires_at"].endswith("Z")
    assert world.secret not in str(me)


def test_a_token_acts_for_its_own_organisation_alone(client: Client, world: World) -> None:
    Membership.objects.create(user=world.alice, organisation=world.elsewhere, role="owner")
    slugs = {o["slug"] for o in answer(client, world.secret).json()["organisations"]}
    browser = Client()
    browser.force_login(world.alice)
    everywhere = {o["slug"] for o in browser.get("/api/v1/organisations").json()["results"]}
    assert (slugs, everywhere) == ({"laboratory"}, {"laboratory", "elsewhere"})
    hidden = stored_submission(world, organisation=world.elsewhere)
    assert answer(client, world.secret, f"submissions/{hidden.public_id}").status_code == 404
    assert browser.get(f"/api/v1/submissions/{hidden.public_id}").status_code == 200


@pytest.mark.parametrize("secret", ["vfl_unknown", "other", "", "vfl_" + "x" * 5000, "vfl_\u00e9"])
def test_an_unknown_token_is_refused(client: Client, world: World, secret: str) -> None:
    response = answer(client, secret)
    assert problem(response) == (401, "token.invalid")
    assert response["WWW-Authenticate"].startswith("Bearer")


def test_an_expired_token_says_so(client: Client, world: World) -> None:
    ApiToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert problem(answer(client, world.secret)) == (401, "token.expired")


def test_a_revoked_token_says_so(client: Client, world: World) -> None:
    api_token_revoke(token=world.token, user=world.alice)
    assert problem(answer(client, world.secret)) == (401, "token.revoked")


def test_a_token_ends_with_its_membership(client: Client, world: World) -> None:
    Membership.objects.filter(user=world.alice).delete()
    assert problem(answer(client, world.secret)) == (401, "token.orphaned")


def test_a_token_ends_with_its_person(client: Client, world: World) -> None:
    User.objects.filter(pk=world.alice.pk).update(is_active=False)
    assert problem(answer(client, world.secret)) == (401, "token.orphaned")


def test_no_token_is_told_what_to_send(client: Client, world: World) -> None:
    response = client.get("/api/v1/me")
    assert problem(response) == (401, "token.missing")
    assert "Bearer" in response.json()["action"]


def test_the_use_of_a_token_is_noted(client: Client, world: World) -> None:
    answer(client, world.secret)
    assert ApiToken.objects.get(pk=world.token.pk).last_used_at is not None


def test_a_change_by_session_needs_the_pages_own_token(world: World) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(world.alice)
    submission = stored_submission(world)
    path = f"/api/v1/submissions/{submission.public_id}/publish"
    assert problem(browser.post(path, {}, "application/json")) == (403, "request.csrf_failed")
    browser.cookies["csrftoken"] = "x" * 32
    response = browser.post(path, {}, "application/json", headers={"X-CSRFToken": "x" * 32})
    assert response.status_code == 200


def views() -> list[tuple[str, type[APIView]]]:
    return [(str(pattern.name), pattern.callback.view_class) for pattern in urlpatterns]  # type: ignore[attr-defined]


def test_only_what_is_meant_to_be_public_is_public() -> None:
    public = {name for name, view in views() if Everybody in view.permission_classes}
    assert public == PUBLIC


def test_a_view_that_names_no_permission_answers_nobody(world: World) -> None:
    class Forgotten(APIView):
        def get(self, request: Any) -> Any:
            raise AssertionError("must not be reached")

    response = Forgotten.as_view()(APIRequestFactory().get("/"))
    assert response.status_code == 401
    assert response.data["id"] == "token.missing"


WALK = [
    ("GET", "me"),
    ("GET", "organisations"),
    ("GET", "systems"),
    ("GET", "keys"),
    ("GET", "submissions"),
    ("GET", "submissions/{id}"),
    ("GET", "submissions/{id}/findings"),
    ("GET", "submissions/{id}/report"),
    ("GET", "submissions/{id}/timeline"),
    ("GET", "submissions/{id}/bundle"),
    ("POST", "submissions/{id}/publish"),
    ("POST", "submissions/{id}/withdraw"),
]


@pytest.fixture
def submission(world: World) -> Submission:
    """A submission of Alice's organisation that is not verified yet."""
    return stored_submission(world)


@pytest.mark.parametrize(("method", "path"), WALK)
def test_nobody_and_strangers_are_kept_out(
    client: Client, world: World, submission: Submission, method: str, path: str
) -> None:
    address = "/api/v1/" + path.format(id=submission.public_id)
    assert client.generic(method, address).status_code == 401
    stranger = {"Authorization": f"Bearer {world.secret_of(world.charlie, world.elsewhere)}"}
    response = client.generic(method, address, headers=stranger)
    assert response.status_code == (404 if "{id}" in path else 200)
    assert submission.public_id not in response.content.decode()


@pytest.mark.parametrize(("method", "path"), WALK)
def test_a_member_looks_and_changes_nothing(world: World, submission: Submission, method: str, path: str) -> None:
    browser = Client()
    browser.force_login(world.bob)
    response = browser.generic(method, "/api/v1/" + path.format(id=submission.public_id))
    no_report = path.endswith(("report", "findings"))
    assert response.status_code == (403 if method == "POST" else 404 if no_report else 200)


def test_an_auditor_sees_every_submission(world: World, submission: Submission) -> None:
    auditor = User.objects.create_user("auditor@example.org", is_auditor=True)
    browser = Client()
    browser.force_login(auditor)
    assert browser.get(f"/api/v1/submissions/{submission.public_id}").status_code == 200
    assert browser.post(f"/api/v1/submissions/{submission.public_id}/publish").status_code == 403
