"""Every kind of page, at two widths and in two schemes: accessible, silent in the console, within its policy."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Opener, Scheme
from tests.live import BOARD, Live

pytestmark = pytest.mark.browser

PUBLIC = {
    "home": "/",
    "boards": "/boards/",
    "ranking": f"/boards/{BOARD}/",
    "result": "/results/{result}/",
    "organisation": "/organisations/{organisation}/",
    "rules": "/rules/",
    "take-part": "/submit/",
    "login": "/account/login/",
    "sign-up": "/account/signup/",
    "password-reset": "/account/password/reset/",
}
PERSONAL = {
    "submissions": "/submissions/",
    "submission": "/submissions/{id}/",
    "upload": "/submissions/new/",
    "keys": "/organisations/{organisation}/keys/",
    "tokens": "/organisations/{organisation}/tokens/",
}
ALL = {**PUBLIC, **PERSONAL}
MAIN = {"ranking", "result", "submission", "upload"}


def cases() -> Iterator[Any]:
    """Every page, width and scheme; of pages that are not main, two of four combinations are left to the long run."""
    for name, width, scheme in product(ALL, (390, 1280), ("light", "dark")):
        short = name in MAIN or (width == 1280) == (scheme == "light")
        yield pytest.param(name, width, scheme, marks=() if short else pytest.mark.long)


@pytest.mark.parametrize(("name", "width", "scheme"), cases())
def test_a_page_has_no_fault(
    name: str, width: int, scheme: Scheme, open_page: Opener, published: dict[str, Any], pictures: Path
) -> None:
    watched = open_page(ALL[name].format(**published), width=width, scheme=scheme, logged_in=name in PERSONAL)
    watched.page.screenshot(path=pictures / f"{name}-{width}-{scheme}.png", full_page=True)
    assert watched.faults == []
    assert watched.violations() == []
    assert watched.inaccessible() == []
    assert watched.overflow_px() <= 0


def test_a_page_with_chart_and_fragment_keeps_the_policy(open_page: Opener, published: dict[str, Any]) -> None:
    watched = open_page(f"/results/{published['result']}/")
    assert watched.page.locator(".js-plotly-plot").count() > 0
    assert watched.swaps() > 0
    assert watched.violations() == []
    assert watched.faults == []


def test_the_policy_allows_the_portals_own_scripts_and_styles_only(
    live: Live, open_page: Opener, published: dict[str, Any]
) -> None:
    watched = open_page("/")
    response = watched.page.goto(live.address + f"/results/{published['result']}/")
    assert response is not None
    policy = response.headers["content-security-policy"].split("; ")
    assert {"script-src 'self'", "style-src 'self'", "object-src 'none'"} <= set(policy)


def test_sorting_a_board_swaps_the_table_and_moves_the_address(open_page: Opener, published: dict[str, Any]) -> None:
    watched = open_page(f"/boards/{BOARD}/")
    before = watched.swaps()
    watched.page.locator("#sort-quality").click()
    watched.page.wait_for_url("**sort=*")
    watched.page.wait_for_function(f"window.swaps > {before}")
    assert watched.page.locator("th[aria-sort=descending]").count() == 1
    assert watched.violations() == []
    assert watched.faults == []
    assert watched.inaccessible() == []


def test_public_pages_set_no_cookie(open_page: Opener, published: dict[str, Any]) -> None:
    for path in ("/", f"/boards/{BOARD}/", f"/results/{published['result']}/"):
        assert open_page(path).page.context.cookies() == []
