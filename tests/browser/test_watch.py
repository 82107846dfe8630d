"""The watch that the other tests rely on sees what it is there to see."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route

from tests.browser.pages import Watched

pytestmark = pytest.mark.browser

FAULTY = """<!DOCTYPE html><html><head><title>Faulty</title><style>body { color: #999 }</style></head>
<body><main><h1>Faulty</h1><p>Pale words</p><img src="/missing.png"><div class="wide">wide</div></main>
<script src="/script.js"></script></body></html>"""
HEADERS = {"content-security-policy": "default-src 'self'", "content-type": "text/html"}


def answer(route: Route) -> None:
    """A page with an inline style, an image that is missing and nameless, and a script that fails."""
    if route.request.url.endswith("/missing.png"):
        route.fulfill(status=404)
    elif route.request.url.endswith("/script.js"):
        body = "document.querySelector('.wide').style.width = '9000px'; nothing.here;"
        route.fulfill(body=body, content_type="text/javascript")
    else:
        route.fulfill(body=FAULTY, headers=HEADERS)


def test_the_watch_notices_every_kind_of_fault(page: Page) -> None:
    page.route("**/*", answer)
    watched = Watched(page)
    watched.open("http://localhost/")
    assert any("style-src" in text for text in watched.violations())
    assert any("missing.png" in fault for fault in watched.faults)
    assert any(fault.startswith("script:") for fault in watched.faults)
    assert any(fault.startswith("console:") for fault in watched.faults)
    assert any(text.startswith("image-alt") for text in watched.inaccessible())
    assert watched.overflow_px() > 0
