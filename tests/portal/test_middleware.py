"""What no request gets past: NUL characters, files in forms; what no cache keeps; errors before any view is found."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st
from pytest_django.fixtures import Settings

from portal.accounts.models import User
from tests.portal.api.world import World

BOARD = "boards/image_classification/smoke/hardware"
PATHS = ("/", f"/{BOARD}/", "/submissions/", "/account/login/", "/admin/login/", "/health/live")


@pytest.mark.parametrize("path", PATHS)
def test_a_nul_in_a_query_or_cookie_is_refused_before_any_database_sees_it(client: Client, db: None, path: str) -> None:
    """A session's cookie may hide it behind an octal escape."""
    assert client.get(f"{path}?accelerator=%00").status_code == 400
    client.cookies.load(r'sessionid="abcdefghijk\000lmnop"')
    answer = client.get(path, headers={"Cookie": r'sessionid="abcdefghijk\000lmnop"'})
    assert answer.status_code == 400
    assert "Content-Security-Policy" in answer


@pytest.mark.parametrize(
    "headers", [{"Host": "evil.example"}, {"Cookie": r'sessionid="abcdefghijk\000lmnop"'}], ids=["host", "cookie"]
)
def test_what_is_refused_before_any_view_is_a_problem_under_the_api(
    client: Client, db: None, headers: dict[str, str]
) -> None:
    answer = client.get("/api/v1/me", headers=headers)
    assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")
    assert answer.json()["id"] == answer["Vflops-Error"] == "request.refused"


@pytest.mark.parametrize("https", [True, False])
def test_a_foreign_host_gets_an_error_page_with_the_policy(
    client: Client, db: None, settings: Settings, https: bool
) -> None:
    """Also where the redirect to https is what meets the host first."""
    settings.SECURE_SSL_REDIRECT = https
    answer = client.get("/", headers={"Host": "evil.example"})
    assert answer.status_code == 400
    assert "script-src 'self'" in answer["Content-Security-Policy"]


def test_no_form_takes_a_file(client: Client, db: None) -> None:
    """Nobody's disk is filled before the view is asked."""
    assert client.post("/account/login/", {"file": SimpleUploadedFile("a.bin", b"x" * 5_000_000)}).status_code == 400


@pytest.fixture
def browser(world: World) -> Client:
    """Alice's, with the protection against forged requests on."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(world.alice)
    client.cookies["csrftoken"] = "a" * 32
    return client


@pytest.mark.parametrize("boundary", ["", "; boundary=", "; boundary=a"])
def test_a_form_that_cannot_be_read_is_a_problem_under_the_api(browser: Client, boundary: str) -> None:
    answer = browser.post("/api/v1/keys", b"--a\r\nx", content_type=f"multipart/form-data{boundary}")
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.status_code < 500


@pytest.mark.parametrize("path", ["/account/login/", "/account/password/reset/key/1-abc/", "/account/menu/"])
def test_pages_that_depend_on_a_cookie_are_kept_out_of_caches(client: Client, db: None, path: str) -> None:
    assert "private" in client.get(path)["Cache-Control"]


def test_a_form_that_was_forged_meets_our_own_page(db: None) -> None:
    answer = Client(enforce_csrf_checks=True).post("/account/login/", {"login": "a"})
    assert answer.status_code == 403
    assert b"<style" not in answer.content
    assert b"Valid FLOPS" in answer.content


TEXTS = st.text(st.characters(codec="utf-8"), max_size=120)


@examples(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    query=st.dictionaries(
        st.sampled_from(["sort", "page", "accelerator", "organisation", "framework", "format"]) | TEXTS, TEXTS
    )
)
def test_no_query_makes_a_board_fail(client: Client, db: None, query: dict[str, str]) -> None:
    for path in (f"/{BOARD}/", f"/api/v1/{BOARD}"):
        assert client.get(path, query).status_code in {200, 400, 404, 429}


@examples(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=st.lists(TEXTS, min_size=5, max_size=5))
def test_no_text_makes_a_form_fail(client: Client, user_id: int, values: list[str]) -> None:
    """Whatever is entered: an organisation, or the form again."""
    client.force_login(User.objects.get(pk=user_id))
    names = ("name", "slug", "country", "website", "other")
    assert client.post("/account/organisations/new/", dict(zip(names, values, strict=True))).status_code in {200, 302}
    assert client.post("/account/login/", {"login": values[0], "password": values[1]}).status_code < 500


@pytest.fixture
def user_id(db: None) -> int:
    """Somebody who is logged in."""
    return User.objects.create_user("dora@example.org").pk


@pytest.mark.parametrize(
    "website", ["https://example.org/" + "a" * 300, "javascript:alert(1)", "https://example.org\0"]
)
def test_a_website_that_does_not_fit_is_told_so(client: Client, user_id: int, website: str) -> None:
    client.force_login(User.objects.get(pk=user_id))
    answer = client.post("/account/organisations/new/", {"name": "Laboratory", "website": website})
    assert answer.status_code == 200
    assert answer.context["form"].errors["website"]


def test_a_body_that_breaks_is_no_form(browser: Client) -> None:
    """Nothing of it is done."""

    class Broken(BytesIO):
        def read(self, _size: int | None = -1, /) -> bytes:
            raise OSError("gone")

    request: dict[str, Any] = {
        "wsgi.input": Broken(),
        "CONTENT_LENGTH": "10",
        "CONTENT_TYPE": "application/x-www-form-urlencoded",
    }
    assert browser.post("/account/organisations/new/", **request).status_code == 403
