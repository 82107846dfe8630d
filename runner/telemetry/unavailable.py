"""Values that cannot be read: never 0, always the reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ranking.evidence.model import Unavailable

T = TypeVar("T")

REASON_LIMIT = 120
"""Characters of a reason: enough for a driver's message, too few for anything else to travel along."""


def because(reason: object) -> Unavailable:
    """The reading of something that cannot be read, with the reason as one printable line."""
    text = "".join(c if c.isprintable() else " " for c in str(reason))
    return Unavailable(" ".join(text.split())[:REASON_LIMIT] or "no reason given")


def attempt(read: Callable[[], T | None], *errors: type[Exception]) -> T | Unavailable:
    """What ``read`` returns, or why it cannot: the text of one of ``errors``."""
    try:
        value = read()
    except errors as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return because(reason or type(error).__name__)
    return because("the system reports nothing") if value is None else value


def in_json(value: T | Unavailable) -> T | dict[str, str]:
    """The value as documents hold it: itself, or ``{"unavailable": reason}``."""
    return {"unavailable": value.reason} if isinstance(value, Unavailable) else value


def unavailable(reason: object) -> dict[str, str]:
    """What documents hold in place of something that cannot be read."""
    return {"unavailable": because(reason).reason}
