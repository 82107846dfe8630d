"""What owners and auditors decide: publish, withdraw, accept, reject; and who may not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from portal.accounts.models import User
from portal.audit.services import submission_decide
from portal.errors import PortalError
from portal.submissions.models import Submission
from portal.submissions.services import submission_publish, submission_withdraw
from portal.submissions.states import State
from portal.trail.selectors import events_of
from tests.portal.api.world import World
from tests.portal.reports import report
from tests.portal.scenes import record, register

Maker = Callable[[str], Submission]


@pytest.fixture
def held(world: World, make_submission: Maker) -> Submission:
    """A submission that an auditor must look at."""
    register(world.laboratory, world.alice)
    return record(make_submission("held"), report(verdict="hold"))


@pytest.mark.sqlite
@pytest.mark.parametrize(("accept", "state"), [(True, State.VERIFIED), (False, State.REJECTED)])
def test_an_auditor_decides_on_what_is_held(held: Submission, auditor: User, accept: bool, state: State) -> None:
    """With a reason that stays in the trail."""
    decided = submission_decide(submission=held, auditor=auditor, accept=accept, reason="looked at the clocks")
    last = events_of(held.public_id).last()
    assert decided.state == state
    assert last is not None
    assert (last.actor, last.data["reason"]) == (auditor.public_id, "looked at the clocks")


def test_nobody_else_decides(held: Submission, world: World) -> None:
    """Not even the organisation's owner."""
    with pytest.raises(PortalError, match=r"permission\.denied"):
        submission_decide(submission=held, auditor=world.alice, accept=True, reason="it is ours")


def test_a_decision_needs_a_reason(held: Submission, auditor: User) -> None:
    """The submitter reads it."""
    with pytest.raises(PortalError, match=r"reason\.missing"):
        submission_decide(submission=held, auditor=auditor, accept=False, reason="  ")


def test_a_decision_is_made_once(held: Submission, auditor: User) -> None:
    """The second auditor is told."""
    stale = Submission.objects.get(pk=held.pk)
    submission_decide(submission=held, auditor=auditor, accept=True, reason="fine")
    with pytest.raises(PortalError, match=r"submission\.not_held"):
        submission_decide(submission=stale, auditor=auditor, accept=False, reason="not fine")


def test_publication_may_be_asked_for_early_and_twice(submission: Submission, world: World) -> None:
    """It happens when the submission is verified."""
    submission_publish(submission=submission, user=world.alice)
    submission_publish(submission=submission, user=world.alice)
    assert submission.publish_when_verified


@pytest.mark.parametrize("state", [State.REJECTED, State.FAILED, State.WITHDRAWN])
def test_what_ended_otherwise_is_not_published(submission: Submission, world: World, state: State) -> None:
    """With an id that a program can read."""
    Submission.objects.filter(pk=submission.pk).update(state=state)
    with pytest.raises(PortalError, match=r"submission\.not_publishable"):
        submission_publish(submission=submission, user=world.alice)


def test_members_look_and_do_not_publish_or_withdraw(submission: Submission, world: World) -> None:
    """Bob is a member; Charlie is a stranger."""
    for person in (world.bob, world.charlie):
        with pytest.raises(PortalError, match=r"permission\.denied"):
            submission_publish(submission=submission, user=person)
        with pytest.raises(PortalError, match=r"permission\.denied"):
            submission_withdraw(submission=submission, user=person)


def test_a_submission_is_withdrawn_until_it_is_published(submission: Submission, world: World) -> None:
    """Afterwards its result is."""
    Submission.objects.filter(pk=submission.pk).update(state=State.PUBLISHED)
    with pytest.raises(PortalError, match=r"submission\.not_withdrawable"):
        submission_withdraw(submission=submission, user=world.alice)
    Submission.objects.filter(pk=submission.pk).update(state=State.VERIFIED)
    assert submission_withdraw(submission=submission, user=world.alice, reason="typo").state == State.WITHDRAWN
