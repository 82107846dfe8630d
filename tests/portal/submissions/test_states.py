"""States, moves and deadlines stand in one module and fit together."""

from __future__ import annotations

import itertools

import pytest

from portal.submissions.models import Submission
from portal.submissions.next_steps import STEPS
from portal.submissions.services import KINDS, Move, submission_move
from portal.submissions.states import ALLOWED, AT_DEADLINE, DEADLINES, FINAL, State, is_allowed
from portal.trail.selectors import events_of

PAIRS = list(itertools.product(State, State))


def test_every_state_is_final_or_has_a_deadline_and_an_end_of_it() -> None:
    """Nothing can stay for ever."""
    assert set(DEADLINES) == set(AT_DEADLINE) == set(State) - FINAL
    assert all(is_allowed(state, after) for state, after in AT_DEADLINE.items())


def test_only_what_is_no_fault_of_the_bundle_can_be_left_among_the_final_states() -> None:
    """Failed, or rejected for a key that was not registered yet; both are queued again. All else stays."""
    assert {state: ALLOWED[state] for state in FINAL if ALLOWED[state]} == {
        State.FAILED: {State.QUEUED},
        State.REJECTED: {State.QUEUED},
    }


def test_every_state_can_be_reached_and_has_words() -> None:
    """Each has a kind of event, and says what comes next."""
    reached = set().union(*ALLOWED.values())
    assert reached == set(State) - {State.RECEIVED}
    assert set(KINDS) == set(STEPS) == set(State)


@pytest.mark.django_db
@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_a_submission_moves_where_the_table_allows_and_nowhere_else(
    submission: Submission, old: State, new: State
) -> None:
    """The service refuses a move that the table does not have, whatever the row says."""
    Submission.objects.filter(pk=submission.pk).update(state=old)
    move = Move(to=new, sources=(old,))
    if not is_allowed(old, new):
        with pytest.raises(ValueError, match="no such move"):
            submission_move(submission=submission, move=move)
        return
    assert submission_move(submission=submission, move=move)
    assert submission.state == new
    assert (submission.deadline is None) == (new in FINAL)


@pytest.mark.sqlite
def test_a_move_that_somebody_else_made_first_leaves_no_trace(submission: Submission) -> None:
    """The guard is in the UPDATE: no row, no event."""
    stale = Submission.objects.get(pk=submission.pk)
    withdraw = Move(to=State.WITHDRAWN, sources=(State.RECEIVED, State.QUEUED))
    assert submission_move(submission=submission, move=withdraw)
    before = events_of(submission.public_id).count()
    assert not submission_move(submission=stale, move=withdraw)
    assert events_of(submission.public_id).count() == before
