"""Everything that a mouse can press, the Tab key reaches, in sight and with a visible focus."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.conftest import Opener
from tests.live import BOARD

pytestmark = pytest.mark.browser

PRESSABLE = """
() => {
  const wanted = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']";
  const found = [...document.querySelectorAll(wanted)].filter(
    (e) => !e.disabled && e.tabIndex >= 0 && e.checkVisibility({ visibilityProperty: true }));
  found.forEach((element, index) => { element.dataset.tabStop = index; });
  return found.length;
}
"""

FOCUSED = """
() => {
  const element = document.activeElement;
  const style = getComputedStyle(element);
  return {
    stop: element.dataset.tabStop ?? null,
    visible: style.outlineStyle !== "none" || style.boxShadow !== "none",
    what: element.outerHTML.slice(0, 120),
  };
}
"""

PATHS = {
    "home": ("/", False),
    "ranking": (f"/boards/{BOARD}/", False),
    "result": ("/results/{result}/", False),
    "login": ("/account/login/", False),
    "submission": ("/submissions/{id}/", True),
    "upload": ("/submissions/new/", True),
}


@pytest.mark.parametrize("name", PATHS)
def test_the_keyboard_reaches_everything(name: str, open_page: Opener, published: dict[str, Any]) -> None:
    path, logged_in = PATHS[name]
    page = open_page(path.format(**published), logged_in=logged_in).page
    stops = page.evaluate(PRESSABLE)
    page.evaluate("document.activeElement.blur()")
    reached, faint = set(), []
    for _ in range(stops):
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUSED)
        reached.add(focused["stop"])
        if not focused["visible"]:
            faint.append(focused["what"])
    assert {str(stop) for stop in range(stops)} - reached == set()
    assert faint == []


def test_the_first_tab_stop_skips_to_the_content(open_page: Opener) -> None:
    page = open_page("/").page
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
