"""Records what a verification found: the report, what only the portal can judge, and where the submission goes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils.text import slugify

from portal.accounts.models import Organisation
from portal.accounts.selectors import signing_key_find
from portal.submissions import queue
from portal.submissions.models import Submission, System, VerificationReport
from portal.submissions.services import Move, send_on_commit, submission_move
from portal.submissions.states import State
from ranking.admission import KeyStatus, check_admission
from ranking.document import finding_document
from ranking.evidence import canonical
from ranking.findings import Finding, Verdict, worst

STATE_OF_VERDICT = {"accept": State.VERIFIED, "hold": State.HELD, "reject": State.REJECTED}


@transaction.atomic
def submission_record_report(
    *, submission: Submission, attempt: int, document: Mapping[str, Any]
) -> VerificationReport | None:
    """Store the report of ``attempt`` and move on by its verdict; None where another attempt has taken over."""
    admitted = _admission(submission, document)
    verdict = verdict_of(document["verdict"], admitted)
    move = Move(
        to=STATE_OF_VERDICT[verdict],
        sources=(State.VERIFYING,),
        guard=Q(attempt=attempt),
        data={"verdict": verdict, "rule_set": document["rule_set"], "verifier": document["verifier"]},
    )
    if not submission_move(submission=submission, move=move, **_columns(submission.organisation, document)):
        return None
    if verdict == "accept" and submission.publish_when_verified:
        send_on_commit(submission, queue.PUBLISH)
    return _store(submission, attempt, document, admitted, verdict)


def verdict_of(decision: str, admitted: Sequence[Finding]) -> str:
    """The verifier's decision, made stricter by what the portal found."""
    severest = worst(admitted)
    if decision == "reject" or severest is Verdict.REJECT:
        return "reject"
    return "hold" if decision == "hold" or severest is Verdict.HOLD else "accept"


def _admission(submission: Submission, document: Mapping[str, Any]) -> list[Finding]:
    """What the verifier cannot know: whose key it is, and whether it was revoked when the bundle arrived."""
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


def _columns(organisation: Organisation, document: Mapping[str, Any]) -> dict[str, Any]:
    """What of the report becomes columns of the submission; a finished attempt also ends the last error."""
    columns: dict[str, Any] = {"bundle_id": document["bundle"] or "", "last_error_id": "", "last_error": ""}
    claimed = document["submission"]
    if claimed is None:
        return columns
    columns |= {name: claimed[name] for name in ("workload", "scale", "level")}
    return columns | {"system": _system(organisation, claimed["system_name"])}


def _system(organisation: Organisation, name: str) -> System:
    """The organisation's system of that name; the first submission of a system creates it."""
    name = name.strip()[:100] or "system"
    slug = slugify(name)[:100] or "system"
    system, _created = System.objects.get_or_create(organisation=organisation, slug=slug, defaults={"name": name})
    return system


def _store(
    submission: Submission, attempt: int, document: Mapping[str, Any], admitted: Sequence[Finding], verdict: str
) -> VerificationReport:
    return VerificationReport.objects.create(
        submission=submission,
        attempt=attempt,
        rule_set=document["rule_set"],
        verifier=document["verifier"],
        bundle_id=document["bundle"] or "",
        bundle_sha256=submission.bundle_sha256,
        verdict=verdict,
        document=document,
        sha256=hashlib.sha256(canonical.dumps(document)).hexdigest(),
        admission=[finding_document(found) for found in admitted],
    )
