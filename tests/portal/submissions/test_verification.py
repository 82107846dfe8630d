"""The worker's task with the real verifier in its real child process."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from pytest_django.fixtures import Settings

from portal.submissions import tasks
from portal.submissions.models import Submission
from portal.submissions.selectors import newest_report, report_findings
from portal.submissions.states import ATTEMPTS, State
from portal.submissions.verifying import local_bundle
from portal.trail.selectors import last_heartbeat
from tests.bundles import OTHER_KEY, make_bundle
from tests.portal.api.world import World, stored_submission
from tests.portal.scenes import register, verify


@pytest.mark.sqlite
def test_an_honest_bundle_is_verified(verified: Submission) -> None:
    """With its score, under its organisation's system."""
    report = newest_report(verified)
    assert verified.state == State.VERIFIED
    assert report is not None
    assert report.document["score"]["valid_flops"] > 0
    assert verified.system is not None
    assert last_heartbeat("worker") is not None


def test_another_persons_key_is_refused(world: World, tmp_path: Path) -> None:
    """Somebody else's bundle cannot be handed in as one's own."""
    register(world.elsewhere, world.charlie, OTHER_KEY)
    bundle = make_bundle(tmp_path, key=OTHER_KEY).read_bytes()
    submission = verify(stored_submission(world, bundle))
    report = newest_report(submission)
    assert report is not None
    assert submission.state == State.REJECTED
    assert "key.other_organisation" in {found["id"] for found in report_findings(report)}


def test_bytes_that_are_no_bundle_are_rejected_with_a_reason(world: World) -> None:
    """A report, not a failure: the fault is the bundle's."""
    submission = verify(stored_submission(world, b"not a bundle at all"))
    report = newest_report(submission)
    assert report is not None
    assert (submission.state, report.verdict) == (State.REJECTED, "reject")
    assert report.document["findings"]


def test_a_bundle_that_is_gone_is_our_failure(submission: Submission) -> None:
    """It is tried again, then failed, and says so."""
    default_storage.delete(submission.upload.storage_name)
    for _ in range(ATTEMPTS):
        verify(submission)
    assert (submission.state, submission.attempt) == (State.FAILED, ATTEMPTS)
    assert submission.last_error_id == "verification.bundle_unavailable"


def test_a_late_message_changes_nothing(verified: Submission) -> None:
    """The broker may deliver what is long done."""
    tasks.verify(verified.public_id)
    verified.refresh_from_db()
    assert (verified.state, verified.attempt) == (State.VERIFIED, 1)


@pytest.fixture
def remote_storage(settings: Settings) -> None:
    """Bundles away from this machine's disk."""
    memory = {"BACKEND": "tests.portal.object_store.ObjectStore"}
    settings.STORAGES = {**settings.STORAGES, "default": memory}


def test_a_bundle_in_an_object_store_is_fetched_for_the_child(
    remote_storage: None, world: World, honest_bundle: bytes
) -> None:
    """And verified like any other."""
    register(world.laboratory, world.alice)
    assert verify(stored_submission(world, honest_bundle)).state == State.VERIFIED


def test_a_bundle_that_an_object_store_lost_is_our_failure(remote_storage: None, world: World) -> None:
    """As with local files."""
    submission = stored_submission(world, b"bytes")
    default_storage.delete(submission.upload.storage_name)
    assert verify(submission).last_error_id == "verification.bundle_unavailable"


def test_the_lease_is_held_while_a_bundle_is_fetched(
    remote_storage: None, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large one takes longer than a lease; whoever has lost it meanwhile stops."""
    monkeypatch.setattr("portal.submissions.verifying.COPY_BYTES", 10)
    held: list[int] = []
    with local_bundle(stored_submission(world, b"x" * 35), lambda: held.append(1)) as path:
        assert path.read_bytes() == b"x" * 35
    assert len(held) == 4
