"""Every error under /api/ is problem+json with a stable id; what is not finite never gets in."""

from __future__ import annotations

import base64
from typing import Any
from unittest.mock import patch

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from portal.api.throttling import AddressThrottle, PersonThrottle
from portal.errors import EXPLANATIONS
from tests.portal.api.world import World


def problem(response: Any) -> tuple[int, str]:
    assert response["Content-Type"] == "application/problem+json"
    document = response.json()
    assert document["type"] == f"urn:vflops:problem:{document['id']}"
    assert document["status"] == response.status_code
    assert document["title"]
    assert document["detail"]
    assert document["action"]
    assert response["Vflops-Error"] == document["id"]
    return response.status_code, document["id"]


@pytest.mark.parametrize("path", ["nothing", "submissions/", "boards/a/b", "v2/me", "uploads/x/y", "%00", "me/%2e%2e"])
@pytest.mark.parametrize("method", ["GET", "POST", "PATCH", "PUT", "DELETE"])
def test_an_address_that_is_none_is_told_so(client: Client, db: None, path: str, method: str) -> None:
    assert problem(client.generic(method, f"/api/v1/{path}")) == (404, "request.not_found")


def test_a_method_that_is_none_is_told_so(client: Client, world: World) -> None:
    response = client.delete("/api/v1/me", headers=world.headers())
    assert problem(response) == (405, "request.method_not_allowed")
    assert "GET" in response["Allow"]


def test_a_format_that_there_is_none_of_is_told_so(client: Client, world: World) -> None:
    assert problem(client.get("/api/v1/me", headers=world.headers(Accept="image/png"))) == (
        406,
        "request.not_acceptable",
    )


def test_a_failure_of_ours_is_told_as_ours_and_gives_nothing_away(client: Client, world: World) -> None:
    with patch("portal.api.views.people.memberships", side_effect=RuntimeError("secret detail")):
        response = client.get("/api/v1/me", headers=world.headers())
    assert problem(response) == (500, "internal.unexpected")
    assert "secret detail" not in response.content.decode()


BODIES = [
    b'{"name": NaN}',
    b'{"name": Infinity}',
    b'{"name": -Infinity}',
    b'{"name": 1e999}',
    b'{"name": "a", "name": "b"}',
    b'{"name": "\xff"}',
    b"[1]",
    b"not json",
    b"[" * 10_000,
    b'{"a":' * 10_000,
    b'{"name": ' + b"1" * 5000 + b"}",
]


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_a_body_that_is_no_strict_json_object_is_refused(client: Client, world: World, body: bytes) -> None:
    response = client.post("/api/v1/keys", body, content_type="application/json", headers=world.headers())
    assert problem(response) == (400, "request.malformed")


def test_a_body_of_another_kind_is_refused(client: Client, world: World) -> None:
    response = client.post("/api/v1/keys", {"name": "x"}, headers=world.headers())
    assert problem(response) == (415, "request.media_type")


def test_a_body_that_is_too_large_is_refused(client: Client, world: World) -> None:
    body = b'{"name": "' + b"x" * 2**20 + b'"}'
    response = client.post("/api/v1/keys", body, content_type="application/json", headers=world.headers())
    assert problem(response) == (413, "request.too_large")


def test_wrong_fields_are_named(client: Client, world: World) -> None:
    response = client.post("/api/v1/keys", {"public_key": ["x"]}, "application/json", headers=world.headers())
    assert problem(response) == (422, "request.invalid")
    assert set(response.json()["fields"]) == {"public_key", "signature"}


@pytest.mark.parametrize(("throttle", "known"), [(PersonThrottle, True), (AddressThrottle, False)])
def test_too_many_calls_are_told_how_long_to_wait(
    client: Client, world: World, throttle: type[Any], known: bool
) -> None:
    path, headers = ("me", world.headers()) if known else ("boards", {})
    with patch.object(throttle, "rate", "2/min"):
        answers = [client.get(f"/api/v1/{path}", headers=headers) for _ in range(3)]
    assert [response.status_code for response in answers] == [200, 200, 429]
    assert problem(answers[-1]) == (429, "request.throttled")
    assert 1 <= int(answers[-1]["Retry-After"]) <= 60


def test_callers_are_told_apart_by_what_the_proxy_wrote_never_by_what_they_wrote(
    client: Client, db: None, settings: Settings
) -> None:
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    callers = ["10.0.0.1", "made up, 10.0.0.1", "10.0.0.2"]
    with patch.object(AddressThrottle, "rate", "1/min"):
        found = [client.get("/api/v1/boards", headers={"X-Forwarded-For": caller}) for caller in callers]
    assert [response.status_code for response in found] == [200, 429, 200]


def test_errors_are_told_in_the_language_asked_for_under_the_same_id(client: Client, world: World) -> None:
    response = client.get("/api/v1/me", headers={"Accept-Language": "zh-hans"})
    assert problem(response) == (401, "token.missing")


def test_every_id_has_a_status_of_an_error() -> None:
    assert {family for family in EXPLANATIONS if not 400 <= EXPLANATIONS[family].status <= 599} == set()


POSITIONS = ["p=abc", "p=%00", "r=1&p=x", "p=9999-12-31T23:59:59-23:59", "p=0001-01-01T00:00:00%2B23:59", "p=1e999"]


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("path", ["submissions", "keys", "systems"])
def test_a_cursor_that_no_page_gave_leads_nowhere(client: Client, world: World, path: str, position: str) -> None:
    cursor = base64.b64encode(position.encode()).decode()
    response = client.get(f"/api/v1/{path}", {"cursor": cursor}, headers=world.headers())
    assert problem(response) == (404, "request.not_found")


def test_each_form_of_an_answer_has_a_name_of_its_own(client: Client, db: None) -> None:
    """A cache that holds the JSON never vouches for the CSV."""
    board = "/api/v1/boards/image_classification/smoke/hardware"
    plain, table = client.get(board), client.get(board, headers={"Accept": "text/csv"})
    assert plain["ETag"] != table["ETag"]
    asked = {"Accept": "text/csv", "If-None-Match": plain["ETag"]}
    assert client.get(board, headers=asked).status_code == 200
    assert "Accept" in table["Vary"]


def test_callers_are_known_where_the_proxy_wrote_nothing_usable(client: Client, db: None, settings: Settings) -> None:
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    with patch.object(AddressThrottle, "rate", "1/min"):
        found = [client.get("/api/v1/boards", headers={"X-Forwarded-For": wrong}) for wrong in ("", "fe80::1%eth0")]
    assert [response.status_code for response in found] == [200, 429]
