"""Public pages: the same for everybody, no cookie, cheap to ask again, and within the strict policy."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template.loader import render_to_string
from django.test import Client

from portal.results.models import Result
from tests.portal.api.world import World

PAGES: tuple[str, ...] = (
    "/",
    "/boards/",
    "/boards/image_classification/smoke/hardware/",
    "/organisations/laboratory/",
    "/rules/",
    "/glossary/",
    "/submit/",
    "/api/",
    "/queue/",
)


def test_public_pages_are_the_same_for_everybody_and_set_no_cookie(
    client: Client, world: World, result: Result
) -> None:
    """Logged in or not, byte for byte."""
    person = Client()
    person.force_login(world.alice)
    for path in (*PAGES, f"/results/{result.public_id}/"):
        anonymous = client.get(path)
        assert anonymous.status_code == 200, path
        assert not anonymous.cookies, path
        assert "Cookie" not in anonymous.get("Vary", ""), path
        assert person.get(path).content == anonymous.content, path


@pytest.mark.parametrize("path", PAGES)
def test_asking_again_costs_no_body(client: Client, world: World, path: str) -> None:
    """304 for the ETag, and shared caches may answer for a minute."""
    first = client.get(path)
    again = client.get(path, headers={"If-None-Match": first["ETag"]})
    assert again.status_code == 304
    assert "s-maxage=60" in first["Cache-Control"]
    assert "max-age=0" in first["Cache-Control"]


def test_pages_obey_the_policy_before_a_browser_says_so(client: Client, result: Result) -> None:
    """No inline style, no inline script, no handler in an attribute."""
    for path in (*PAGES, f"/results/{result.public_id}/"):
        html = client.get(path).content.decode()
        assert not re.search(r"<[^>]+\sstyle=", html), path
        assert not re.search(r"<[^>]+\son[a-z]+=", html), path
        assert not re.search(r"<script(?![^>]*(src=|type=\"application/json\"))", html), path
        assert "<style" not in html, path


@pytest.mark.parametrize("status", [400, 403, 404, 500])
def test_error_pages_need_no_database(status: int) -> None:
    """They are shown when it is gone; a query in this test, which has no database, would raise."""
    assert f">{status}<" in render_to_string(f"{status}.html")


def test_an_unknown_address_gives_the_own_page(client: Client, db: None) -> None:
    """Not the framework's."""
    response = client.get("/nothing/here/")
    assert response.status_code == 404
    assert "No page lives at this address" in response.content.decode()


def test_the_icon_is_where_browsers_look_for_it(client: Client) -> None:
    """Answers that are no page have no link to it."""
    answer = client.get("/favicon.ico")
    assert answer.status_code == 302
    assert answer["Location"] == "/static/img/favicon.svg"


@pytest.mark.parametrize("path", ["/submit/", "/organisations/laboratory/keys/"])
def test_commands_can_be_typed_as_they_are_shown(client: Client, world: World, path: str) -> None:
    """With the portal's own address."""
    client.force_login(world.alice)
    assert "vflops login http://localhost:8000\nvflops keys register" in client.get(path).content.decode()


def test_no_page_is_offered_in_a_language_without_a_catalogue(client: Client, db: None) -> None:
    """Half a translation is none."""
    for code, _name in settings.LANGUAGES:
        catalogue = Path(settings.BASE_DIR, "locale", code, "LC_MESSAGES", "django.mo")
        assert code == settings.LANGUAGE_CODE or catalogue.is_file()
    assert client.get("/zh-hans/").status_code == 404


def test_no_third_party_code_is_under_version_control() -> None:
    """static/vendor is filled at set-up and ignored."""
    ignored = Path(settings.BASE_DIR, ".gitignore").read_text(encoding="utf-8").splitlines()
    assert any(line.strip("/") == "static/vendor" for line in ignored)


def test_the_home_page_shows_the_best_rows_and_the_three_commands(client: Client, result: Result) -> None:
    """And the metric in a picture."""
    html = client.get("/").content.decode()
    assert result.public_id in html
    assert "metric-picture" in html
    for command in ("vflops run", "vflops verify", "vflops submit"):
        assert command in html


def test_the_home_page_of_an_empty_portal_invites(client: Client, db: None) -> None:
    """No ranked result is a state, not an error."""
    assert "No ranked result stands on any board" in client.get("/").content.decode()
