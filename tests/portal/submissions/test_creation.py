"""Submissions come from finished uploads: the same bundle gives the same submission, the broker may be down."""

from __future__ import annotations

import pytest
from pytest_django import DjangoCaptureOnCommitCallbacks

from portal.submissions import queue
from portal.submissions.models import Submission
from portal.submissions.services import Move, submission_create, submission_move
from portal.submissions.states import ATTEMPTS, State
from portal.trail.selectors import events_of
from tests.portal.api.world import World, stored_submission
from tests.portal.reports import report
from tests.portal.scenes import record, register


@pytest.mark.sqlite
def test_the_same_bundle_gives_the_same_submission(world: World) -> None:
    """However often it is sent."""
    first = stored_submission(world, b"bytes")
    again = submission_create(upload=first.upload)
    assert again.pk == first.pk
    assert Submission.objects.count() == 1


def test_the_same_bundle_of_another_organisation_is_another_submission(world: World) -> None:
    """Who may hand it in is decided by its key, not by who came first."""
    first = stored_submission(world, b"bytes")
    other = stored_submission(world, b"bytes", world.elsewhere)
    assert first.pk != other.pk


def test_the_id_is_sent_after_the_commit_and_the_state_says_so(
    world: World, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    """Before the commit there is nothing that a worker could find."""
    with django_capture_on_commit_callbacks(execute=True) as callbacks:
        submission = stored_submission(world)
        assert submission.state == State.RECEIVED
    submission.refresh_from_db()
    assert (len(callbacks), submission.state) == (1, State.QUEUED)
    assert submission.sent_at is not None


def test_a_broker_that_is_down_fails_nobodys_request(
    world: World,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    """The submission waits as received; the sweep sends it."""
    monkeypatch.setattr(queue, "app", _unreachable_app())
    with django_capture_on_commit_callbacks(execute=True):
        submission = stored_submission(world)
    submission.refresh_from_db()
    assert (submission.state, submission.sent_at) == (State.RECEIVED, None)


def _unreachable_app() -> object:
    from celery import Celery

    return Celery("unreachable", broker="redis://127.0.0.1:1/0", set_as_current=False)


@pytest.mark.sqlite
def test_a_failed_submission_sent_again_is_queued_again_with_all_its_attempts(world: World) -> None:
    """The failure was ours."""
    submission = stored_submission(world)
    Submission.objects.filter(pk=submission.pk).update(attempt=3, attempts_allowed=3, state=State.FAILED)
    again = submission_create(upload=submission.upload)
    assert (again.state, again.attempt, again.attempts_allowed) == (State.QUEUED, 3, 3 + ATTEMPTS)


@pytest.mark.parametrize("state", [State.REJECTED, State.WITHDRAWN, State.PUBLISHED])
def test_what_is_decided_stays_decided(world: World, state: State) -> None:
    """Sending the bundle again opens nothing."""
    submission = stored_submission(world)
    Submission.objects.filter(pk=submission.pk).update(state=state)
    assert submission_create(upload=submission.upload).state == state


def test_a_submission_is_named_by_an_id_that_is_no_number(world: World) -> None:
    """And its trail begins with its arrival."""
    submission = stored_submission(world)
    assert len(submission.public_id) == 12
    assert not submission.public_id.isdigit()
    assert [event.kind for event in events_of(submission.public_id)] == ["submission:receive"]


def test_sent_again_with_publish_it_is_published_when_verified(world: World) -> None:
    """The wish counts, also when it comes with the second sending."""
    submission = stored_submission(world)
    submission.upload.publish = True
    again = submission_create(upload=submission.upload)
    again.refresh_from_db()
    assert again.publish_when_verified


def test_moves_do_not_name_a_worker_that_no_longer_holds_it(world: World) -> None:
    """Each arrival ends lease and sending of the state before."""
    submission = stored_submission(world)
    submission_move(submission=submission, move=Move(to=State.QUEUED, sources=(State.RECEIVED,)))
    assert (submission.lease_until, submission.sent_at) == (None, None)


def test_a_key_registered_since_opens_the_submission_again(world: World) -> None:
    """The finding says to register it and hand the bundle in again; no training is lost."""
    submission = record(stored_submission(world), report())
    assert submission.state == State.REJECTED
    assert submission_create(upload=submission.upload).state == State.REJECTED
    register(world.laboratory, world.alice)
    again = submission_create(upload=submission.upload)
    assert (again.pk, again.state, again.attempts_allowed) == (submission.pk, State.QUEUED, 1 + ATTEMPTS)
    assert record(again, report()).state == State.VERIFIED


def test_a_key_registered_since_does_not_help_a_bundle_that_is_wrong(world: World) -> None:
    """Nor one whose key belongs to others."""
    wrong = record(stored_submission(world, b"a"), report("a", verdict="reject"))
    register(world.laboratory, world.alice)
    foreign = record(stored_submission(world, b"b", world.elsewhere), report("b"))
    assert [submission_create(upload=s.upload).state for s in (wrong, foreign)] == [State.REJECTED] * 2
