"""The sweep: ends leases and deadlines, sends again, notices that nobody works; without a broker."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.conf import settings
from django.core.management import call_command
from django.utils import timezone

from portal.submissions import queue
from portal.submissions.models import Submission, Upload, UploadState
from portal.submissions.services import submission_claim
from portal.submissions.states import AT_DEADLINE, ATTEMPTS, DEADLINES, State
from portal.submissions.sweeping import SEND_AGAIN_AFTER, STALLED_AFTER, end_leases, is_due, sweep
from portal.trail.selectors import last_heartbeat
from portal.trail.services import heartbeat_record
from tests.portal.api.world import World

Maker = Callable[[str], Submission]
WAITING_STATES = [state for state in DEADLINES if state is not State.VERIFYING]


def put(submission: Submission, **columns: object) -> Submission:
    """Set columns as time would have."""
    Submission.objects.filter(pk=submission.pk).update(**columns)
    submission.refresh_from_db()
    return submission


@pytest.mark.sqlite
def test_a_lost_worker_gives_the_submission_back(make_submission: Maker) -> None:
    """When the lease is over, and not before."""
    submission = make_submission("a")
    start = timezone.now()
    submission_claim(public_id=submission.public_id, now=start)
    assert sweep(now=start + settings.LEASE / 2).leases_ended == 0
    assert sweep(now=start + settings.LEASE + timedelta(seconds=1)).leases_ended == 1
    submission.refresh_from_db()
    assert (submission.state, submission.last_error_id) == (State.QUEUED, "verification.interrupted")


def test_a_worker_lost_three_times_is_the_end(make_submission: Maker) -> None:
    """Failed, with the reason."""
    submission = make_submission("a")
    now = timezone.now()
    for _ in range(ATTEMPTS):
        assert submission_claim(public_id=submission.public_id, now=now)
        now += settings.LEASE + timedelta(seconds=1)
        sweep(now=now)
    submission.refresh_from_db()
    assert submission.state == State.FAILED


def test_a_lease_renewed_after_the_sweep_looked_is_kept(
    make_submission: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the sweep saw must still hold when it writes."""
    submission = make_submission("a")
    start = timezone.now()
    submission_claim(public_id=submission.public_id, now=start)
    seen = Submission.objects.get(pk=submission.pk)
    put(submission, lease_until=start + timedelta(hours=1), deadline=start + timedelta(hours=2))
    monkeypatch.setattr(Submission.objects, "filter", _first_then_real([seen]))
    assert end_leases(start + settings.LEASE + timedelta(seconds=1)) == 0


def _first_then_real(first: list[Submission]) -> Callable[..., object]:
    """The rows as they were for the first look, the database for every later one."""
    looks = iter([first])
    return lambda *args, **kwargs: next(looks, None) or Submission.objects.all().filter(*args, **kwargs)


@pytest.mark.sqlite
@pytest.mark.parametrize("state", WAITING_STATES)
def test_every_state_ends_at_its_deadline(make_submission: Maker, state: State) -> None:
    """Inclusive: at the deadline, not a round later."""
    submission = make_submission("a")
    deadline = timezone.now()
    put(submission, state=state, deadline=deadline, sent_at=deadline)
    assert sweep(now=deadline - timedelta(seconds=1)).deadlines_ended == 0
    assert sweep(now=deadline).deadlines_ended == 1
    submission.refresh_from_db()
    assert submission.state == AT_DEADLINE[state]


def test_final_states_have_no_deadline_to_end(make_submission: Maker) -> None:
    """Whatever time it is."""
    put(make_submission("a"), state=State.PUBLISHED, deadline=None)
    assert sweep(now=timezone.now() + timedelta(days=3650)).deadlines_ended == 0


def test_what_was_never_sent_is_sent_now(make_submission: Maker) -> None:
    """Received while the broker was down."""
    submission = make_submission("a")
    assert sweep().sent == 1
    submission.refresh_from_db()
    assert submission.state == State.QUEUED
    assert sweep().sent == 0


def test_a_lost_message_is_sent_again_after_a_minute(make_submission: Maker) -> None:
    """And then ever more seldom, so that a long stop of all workers does not drown the broker."""
    start = timezone.now()
    submission = put(make_submission("a"), state=State.QUEUED, state_since=start, sent_at=start)
    sent: list[datetime] = []
    for minute in range(1, 121):
        now = start + timedelta(minutes=minute)
        if is_due(submission, now):
            sent.append(now)
            submission.sent_at = now
    assert sent[0] == start + SEND_AGAIN_AFTER
    assert len(sent) == 7


def test_a_wish_for_publication_is_sent_again_too(make_submission: Maker) -> None:
    """Verified, to be published, and nobody did."""
    put(make_submission("a"), state=State.VERIFIED, publish_when_verified=True)
    assert sweep().sent == 1


def test_without_attempts_left_nothing_waits_for_a_worker(make_submission: Maker) -> None:
    """It fails instead of waiting for a claim that cannot come."""
    submission = put(make_submission("a"), state=State.QUEUED, attempt=3, attempts_allowed=3)
    sweep()
    submission.refresh_from_db()
    assert submission.state == State.FAILED


def test_a_broker_that_is_down_ends_the_sending_not_the_sweep(
    make_submission: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One try a round, and the round goes on."""
    from celery import Celery

    for name in ("a", "b", "c"):
        make_submission(name)
    monkeypatch.setattr(queue, "app", Celery("unreachable", broker="redis://127.0.0.1:1/0", set_as_current=False))
    assert sweep().sent == 0
    assert last_heartbeat(queue.SWEEP) is not None


def test_an_unfinished_upload_expires(world: World) -> None:
    """Its row says so."""
    upload = Upload.objects.create(
        organisation=world.laboratory,
        user=world.alice,
        size_bytes=10,
        sha256="0" * 64,
        expires_at=timezone.now() - timedelta(seconds=1),
    )
    assert sweep().uploads_expired == 1
    upload.refresh_from_db()
    assert upload.state == UploadState.EXPIRED


def test_nobody_working_is_noticed(make_submission: Maker) -> None:
    """Something has waited long, and no worker took up anything."""
    now = timezone.now()
    put(make_submission("a"), state=State.QUEUED, state_since=now - STALLED_AFTER, sent_at=now)
    assert sweep(now=now).stalled
    heartbeat_record(name=queue.WORKER, at=now)
    assert not sweep(now=now).stalled


@pytest.mark.sqlite
def test_one_round_by_the_command_line(make_submission: Maker, capsys: pytest.CaptureFixture[str]) -> None:
    """For cron, and for a look."""
    make_submission("a")
    call_command("sweep", "--once")
    assert "sent=1" in capsys.readouterr().out


def test_a_lost_message_is_sent_again_after_a_minute_however_long_ago_it_was_verified(
    make_submission: Maker,
) -> None:
    """The owner took a month to look at the report; the wait began when publication was asked for."""
    asked = timezone.now()
    submission = put(
        make_submission("a"),
        state=State.VERIFIED,
        state_since=asked - timedelta(days=30),
        publish_when_verified=True,
        publish_asked_at=asked,
        sent_at=asked,
    )
    assert not is_due(submission, asked + SEND_AGAIN_AFTER / 2)
    assert is_due(submission, asked + SEND_AGAIN_AFTER)
