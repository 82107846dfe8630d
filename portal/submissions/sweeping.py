"""The sweep: one round over all rows that wait, overran a lease or a deadline; it needs no broker to be right."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from django.db.models import F, Q
from django.utils import timezone

from portal.submissions import queue
from portal.submissions.models import Submission
from portal.submissions.services import Move, submission_move, submission_record_failure, submission_send
from portal.submissions.states import AT_DEADLINE, WAITING, State
from portal.submissions.uploads import uploads_expire
from portal.trail.selectors import last_heartbeat
from portal.trail.services import heartbeat_record

logger = structlog.get_logger(__name__)

SEND_AGAIN_AFTER = timedelta(seconds=60)
"""How long a sent id may stay unclaimed before it is sent again, doubling each time."""
STALLED_AFTER = timedelta(minutes=10)
"""Waiting this long without any claim means that no worker consumes."""
LATE_ERRORS = {
    State.RECEIVED: "verification.not_in_time",
    State.QUEUED: "verification.not_in_time",
    State.HELD: "review.not_in_time",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """What one round did."""

    leases_ended: int
    deadlines_ended: int
    sent: int
    uploads_expired: int
    stalled: bool


def sweep(*, now: datetime | None = None) -> Round:
    """One round; every step is safe to run twice, and beside another sweep."""
    now = now or timezone.now()
    done = Round(
        leases_ended=end_leases(now),
        deadlines_ended=end_deadlines(now),
        sent=send_again(now),
        uploads_expired=uploads_expire(),
        stalled=nothing_is_claimed(now),
    )
    heartbeat_record(name=queue.SWEEP, at=now)
    if done.stalled:
        logger.error(
            "queue.nothing_is_claimed", since=str(STALLED_AFTER), last_worker=str(last_heartbeat(queue.WORKER))
        )
    return done


def end_leases(now: datetime) -> int:
    """Verifications whose worker is gone go back to the queue, or fail after the last attempt."""
    overdue = Q(lease_until__lt=now) | Q(lease_until=None) | Q(deadline__lt=now)
    lost = Submission.objects.filter(overdue, state=State.VERIFYING)
    return sum(
        submission_record_failure(
            submission=submission,
            attempt=submission.attempt,
            error_id="verification.interrupted",
            error=f"attempt {submission.attempt} gave no report",
            overdue=overdue,
            now=now,
        )
        for submission in lost
    )


def end_deadlines(now: datetime) -> int:
    """What stayed too long in a state moves where ``states.AT_DEADLINE`` says."""
    late = Submission.objects.filter(deadline__lte=now).exclude(state=State.VERIFYING)
    return sum(_end_deadline(submission, now) for submission in late.filter(_not_being_published()))


def _not_being_published() -> Q:
    return ~Q(state=State.VERIFIED, publish_when_verified=True)


def _end_deadline(submission: Submission, now: datetime) -> bool:
    state = State(submission.state)
    error_id = LATE_ERRORS.get(state, "")
    move = Move(
        to=AT_DEADLINE[state],
        sources=(state,),
        guard=Q(deadline__lte=now),
        data={"reason": "deadline", "error_id": error_id},
        now=now,
    )
    logger.warning("submission.deadline", submission=submission.public_id, state=state)
    return submission_move(submission=submission, move=move, last_error_id=error_id)


def send_again(now: datetime) -> int:
    """Send ids of what waits for a worker again, where that is due; ends at the first that cannot be sent."""
    waiting = Submission.objects.filter(state__in=WAITING)
    give_up(waiting.filter(attempt__gte=F("attempts_allowed")), now)
    publishing = Submission.objects.filter(state=State.VERIFIED, publish_when_verified=True)
    tasks = [(s, queue.VERIFY) for s in waiting] + [(s, queue.PUBLISH) for s in publishing]
    sent = 0
    for submission, task in tasks:
        if is_due(submission, now):
            if not submission_send(submission=submission, task=task):
                break
            sent += 1
    return sent


def is_due(submission: Submission, now: datetime) -> bool:
    """Whether to send the id again: one lost message costs a minute, and a long stop of all workers few messages."""
    if submission.sent_at is None:
        return True
    waits_since = max(submission.state_since, submission.publish_asked_at or submission.state_since)
    pause = max(SEND_AGAIN_AFTER, submission.sent_at - waits_since)
    return now - submission.sent_at >= pause


def give_up(exhausted: Iterable[Submission], now: datetime) -> None:
    """Fail what waits without an attempt left."""
    for submission in exhausted:
        move = Move(to=State.FAILED, sources=WAITING, data={"reason": "attempts used up"}, now=now)
        submission_move(submission=submission, move=move)


def nothing_is_claimed(now: datetime) -> bool:
    """Whether something has waited long while no worker took up anything."""
    old = now - STALLED_AFTER
    waits = Submission.objects.filter(state__in=WAITING, state_since__lte=old).exists()
    last = last_heartbeat(queue.WORKER)
    return waits and (last is None or last <= old)
