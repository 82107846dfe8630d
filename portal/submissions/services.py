"""Changes submissions: every move is one guarded UPDATE and one row of the trail, in one transaction."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from portal.accounts.models import User
from portal.accounts.selectors import require_submitter
from portal.errors import PortalError
from portal.submissions import queue
from portal.submissions.admission import only_its_key_was_wrong
from portal.submissions.models import Submission, Upload
from portal.submissions.states import (
    ATTEMPTS,
    DEADLINES,
    WAITING,
    WITHDRAWABLE,
    State,
    is_allowed,
)
from portal.trail.models import Kind
from portal.trail.services import event_record

KINDS: dict[State, Kind] = {
    State.RECEIVED: Kind.SUBMISSION_RECEIVE,
    State.QUEUED: Kind.SUBMISSION_QUEUE,
    State.VERIFYING: Kind.SUBMISSION_CLAIM,
    State.VERIFIED: Kind.SUBMISSION_VERIFY,
    State.HELD: Kind.SUBMISSION_HOLD,
    State.REJECTED: Kind.SUBMISSION_REJECT,
    State.FAILED: Kind.SUBMISSION_FAIL,
    State.PUBLISHED: Kind.SUBMISSION_PUBLISH,
    State.WITHDRAWN: Kind.SUBMISSION_WITHDRAW,
}
"""What the trail calls the arrival in a state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A move to ``to``: only from one of ``sources``, and only where ``guard`` holds."""

    to: State
    sources: Collection[State]
    guard: Q = field(default_factory=Q)
    actor: User | None = None
    data: dict[str, Any] | None = None
    now: datetime | None = None


@transaction.atomic
def submission_move(*, submission: Submission, move: Move, **fields: Any) -> bool:
    """Move a submission; False where it is no longer where the move starts. ``fields`` are written along."""
    forbidden = [source for source in move.sources if not is_allowed(source, move.to)]
    if forbidden:
        raise ValueError(f"no such move: {forbidden} to {move.to}")
    now = move.now or timezone.now()
    deadline = now + DEADLINES[move.to] if move.to in DEADLINES else None
    arrival = {"state": move.to, "state_since": now, "deadline": deadline, "lease_until": None, "sent_at": None}
    rows = Submission.objects.filter(move.guard, pk=submission.pk, state__in=list(move.sources))
    if not rows.update(**arrival | fields):
        return False
    submission.refresh_from_db()
    _record(submission, KINDS[move.to], actor=move.actor, data=move.data, at=now)
    return True


def _record(
    submission: Submission,
    kind: Kind,
    *,
    actor: User | None = None,
    data: dict[str, Any] | None = None,
    at: datetime | None = None,
) -> None:
    event_record(
        kind=kind,
        subject=submission.public_id,
        organisation=submission.organisation,
        actor=actor,
        data={"attempt": submission.attempt} | (data or {}),
        at=at,
    )


@transaction.atomic
def submission_create(*, upload: Upload) -> Submission:
    """The submission of a finished upload; the same bundle of the same organisation gives the same submission again.

    One that failed, which is our fault, is queued again with new attempts; so is one whose key was registered since.
    """
    now = timezone.now()
    submission, created = Submission.objects.get_or_create(
        organisation=upload.organisation,
        bundle_sha256=upload.sha256,
        defaults={
            "upload": upload,
            "user": upload.user,
            "publish_when_verified": upload.publish,
            "attempts_allowed": ATTEMPTS,
            "state_since": now,
            "deadline": now + DEADLINES[State.RECEIVED],
        },
    )
    if created:
        _record(submission, Kind.SUBMISSION_RECEIVE, actor=upload.user, at=now)
        send_on_commit(submission, queue.VERIFY)
        return submission
    if submission.state == State.FAILED or only_its_key_was_wrong(submission):
        submission_retry(submission=submission, user=upload.user)
    if upload.publish and upload.user is not None:
        _publish_later_if_possible(submission, upload.user)
    return submission


def _publish_later_if_possible(submission: Submission, user: User) -> None:
    if submission.state in PUBLISHABLE and not submission.publish_when_verified:
        submission_publish(submission=submission, user=user)


def submission_send(*, submission: Submission, task: str) -> bool:
    """Send the id to the workers, and note that it was sent; False where the broker cannot be reached."""
    if not queue.send(task, submission.public_id):
        return False
    now = timezone.now()
    if task == queue.VERIFY:
        submission_move(submission=submission, move=Move(to=State.QUEUED, sources=(State.RECEIVED,), now=now))
    Submission.objects.filter(pk=submission.pk).exclude(state=State.VERIFYING).update(sent_at=now)
    return True


def send_on_commit(submission: Submission, task: str) -> None:
    """A task starts after the commit or not at all, and a broker that is down never fails the request."""
    transaction.on_commit(partial(submission_send, submission=submission, task=task))


@transaction.atomic
def submission_retry(*, submission: Submission, user: User | None) -> bool:
    """Queue a submission again that failed or was rejected for its key, with the full number of attempts."""
    move = Move(to=State.QUEUED, sources=(State.FAILED, State.REJECTED), actor=user)
    moved = submission_move(submission=submission, move=move, attempts_allowed=F("attempt") + ATTEMPTS)
    if moved:
        send_on_commit(submission, queue.VERIFY)
    return moved


@transaction.atomic
def submission_claim(*, public_id: str, now: datetime | None = None) -> Submission | None:
    """Take a waiting submission for verification; None where there is nothing to take.

    The attempt is counted here, before the work: a bundle that kills its worker stops doing so after three.
    """
    submission = Submission.objects.filter(public_id=public_id).first()
    if submission is None:
        return None
    now = now or timezone.now()
    guard = Q(attempt__lt=F("attempts_allowed"))
    move = Move(to=State.VERIFYING, sources=WAITING, guard=guard, now=now)
    claimed = submission_move(
        submission=submission, move=move, attempt=F("attempt") + 1, lease_until=now + settings.LEASE
    )
    return submission if claimed else None


def submission_renew_lease(*, submission: Submission, attempt: int) -> bool:
    """Hold on to a claim while its work goes on; False where another attempt, or a decision, has taken over."""
    claimed = Submission.objects.filter(pk=submission.pk, state=State.VERIFYING, attempt=attempt)
    return bool(claimed.update(lease_until=timezone.now() + settings.LEASE))


@transaction.atomic
def submission_record_failure(
    *,
    submission: Submission,
    attempt: int,
    error_id: str,
    error: str,
    overdue: Q | None = None,
    now: datetime | None = None,
) -> bool:
    """End an attempt that gave no report: queued again while attempts are left, then failed.

    ``overdue`` is what a sweep saw; it must still hold, since the worker may have renewed its lease meanwhile.
    """
    left = submission.attempts_allowed - attempt
    move = Move(
        to=State.QUEUED if left > 0 else State.FAILED,
        sources=(State.VERIFYING,),
        guard=Q(attempt=attempt) & (overdue or Q()),
        data={"error_id": error_id, "attempts_left": max(left, 0)},
        now=now,
    )
    moved = submission_move(submission=submission, move=move, last_error_id=error_id, last_error=error)
    if moved and left > 0:
        send_on_commit(submission, queue.VERIFY)
    return moved


PUBLISHABLE = (State.RECEIVED, State.QUEUED, State.VERIFYING, State.HELD, State.VERIFIED)
"""States in which publication can be asked for; it happens as soon as the submission is verified."""


@transaction.atomic
def submission_publish(*, submission: Submission, user: User) -> Submission:
    """Ask for publication. A verified submission is published by a worker at once; asking again changes nothing."""
    require_submitter(user, submission.organisation)
    rows = Submission.objects.filter(pk=submission.pk, state__in=PUBLISHABLE)
    now = timezone.now()
    changed = rows.update(publish_when_verified=True, publish_attempt=0, publish_asked_at=now, sent_at=None)
    rows.filter(state=State.VERIFIED).update(last_error_id="", last_error="")
    submission.refresh_from_db()
    if submission.state == State.PUBLISHED:
        return submission
    if not changed:
        raise PortalError("submission.not_publishable", submission.state)
    _record(submission, Kind.SUBMISSION_REQUEST_PUBLICATION, actor=user)
    if submission.state == State.VERIFIED:
        send_on_commit(submission, queue.PUBLISH)
    return submission


@transaction.atomic
def submission_withdraw(*, submission: Submission, user: User, reason: str = "") -> Submission:
    """Take back a submission that is not published yet."""
    require_submitter(user, submission.organisation)
    move = Move(to=State.WITHDRAWN, sources=WITHDRAWABLE, actor=user, data={"reason": reason.strip()})
    if not submission_move(submission=submission, move=move):
        raise PortalError("submission.not_withdrawable", submission.state)
    return submission


@transaction.atomic
def submission_decide(*, submission: Submission, auditor: User, accept: bool, reason: str) -> Submission:
    """An auditor's decision on a held submission; accepted, it goes on as if verified without a doubt."""
    if not (auditor.is_auditor or auditor.is_superuser):
        raise PortalError("permission.denied", "auditor needed")
    if not reason.strip():
        raise PortalError("reason.missing", "decision on a held submission")
    move = Move(
        to=State.VERIFIED if accept else State.REJECTED,
        sources=(State.HELD,),
        actor=auditor,
        data={"reason": reason.strip()},
    )
    if not submission_move(submission=submission, move=move):
        raise PortalError("submission.not_held", submission.state)
    if accept and submission.publish_when_verified:
        send_on_commit(submission, queue.PUBLISH)
    return submission
