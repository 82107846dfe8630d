"""A browser page that writes down everything a person would never see but a reviewer must."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import ConsoleMessage, Page, Response

AXE_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

LISTEN = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.violations.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));
window.swaps = 0;
document.addEventListener("htmx:afterSwap", () => { window.swaps += 1; });
"""


@dataclass
class Watched:
    """A page and its faults: console errors, script errors, failed requests."""

    page: Page
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.add_init_script(LISTEN)
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.faults.append(f"script: {error}"))
        self.page.on("response", self._response)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.faults.append(f"console: {message.text}")

    def _response(self, response: Response) -> None:
        if response.status >= 400:
            self.faults.append(f"{response.status}: {response.url}")

    def open(self, address: str) -> None:
        """Loads an address and waits until its charts and fragments are there."""
        self.page.goto(address)
        self.page.wait_for_load_state("networkidle")
        charts = self.page.locator("[data-chart]").count()
        if charts:
            self.page.wait_for_function(f"document.querySelectorAll('.js-plotly-plot').length >= {charts}")

    def violations(self) -> list[str]:
        """Reports of the content security policy so far."""
        return [str(text) for text in self.page.evaluate("window.violations")]

    def swaps(self) -> int:
        """Fragments that htmx has put into the page."""
        return int(self.page.evaluate("window.swaps"))

    def inaccessible(self) -> list[str]:
        """What axe finds: rule, element, and why."""
        options: dict[str, Any] = {"runOnly": AXE_TAGS}
        response = Axe().run(self.page, options=options).response
        return [
            f"{rule['id']}: {node['target']} {node['failureSummary']}"
            for rule in response["violations"]
            for node in rule["nodes"]
        ]

    def overflow_px(self) -> int:
        """How far the document is wider than the window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))
