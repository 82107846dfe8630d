"""What a submission's page says: where it stands, since when, until when, what comes next, its place in the queue."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from portal.results.models import Mark, MarkKind
from portal.results.standing import mark_of, step_with_standing
from portal.submissions.models import Submission
from portal.submissions.states import FINAL, WAITING, WITHDRAWABLE, State

WORKING_POLL_S = 2
"""Seconds between two looks while machines are at work: a smoke bundle verifies in about as long."""
PERSON_POLL_S = 30
"""Seconds between two looks while a person has to decide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """A state in words: its name and what it means."""

    name: Promise
    means: Promise


EXPLAINED: dict[str, Explained] = {
    State.RECEIVED: Explained(
        name=_("Received"),
        means=_("The bundle is here, whole, with the SHA-256 that was declared."),
    ),
    State.QUEUED: Explained(
        name=_("Queued"),
        means=_("The bundle waits for a verifier."),
    ),
    State.VERIFYING: Explained(
        name=_("Verifying"),
        means=_("A verifier reads the evidence, applies every rule and recomputes the score."),
    ),
    State.VERIFIED: Explained(
        name=_("Verified"),
        means=_("The evidence was accepted. Nobody but you sees it yet."),
    ),
    State.HELD: Explained(
        name=_("Held for review"),
        means=_("A rule asks for a person's look; the findings say which."),
    ),
    State.REJECTED: Explained(
        name=_("Rejected"),
        means=_("At least one rule was broken; the findings say where, and what to do."),
    ),
    State.FAILED: Explained(
        name=_("Failed"),
        means=_("The failure is ours, not the bundle's."),
    ),
    State.PUBLISHED: Explained(
        name=_("Published"),
        means=_("The result stands on its board."),
    ),
    State.WITHDRAWN: Explained(
        name=_("Withdrawn"),
        means=_("It was taken back and is not published."),
    ),
}

OFF_BOARD: dict[str, Explained] = {
    MarkKind.WITHDRAWN: Explained(
        name=_("Withdrawn after publication"),
        means=_("The result holds no rank any more. Its page and evidence stay."),
    ),
    MarkKind.DISQUALIFIED: Explained(
        name=_("Disqualified"),
        means=_("The result was disqualified and holds no rank. Its page and evidence stay."),
    ),
}
"""What a published submission is called once a mark took its result off the board."""

PATH = (State.RECEIVED, State.QUEUED, State.VERIFYING, State.VERIFIED, State.PUBLISHED)
"""The way of a submission that meets no obstacle."""
STOPPED_AT = {State.HELD: 3, State.REJECTED: 3, State.FAILED: 2, State.WITHDRAWN: 4}
"""Where on that way the other states stand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Station:
    """One station of the way, as drawn."""

    name: Promise
    css: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Everything that the page shows about a submission's state."""

    explained: Explained
    next: Promise | str
    mark: Mark | None
    stations: tuple[Station, ...]
    place: int | None
    poll_s: int | None
    can_publish: bool
    can_withdraw: bool

    @property
    def stopped(self) -> bool:
        """Whether the page need not look again."""
        return self.poll_s is None


def progress(submission: Submission, *, place: int | None) -> Progress:
    """The state of ``submission`` in words; ``place`` is its place in the queue, from 1."""
    state = State(submission.state)
    publishing = state is State.VERIFIED and submission.publish_when_verified
    mark = mark_of(submission)
    explained = OFF_BOARD[mark.kind] if mark else EXPLAINED[state]
    return Progress(
        explained=explained,
        next=step_with_standing(submission),
        mark=mark,
        stations=_stations(state, here=explained.name, stopped=mark is not None),
        place=place if state in WAITING else None,
        poll_s=_poll_s(state, publishing=publishing),
        can_publish=state not in FINAL and not submission.publish_when_verified,
        can_withdraw=state in WITHDRAWABLE,
    )


def _poll_s(state: State, *, publishing: bool) -> int | None:
    if state in FINAL:
        return None
    waits_for_person = state is State.HELD or (state is State.VERIFIED and not publishing)
    return PERSON_POLL_S if waits_for_person else WORKING_POLL_S


def _stations(state: State, *, here: Promise, stopped: bool) -> tuple[Station, ...]:
    reached = PATH.index(state) if state in PATH else STOPPED_AT[state]
    stations = [Station(name=EXPLAINED[s].name, css="done" if i < reached else "") for i, s in enumerate(PATH)]
    if state in PATH and not stopped:
        stations[reached] = Station(name=here, css="now")
    else:
        stations[reached] = Station(name=here, css="now" if state is State.HELD else "stopped")
    return tuple(stations)


def fingerprint(*parts: str | int | datetime | bool | None) -> str:
    """Short name of what a page shows; equal parts give an equal name."""
    return hashlib.sha256("|".join(str(part) for part in parts).encode()).hexdigest()[:24]
