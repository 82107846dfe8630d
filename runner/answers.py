"""What the portal's API v1 answers, as frozen dataclasses; other shapes than the documented ones raise PortalError."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from runner.portal_errors import PortalError


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """An organisation that the account belongs to; ``role`` is owner, submitter or member."""

    slug: str
    name: str
    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Whose token this is, until when it holds, and what it may act for."""

    email: str
    name: str
    organisations: tuple[Membership, ...]
    token_name: str
    token_expires_at: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A signing key as the portal knows it."""

    key_id: str
    name: str
    organisation: str
    created_at: str
    revoked_at: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingLine:
    """One finding of a submission's newest report."""

    id: str
    verdict: str
    sentence: str
    place: str
    expected: str
    got: str
    action: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """A submission on its way: state, since when, what comes next, the newest verdict and score."""

    id: str
    address: str
    organisation: str
    system: str
    board: str
    state: str
    state_since: str
    next_step: str
    publishing: bool
    error_id: str
    valid_flops: float | None
    result_address: str | None
    findings: tuple[FindingLine, ...]
    document: Mapping[str, Any]


Typed = TypeVar("Typed")


def _typed(build: Callable[[Mapping[str, Any]], Typed], row: Mapping[str, Any]) -> Typed:
    """``row`` as a frozen dataclass; an answer of another shape than the API's is refused."""
    try:
        return build(row)
    except (KeyError, TypeError, AttributeError) as error:
        raise PortalError("portal.unexpected_answer", f"an answer is not as documented: {error!r}") from error


def account(row: Mapping[str, Any]) -> Account:
    """The owner of a token, from ``me``."""
    return _typed(
        lambda r: Account(
            email=r["user"]["email"],
            name=r["user"]["name"],
            organisations=tuple(Membership(slug=o["slug"], name=o["name"], role=o["role"]) for o in r["organisations"]),
            token_name=(r["token"] or {}).get("name", ""),
            token_expires_at=(r["token"] or {}).get("expires_at"),
        ),
        row,
    )


def key(row: Mapping[str, Any]) -> Key:
    """A signing key."""
    return _typed(
        lambda r: Key(
            key_id=r["key_id"],
            name=r["name"],
            organisation=r["organisation"],
            created_at=r["created_at"],
            revoked_at=r["revoked_at"],
        ),
        row,
    )


def submission(row: Mapping[str, Any]) -> Submission:
    """A submission, in a list or alone."""
    return _typed(
        lambda r: Submission(
            id=r["id"],
            address=r["address"],
            organisation=r["organisation"],
            system=r["system"],
            board=r["board"] or "",
            state=r["state"],
            state_since=r["state_since"],
            next_step=r["next_step"],
            publishing=r["publish_when_verified"],
            error_id=r["last_error_id"],
            valid_flops=r["valid_flops"],
            result_address=r["result_address"],
            findings=tuple(_finding(line) for line in r.get("findings", ())),
            document=r,
        ),
        row,
    )


def _finding(row: Mapping[str, Any]) -> FindingLine:
    names = ("id", "verdict", "sentence", "place", "expected", "got", "action")
    return FindingLine(**{name: str(row[name]) for name in names})
