"""What machines ask: alive, and ready."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from unittest.mock import patch

import pytest
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from portal.submissions.models import Submission
from portal.submissions.queue import SWEEP
from portal.submissions.selectors import readiness
from portal.submissions.states import State
from portal.submissions.sweeping import STALLED_AFTER
from portal.trail.services import heartbeat_record


def test_a_process_is_alive_without_a_database(client: Client) -> None:
    """No query, no cookie."""
    answer = client.get("/health/live")
    assert (answer.status_code, answer.json(), len(answer.cookies)) == (200, {"status": "live"}, 0)


@pytest.mark.sqlite
def test_ready_means_that_the_sweep_runs(client: Client, db: None) -> None:
    """Without it nothing would notice a lost worker."""
    before = client.get("/health/ready")
    heartbeat_record(name=SWEEP)
    after = client.get("/health/ready")
    assert (before.status_code, before.json()["problems"]) == (503, ["sweep.not_running"])
    assert (after.status_code, after.json()["status"]) == (200, "ready")


def test_the_age_of_the_oldest_waiting_one_is_told(make_submission: Callable[[str], Submission]) -> None:
    """And is a problem once nobody claims it."""
    now = timezone.now()
    heartbeat_record(name=SWEEP, at=now)
    for number, name in enumerate(("old", "new")):
        submission = make_submission(name)
        since = now - STALLED_AFTER * 2 if number == 0 else now
        Submission.objects.filter(pk=submission.pk).update(state=State.QUEUED, state_since=since)
    state = readiness(now=now)
    assert state["oldest_waiting_s"] == 2 * STALLED_AFTER.total_seconds()
    assert (state["waiting"], state["problems"]) == (2, ["queue.nothing_is_claimed"])


def test_a_sweep_that_stopped_is_noticed(db: None) -> None:
    """After twenty rounds."""
    now = timezone.now()
    heartbeat_record(name=SWEEP, at=now - timedelta(minutes=6))
    assert readiness(now=now)["problems"] == ["sweep.not_running"]


def test_a_database_that_is_away_is_told_not_raised(client: Client) -> None:
    """503, by name; a load balancer then asks another process."""

    def away(*_: object) -> None:
        raise OperationalError("connection refused")

    with patch("portal.health.readiness", away):
        answer = client.get("/health/ready")
    assert (answer.status_code, answer.json()["problems"]) == (503, ["database.unavailable"])
