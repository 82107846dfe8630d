"""Reads what the pages of people who take part show; every query is scoped to what the person may see."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Min, QuerySet

from portal.accounts.models import ApiToken, Membership, Organisation, SigningKey, User
from portal.accounts.selectors import may_manage, may_submit
from portal.results.models import Result
from portal.results.standing import result_of
from portal.submissions.models import Submission, VerificationReport
from portal.submissions.selectors import newest_report, submissions_visible_to
from portal.submissions.states import FINAL, WAITING, State
from portal.trail.models import Event, Heartbeat
from portal.trail.selectors import events_of


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionRecord:
    """A submission with everything that its page shows."""

    submission: Submission
    report: VerificationReport | None
    events: tuple[Event, ...]
    result: Result | None
    place: int | None
    may_submit: bool


def submission_list(user: User) -> QuerySet[Submission]:
    """The submissions that ``user`` may see, newest first."""
    return submissions_visible_to(user).select_related("result").order_by("-created_at", "-id")


def memberships_of(organisation: Organisation) -> QuerySet[Membership]:
    """Who belongs to an organisation, the first ones first."""
    return organisation.memberships.select_related("user").order_by("created_at")


def signing_keys_of(organisation: Organisation) -> QuerySet[SigningKey]:
    """The signing keys of an organisation, revoked ones included."""
    return organisation.signing_keys.all()


def tokens_of(organisation: Organisation) -> QuerySet[ApiToken]:
    """All API tokens of an organisation, newest first."""
    return organisation.api_tokens.select_related("user").order_by("-created_at")


def tokens_visible_to(user: User, organisation: Organisation) -> QuerySet[ApiToken]:
    """The API tokens of an organisation: for its owners all of them, for others their own."""
    found = tokens_of(organisation)
    return found if may_manage(user, organisation) else found.filter(user=user)


def submission_record(user: User, public_id: str) -> SubmissionRecord | None:
    """One submission, or None where there is none that ``user`` may see."""
    found = submissions_visible_to(user).select_related("result")
    submission = found.prefetch_related("result__marks").filter(public_id=public_id).first()
    if submission is None:
        return None
    return SubmissionRecord(
        submission=submission,
        report=newest_report(submission),
        events=tuple(events_of(submission.public_id)),
        result=result_of(submission),
        place=place_in_queue(submission),
        may_submit=may_submit(user, submission.organisation),
    )


def place_in_queue(submission: Submission) -> int | None:
    """How many waiting submissions came no later, this one included; None where it does not wait."""
    if submission.state not in WAITING:
        return None
    return waiting().filter(created_at__lte=submission.created_at).count()


def waiting() -> QuerySet[Submission]:
    """All submissions that wait for a verifier."""
    return Submission.objects.filter(state__in=WAITING)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueState:
    """How the queue stands: how many are in each state that is not final, the oldest waiting one, who is at work."""

    counts: tuple[tuple[State, int], ...]
    oldest_waiting_since: datetime | None
    heartbeats: tuple[Heartbeat, ...]


def queue_state() -> QueueState:
    """The queue as everybody may see it: numbers only; three queries."""
    open_states = [state for state in State if state not in FINAL]
    rows = Submission.objects.filter(state__in=open_states).order_by().values("state").annotate(number=Count("pk"))
    numbers: dict[str, int] = {row["state"]: row["number"] for row in rows}
    oldest: dict[str, Any] = waiting().aggregate(oldest=Min("created_at"))
    return QueueState(
        counts=tuple((state, numbers.get(state, 0)) for state in open_states),
        oldest_waiting_since=oldest["oldest"],
        heartbeats=tuple(Heartbeat.objects.order_by("name")),
    )
