"""What can go wrong between the command line and a portal, and what its user does about it, by stable id."""

from __future__ import annotations

from collections.abc import Mapping

from runner.errors import RunnerError


class PortalError(RunnerError):
    """The portal refused or could not be reached; ``http_status`` is 0 where it gave no answer."""

    def __init__(
        self, id: str, message: str, *, http_status: int = 0, action: str = "", retry_after_s: float = 0.0
    ) -> None:
        """Keep what a caller decides by; the command line's own advice wins over the portal's."""
        super().__init__(id, message, action=ACTIONS.get(id, action))
        self.id = id
        self.http_status = http_status
        self.retry_after_s = retry_after_s

    @property
    def may_pass(self) -> bool:
        """Whether asking again can help."""
        return self.http_status in PASSING_STATUSES if self.http_status else self.id == "portal.unreachable"


GATEWAY_STATUSES = frozenset({502, 503, 504})
"""Answers of a proxy before a portal that restarts or is too busy."""

PASSING_STATUSES = frozenset({409, 423, 429, 500}) | GATEWAY_STATUSES
"""Another offset than ours; a writer whose connection died; too many requests; a portal in trouble."""

ATTEMPTS = 8
"""Tries in a row that get nowhere before giving up: about two minutes with the pauses below."""

PAUSE_FIRST_S = 1.0
PAUSE_MAX_S = 30.0
"""Pauses between tries double from the first to the longest."""


def pause_s(attempt: int) -> float:
    """How long to wait before try ``attempt``, counted from 1."""
    return float(min(PAUSE_FIRST_S * 2 ** (attempt - 1), PAUSE_MAX_S))


ACTIONS: Mapping[str, str] = {
    "token.missing": "Run 'vflops login URL', or set VFLOPS_TOKEN.",
    "token.invalid": "Make a token on the portal (organisation page, API tokens), then run 'vflops login URL'.",
    "token.expired": "Make a new token on the portal (organisation page, API tokens), then run 'vflops login URL'.",
    "token.revoked": "Make a new token on the portal (organisation page, API tokens), then run 'vflops login URL'.",
    "portal.unreachable": "Check the address and your connection, then run the same command again.",
    "portal.not_a_portal": "Check the address: it is the portal's home page, for example https://portal.example.org.",
    "portal.moved": "Run 'vflops login' with the new address.",
    "portal.unknown": "Run 'vflops login URL' first, or set VFLOPS_PORTAL and VFLOPS_TOKEN.",
    "upload.hash_mismatch": "The file changed while it was sent, or was damaged on the way: run it again.",
    "upload.interrupted": "Run the same command again: it goes on where it stopped.",
}
"""What a user of the command line does about an error; other errors bring the portal's own advice."""
