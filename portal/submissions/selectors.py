"""Reads submissions: who may see which, their reports and findings, and whether the queue moves."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import Min, QuerySet
from django.utils import timezone

from portal.submissions.models import Submission, Upload, VerificationReport
from portal.submissions.queue import SWEEP, WORKER
from portal.submissions.states import WAITING
from portal.submissions.sweeping import STALLED_AFTER
from portal.trail.selectors import last_heartbeat

SWEEP_LATE_ROUNDS = 20
"""A sweep that missed this many rounds, five minutes, is not running."""


def submissions_visible_to(user: Any) -> QuerySet[Submission]:
    """The submissions that ``user`` may read: those of the own organisations, for auditors all."""
    return Submission.objects.all().visible_to(user).select_related("organisation", "system", "upload")


def uploads_visible_to(user: Any) -> QuerySet[Upload]:
    """The uploads that ``user`` may read."""
    return Upload.objects.all().visible_to(user).select_related("organisation")


def newest_report(submission: Submission) -> VerificationReport | None:
    """The report that decides."""
    return submission.reports.order_by("attempt").last()


def report_findings(report: VerificationReport) -> list[Mapping[str, Any]]:
    """All findings of a verification: the portal's own about the key first, then the verifier's."""
    return [*report.admission, *report.document["findings"]]


def readiness(*, now: datetime | None = None) -> dict[str, Any]:
    """What /health/ready says; ages in seconds, None where there is nothing to be old."""
    now = now or timezone.now()
    waiting = Submission.objects.filter(state__in=WAITING)
    oldest = waiting.aggregate(oldest=Min("state_since"))["oldest"]
    oldest_s, sweep_s = _age_s(oldest, now), _age_s(last_heartbeat(SWEEP), now)
    problems = []
    if sweep_s is None or sweep_s > SWEEP_LATE_ROUNDS * settings.SWEEP_EVERY.total_seconds():
        problems.append("sweep.not_running")
    if oldest_s is not None and oldest_s > STALLED_AFTER.total_seconds():
        problems.append("queue.nothing_is_claimed")
    return {
        "status": "not ready" if problems else "ready",
        "problems": problems,
        "waiting": waiting.count(),
        "oldest_waiting_s": oldest_s,
        "last_sweep_s": sweep_s,
        "last_worker_s": _age_s(last_heartbeat(WORKER), now),
    }


def _age_s(moment: datetime | None, now: datetime) -> float | None:
    return None if moment is None else round((now - moment).total_seconds(), 3)
