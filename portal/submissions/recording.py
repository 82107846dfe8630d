"""Records what a verification found: the report, what only the portal can judge, and where the submission goes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from itertools import chain, count
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.text import slugify

from portal.accounts.models import Organisation
from portal.submissions import queue
from portal.submissions.admission import admission
from portal.submissions.models import Submission, System, VerificationReport
from portal.submissions.services import Move, send_on_commit, submission_move
from portal.submissions.states import State
from ranking.document import finding_document
from ranking.evidence import canonical
from ranking.findings import Finding, Verdict, worst

SLUG_CHARACTERS = 90
"""Of a system's name in its slug; the rest of the column's 100 is left for a number."""
STATE_OF_VERDICT = {"accept": State.VERIFIED, "hold": State.HELD, "reject": State.REJECTED}


@transaction.atomic
def submission_record_report(
    *, submission: Submission, attempt: int, document: Mapping[str, Any]
) -> VerificationReport | None:
    """Store the report of ``attempt`` and move on by its verdict; None where another attempt has taken over."""
    admitted = admission(submission, document)
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


def _columns(organisation: Organisation, document: Mapping[str, Any]) -> dict[str, Any]:
    """What of the report becomes columns of the submission; a finished attempt also ends the last error."""
    columns: dict[str, Any] = {"bundle_id": document["bundle"] or "", "last_error_id": "", "last_error": ""}
    claimed = document["submission"]
    if claimed is None:
        return columns
    columns |= {name: claimed[name] for name in ("workload", "scale", "level")}
    return columns | {"system": _system(organisation, claimed["system_name"])}


def _system(organisation: Organisation, name: str) -> System:
    """The organisation's system of that name, whatever its capitals and spaces; its first submission creates it."""
    name = " ".join(name.split())[:100] or "system"
    Organisation.objects.select_for_update().get(pk=organisation.pk)  # two of one name do not make two systems
    systems = System.objects.filter(organisation=organisation)
    return systems.filter(name__iexact=name).first() or System.objects.create(
        organisation=organisation, name=name, slug=_free_slug(systems, slugify(name)[:SLUG_CHARACTERS] or "system")
    )


def _free_slug(systems: QuerySet[System], wanted: str) -> str:
    """``wanted``, with a number where a system of another name has it: names of other scripts all make the same."""
    taken = set(systems.filter(slug__startswith=wanted).values_list("slug", flat=True))
    numbered = (f"{wanted}-{number}" for number in count(2))
    return next(slug for slug in chain((wanted,), numbered) if slug not in taken)


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
