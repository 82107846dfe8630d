"""Admission: whether a bundle's key may submit for an organisation; the portal knows keys, a bundle alone does not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ranking.findings import Finding, reject

PLACE = "statement.dsse.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyStatus:
    """A signing key as the portal has it: whose it is, and since when it no longer counts."""

    organisation: str
    revoked_at: datetime | None = None


def check_admission(
    submission: Mapping[str, Any], key: KeyStatus | None, *, organisation: str, received_at: datetime
) -> tuple[Finding, ...]:
    """Findings about the key of a report's ``submission``, which came for ``organisation`` at ``received_at``.

    ``key`` is the key registered under the submission's key id; None where nobody has registered it.
    """
    if key is None:
        expected = f"a key registered by {organisation}"
        return (reject("key.unknown", place=PLACE, expected=expected, got=submission["key_id"]),)
    return (*_owner(submission["organisation"], key, organisation), *_revocation(key, received_at))


def _owner(claimed: str, key: KeyStatus, organisation: str) -> Iterator[Finding]:
    """The account's organisation decides; a statement may name none, and never another."""
    if key.organisation != organisation:
        yield reject("key.other_organisation", place=PLACE, expected=organisation, got=key.organisation)
    if claimed not in ("", organisation):
        yield reject("key.other_organisation", place=f"{PLACE}: organisation", expected=organisation, got=claimed)


def _revocation(key: KeyStatus, received_at: datetime) -> Iterator[Finding]:
    """A signature counts if it was received before the key was revoked; the signer's own date decides nothing."""
    if key.revoked_at is not None and received_at >= key.revoked_at:
        expected = f"received before {key.revoked_at:%Y-%m-%dT%H:%M:%SZ}"
        yield reject("key.revoked", place=PLACE, expected=expected, got=f"{received_at:%Y-%m-%dT%H:%M:%SZ}")
