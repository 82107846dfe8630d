"""Pages of the live portal at each width and colour scheme, as nobody and as the demo's person."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, StorageState

from tests.browser.pages import Watched
from tests.live import Live

Scheme = Literal["light", "dark"]
Opener = Callable[..., Watched]

HEIGHT_PX = {390: 844, 1280: 900}
"""Window heights that go with the widths: a phone's and a laptop's."""


@pytest.fixture(scope="session")
def login_state(live: Live, browser: Browser) -> StorageState:
    """Cookies of the demo's person, who logged in by the form."""
    context = browser.new_context()
    log_in(context.new_page(), live)
    state = context.storage_state()
    context.close()
    return state


def log_in(page: Page, live: Live) -> None:
    """Logs in by the page that people use."""
    page.goto(f"{live.address}/account/login/")
    page.fill("input[name=login]", live.email)
    page.fill("input[name=password]", live.password)
    page.locator("main form button[type=submit]").first.click()
    page.wait_for_url("**/submissions/**")


@pytest.fixture
def open_page(live: Live, browser: Browser, request: pytest.FixtureRequest) -> Iterator[Opener]:
    """Opens a path in a context of its own: width, scheme, and whether as the demo's person."""
    contexts = []

    def opener(path: str, *, width: int = 1280, scheme: Scheme = "light", logged_in: bool = False) -> Watched:
        state = request.getfixturevalue("login_state") if logged_in else None
        context = browser.new_context(
            viewport={"width": width, "height": HEIGHT_PX[width]},
            color_scheme=scheme,
            reduced_motion="reduce",
            locale="en-GB",
            timezone_id="UTC",
            storage_state=state,
        )
        contexts.append(context)
        watched = Watched(context.new_page())
        watched.open(live.address + path)
        return watched

    yield opener
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where screenshots of this session go; named in the closing lines of a failed test by its path."""
    return tmp_path_factory.mktemp("screenshots", numbered=False)
