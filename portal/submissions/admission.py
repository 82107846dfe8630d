"""What only the portal can judge of a bundle: whether the key that signed it speaks for the organisation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from portal.accounts.selectors import signing_key_find
from portal.submissions.models import Submission
from portal.submissions.states import State
from ranking.admission import KeyStatus, check_admission
from ranking.findings import Finding, Verdict, worst


def admission(submission: Submission, document: Mapping[str, Any]) -> list[Finding]:
    """Whose key it is, and whether it was revoked when the bundle arrived; as the keys stand now."""
    claimed = document["submission"]
    if claimed is None:
        return []
    return list(
        check_admission(
            claimed,
            _key_status(claimed["key_id"]),
            organisation=submission.organisation.slug,
            received_at=submission.created_at,
        )
    )


def _key_status(key_id: str) -> KeyStatus | None:
    key = signing_key_find(key_id)
    if key is None:
        return None
    return KeyStatus(organisation=key.organisation.slug, revoked_at=key.revoked_at)


def only_its_key_was_wrong(submission: Submission) -> bool:
    """Whether a submission was rejected for its key alone, which would be accepted now."""
    if submission.state != State.REJECTED:
        return False
    report = submission.reports.order_by("attempt").last()
    if report is None or report.document["verdict"] == "reject" or not report.admission:
        return False
    return worst(admission(submission, report.document)) is not Verdict.REJECT
