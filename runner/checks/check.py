"""The form of a check."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """How a check came out."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One check: what was found, and what to do where it is not well."""

    id: str
    status: Status
    found: str
    action: str = ""


def check(id: str, found: str, *, bad: Status | None = None, action: str = "") -> Check:
    """A check that came out well unless ``bad`` says otherwise; ``action`` is for that case."""
    return Check(id=id, status=bad or Status.OK, found=found, action=action if bad else "")
