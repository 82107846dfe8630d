"""Publishes results, marks them, and keeps the stored ranks of their boards."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from portal.accounts.models import User
from portal.accounts.selectors import require_submitter
from portal.errors import PortalError
from portal.results.documents import projections, result_document
from portal.results.models import Board, Figure, Mark, MarkKind, Result, ResultVersion, Standing
from portal.submissions.models import Submission, VerificationReport
from portal.submissions.selectors import newest_report
from portal.submissions.services import Move, submission_move
from portal.submissions.states import State
from portal.trail.ids import new_public_id
from portal.trail.models import Kind
from portal.trail.services import event_record
from ranking.evidence import canonical
from ranking.order import Entry, rank

Figures = Mapping[str, Mapping[str, Any]]

PUBLISH_ATTEMPTS = 3
"""As many as verifications: one, one for a killed worker, one for bad luck."""


def publication_claim(*, public_id: str) -> Submission | None:
    """Take a verified submission whose publication was asked for; None where there is nothing to publish.

    The attempt is counted before the work. After three, the wish ends with an error that its page shows.
    """
    wanted = Submission.objects.filter(public_id=public_id, state=State.VERIFIED, publish_when_verified=True)
    if wanted.filter(publish_attempt__lt=PUBLISH_ATTEMPTS).update(publish_attempt=F("publish_attempt") + 1):
        claimed: Submission = Submission.objects.select_related("organisation", "system").get(public_id=public_id)
        return claimed
    wanted.update(publish_when_verified=False, last_error_id="publication.failed")
    return None


def publication_refuse(*, submission: Submission, error_id: str, error: str) -> None:
    """End the wish for publication with an error that the submission's page shows."""
    rows = Submission.objects.filter(pk=submission.pk, state=State.VERIFIED)
    rows.update(publish_when_verified=False, last_error_id=error_id, last_error=error)


@transaction.atomic
def result_publish(*, submission: Submission, figures: Figures) -> Result:
    """Publish a verified submission: record, figures, columns and the board's ranks in one transaction.

    Publishing it again gives the same result. Raises PortalError where the run set is published already by another.
    """
    report = newest_report(submission)
    if report is None or report.document["score"] is None or submission.system is None:
        raise PortalError("submission.not_publishable", "no score")
    now = timezone.now()
    board = _locked_board(submission)
    if Result.objects.filter(bundle_id=report.bundle_id).exclude(submission=submission).exists():
        raise PortalError("submission.already_published", report.bundle_id)
    move = Move(to=State.PUBLISHED, sources=(State.VERIFIED,), now=now)
    if not submission_move(submission=submission, move=move, last_error_id="", last_error=""):
        return _published_before(submission)
    result = _create(submission, report, board, figures, now)
    board_rank(board=board, now=now)
    event_record(
        kind=Kind.RESULT_PUBLISH,
        subject=result.public_id,
        organisation=submission.organisation,
        data={"submission": submission.public_id, "version": 1, "report_sha256": report.sha256},
        at=now,
    )
    result.refresh_from_db()
    return result


def _published_before(submission: Submission) -> Result:
    result = Result.objects.filter(submission=submission).first()
    if result is None:
        raise PortalError("submission.not_publishable", submission.state)
    return result


def _locked_board(submission: Submission) -> Board:
    """The board, created with its first result; holding the row, nobody else ranks it."""
    name: dict[str, Any] = {"workload": submission.workload, "scale": submission.scale, "level": submission.level}
    Board.objects.get_or_create(**name)
    return Board.objects.select_for_update().get(**name)


def _create(
    submission: Submission, report: VerificationReport, board: Board, figures: Figures, now: datetime
) -> Result:
    public_id = new_public_id()
    document = result_document(public_id=public_id, number=1, submission=submission, report=report, board=board, at=now)
    columns: dict[str, Any] = {"system": submission.system, **projections(document)}
    result = Result.objects.create(
        public_id=public_id,
        submission=submission,
        organisation=submission.organisation,
        board=board,
        bundle_id=report.bundle_id,
        published_at=now,
        **columns,
    )
    digest = hashlib.sha256(canonical.dumps(document)).hexdigest()
    version = ResultVersion.objects.create(result=result, number=1, document=document, sha256=digest, created_at=now)
    Figure.objects.bulk_create(Figure(version=version, name=name, **figure) for name, figure in figures.items())
    return result


def board_rank(*, board: Board, now: datetime | None = None) -> None:
    """Rank a board's listed results anew and store the ranks; the caller holds the board's row."""
    listed = list(Result.objects.filter(board=board, standing=Standing.LISTED).only("public_id", *RANKED_BY, *RANKS))
    by_id = {result.public_id: result for result in listed}
    changed = []
    for ranked in rank(_entry(result) for result in listed):
        result = by_id[ranked.key]
        new = (ranked.rank, ranked.tied, ranked.separated)
        if (result.rank, result.tied, result.separated) != new:
            result.rank, result.tied, result.separated = new
            changed.append(result)
    Result.objects.bulk_update(changed, RANKS, batch_size=500)
    Result.objects.filter(board=board).exclude(standing=Standing.LISTED).update(rank=None, tied=False)
    Board.objects.filter(pk=board.pk).update(ranked_at=now or timezone.now(), listed=len(listed))


RANKED_BY = ("valid_flops", "valid_flops_low", "valid_flops_high")
RANKS = ("rank", "tied", "separated")


def _entry(result: Result) -> Entry:
    return Entry(
        key=result.public_id, score=result.valid_flops, low=result.valid_flops_low, high=result.valid_flops_high
    )


STANDING_OF_MARK = {MarkKind.WITHDRAWN: Standing.WITHDRAWN, MarkKind.DISQUALIFIED: Standing.DISQUALIFIED}


@transaction.atomic
def mark_create(*, result: Result, kind: MarkKind, reason: str, by: User, by_auditor: bool) -> Mark:
    """Say something of a result, with a reason; a withdrawn or disqualified one leaves the ranking, its page stays.

    Who may is decided by the callers: ``result_withdraw`` here, ``audit.services.result_mark`` for auditors.
    """
    if not reason.strip():
        raise PortalError("reason.missing", kind)
    board = Board.objects.select_for_update().get(pk=result.board_id)
    mark = Mark.objects.create(result=result, kind=kind, reason=reason.strip(), by=by.public_id, by_auditor=by_auditor)
    if kind in STANDING_OF_MARK:
        # A withdrawal does not undo a disqualification.
        Result.objects.filter(pk=result.pk).exclude(standing=Standing.DISQUALIFIED).update(
            standing=STANDING_OF_MARK[kind]
        )
        board_rank(board=board)
    event_record(
        kind=Kind.RESULT_MARK,
        subject=result.public_id,
        organisation=result.organisation,
        actor=by,
        data={"mark": kind, "reason": mark.reason},
    )
    result.refresh_from_db()
    return mark


@transaction.atomic
def result_withdraw(*, result: Result, user: User, reason: str) -> Mark:
    """An organisation takes its own result out of the ranking; asked again, nothing more is said."""
    require_submitter(user, result.organisation)
    Board.objects.select_for_update().get(pk=result.board_id)
    known = result.marks.filter(kind=MarkKind.WITHDRAWN).first()
    return known or mark_create(result=result, kind=MarkKind.WITHDRAWN, reason=reason, by=user, by_auditor=False)
