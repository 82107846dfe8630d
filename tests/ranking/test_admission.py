"""Admission: keys that nobody registered, that belong to others, or that were revoked in time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from ranking.admission import KeyStatus, check_admission

RECEIVED = datetime(2026, 11, 30, 20, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def found(key: KeyStatus | None, *, claimed: str = "") -> list[str]:
    submission = {"key_id": "a" * 64, "organisation": claimed}
    return [f.id for f in check_admission(submission, key, organisation="alpha", received_at=RECEIVED)]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (None, ["key.unknown"]),
        (KeyStatus(organisation="alpha"), []),
        (KeyStatus(organisation="beta"), ["key.other_organisation"]),
        (KeyStatus(organisation="alpha", revoked_at=RECEIVED + SECOND), []),
        (KeyStatus(organisation="alpha", revoked_at=RECEIVED), ["key.revoked"]),
        (KeyStatus(organisation="alpha", revoked_at=RECEIVED - SECOND), ["key.revoked"]),
        (KeyStatus(organisation="beta", revoked_at=RECEIVED - SECOND), ["key.other_organisation", "key.revoked"]),
    ],
)
def test_table_of_keys(key: KeyStatus | None, expected: list[str]) -> None:
    assert found(key) == expected


@pytest.mark.parametrize(("claimed", "expected"), [("", []), ("alpha", []), ("beta", ["key.other_organisation"])])
def test_a_statement_names_no_other_organisation(claimed: str, expected: list[str]) -> None:
    assert found(KeyStatus(organisation="alpha"), claimed=claimed) == expected
