"""Claims: one worker at a time, counted before the work, held by a lease."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone

from portal.submissions.models import Submission
from portal.submissions.services import (
    submission_claim,
    submission_record_failure,
    submission_renew_lease,
    submission_withdraw,
)
from portal.submissions.states import ATTEMPTS, State
from portal.trail.selectors import events_of
from tests.portal.api.world import World, build, stored_submission


@pytest.mark.sqlite
def test_a_claim_counts_the_attempt_before_the_work(submission: Submission) -> None:
    """And ends by itself with the lease."""
    now = timezone.now()
    claimed = submission_claim(public_id=submission.public_id, now=now)
    assert claimed is not None
    assert (claimed.state, claimed.attempt, claimed.lease_until) == (State.VERIFYING, 1, now + settings.LEASE)


@pytest.mark.sqlite
def test_a_second_message_for_the_same_row_claims_nothing(submission: Submission) -> None:
    """Brokers deliver twice; the row does not."""
    assert submission_claim(public_id=submission.public_id)
    assert submission_claim(public_id=submission.public_id) is None


def test_an_unknown_id_claims_nothing(world: World) -> None:
    """A message may be older than a database."""
    assert submission_claim(public_id="nothing") is None


def test_a_withdrawn_submission_is_not_verified(submission: Submission, world: World) -> None:
    """Whatever messages are still under way."""
    submission_withdraw(submission=submission, user=world.alice, reason="wrong machine")
    assert submission_claim(public_id=submission.public_id) is None


@pytest.mark.sqlite
def test_the_third_failure_is_the_last(submission: Submission) -> None:
    """A bundle that kills its worker stops doing so; the page says why."""
    for attempt in range(1, ATTEMPTS + 1):
        assert submission_claim(public_id=submission.public_id)
        assert submission_record_failure(
            submission=submission, attempt=attempt, error_id="verification.crashed", error="SIGKILL"
        )
        assert submission.state == (State.QUEUED if attempt < ATTEMPTS else State.FAILED)
    assert (submission.last_error_id, submission.last_error) == ("verification.crashed", "SIGKILL")
    assert submission_claim(public_id=submission.public_id) is None


def test_a_failure_of_an_older_attempt_changes_nothing(submission: Submission) -> None:
    """A worker that was thought dead and comes back late."""
    submission_claim(public_id=submission.public_id)
    submission_record_failure(submission=submission, attempt=1, error_id="verification.crashed", error="")
    submission_claim(public_id=submission.public_id)
    late = submission_record_failure(submission=submission, attempt=1, error_id="verification.crashed", error="")
    submission.refresh_from_db()
    assert (late, submission.state, submission.attempt) == (False, State.VERIFYING, 2)


def test_a_lease_is_renewed_only_by_the_attempt_that_holds_it(submission: Submission) -> None:
    """Everybody else learns that the work was taken over."""
    submission_claim(public_id=submission.public_id, now=timezone.now() - timedelta(seconds=50))
    assert submission_renew_lease(submission=submission, attempt=1)
    assert not submission_renew_lease(submission=submission, attempt=2)
    submission.refresh_from_db()
    assert submission.lease_until is not None
    assert submission.lease_until > timezone.now()


@pytest.mark.sqlite
def test_of_many_workers_one_gets_the_claim(committed_db: None, folders: object) -> None:
    """With real connections and real commits, on either database."""
    submission = stored_submission(build())
    claims: list[Submission | None] = []
    barrier = threading.Barrier(4)

    def claim() -> None:
        barrier.wait()
        try:
            claims.append(submission_claim(public_id=submission.public_id))
        finally:
            connection.close()

    threads = [threading.Thread(target=claim) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(claim is not None for claim in claims) == 1
    assert events_of(submission.public_id).filter(kind="submission:claim").count() == 1


def test_the_trail_tells_the_whole_story(make_submission: Callable[[str], Submission]) -> None:
    """In order, with the attempt."""
    submission = make_submission("story")
    submission_claim(public_id=submission.public_id)
    submission_record_failure(submission=submission, attempt=1, error_id="verification.crashed", error="x")
    kinds = [event.kind for event in events_of(submission.public_id)]
    assert kinds == ["submission:receive", "submission:claim", "submission:queue"]
