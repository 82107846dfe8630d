"""What a submission's page says of every state."""

from __future__ import annotations

import pytest

from portal.pages.progress import EXPLAINED, PERSON_POLL_S, WORKING_POLL_S, Progress, progress
from portal.submissions.models import Submission
from portal.submissions.states import FINAL, State


def shown(state: State, **fields: bool) -> Progress:
    """The progress of a submission in ``state``."""
    return progress(Submission(state=state, **fields), place=3)


@pytest.mark.parametrize("state", list(State))
def test_every_state_is_explained_and_says_what_comes_next(state: State) -> None:
    """Nobody is left in "submitted" without a word."""
    found = shown(state)
    assert str(found.explained.name)
    assert str(found.explained.means)
    assert str(found.next)
    assert sum(station.css in {"now", "stopped"} for station in found.stations) == 1


def test_no_other_state_is_explained() -> None:
    """A state that is gone leaves no prose."""
    assert set(EXPLAINED) == set(State)


@pytest.mark.parametrize("state", list(State))
def test_the_page_looks_again_until_a_state_is_final(state: State) -> None:
    """Then it stops."""
    assert shown(state).stopped == (state in FINAL)


def test_the_page_looks_often_while_machines_work_and_seldom_while_people_think() -> None:
    """Two seconds and half a minute."""
    assert shown(State.VERIFYING).poll_s == WORKING_POLL_S
    assert shown(State.HELD).poll_s == PERSON_POLL_S
    assert shown(State.VERIFIED).poll_s == PERSON_POLL_S
    assert shown(State.VERIFIED, publish_when_verified=True).poll_s == WORKING_POLL_S


def test_a_place_in_the_queue_is_shown_only_to_those_who_wait() -> None:
    """A verified one has none."""
    assert shown(State.QUEUED).place == 3
    assert shown(State.VERIFIED).place is None


def test_publication_is_offered_until_it_is_asked_for() -> None:
    """And never at an end."""
    assert shown(State.VERIFIED).can_publish
    assert shown(State.QUEUED).can_publish
    assert not shown(State.VERIFIED, publish_when_verified=True).can_publish
    assert not any(shown(state).can_publish for state in FINAL)
