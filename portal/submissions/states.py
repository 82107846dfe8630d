"""The life of a submission: states, allowed moves, which states are final, and a deadline for every other one."""

from __future__ import annotations

from datetime import timedelta

from django.db import models
from django.utils.translation import gettext_lazy as _


class State(models.TextChoices):
    """Where a submission stands."""

    RECEIVED = "received", _("received")
    QUEUED = "queued", _("queued")
    VERIFYING = "verifying", _("verifying")
    VERIFIED = "verified", _("verified")
    HELD = "held", _("held for review")
    REJECTED = "rejected", _("rejected")
    FAILED = "failed", _("failed")
    PUBLISHED = "published", _("published")
    WITHDRAWN = "withdrawn", _("withdrawn")


ALLOWED: dict[State, frozenset[State]] = {
    State.RECEIVED: frozenset({State.QUEUED, State.VERIFYING, State.FAILED, State.WITHDRAWN}),
    State.QUEUED: frozenset({State.VERIFYING, State.FAILED, State.WITHDRAWN}),
    State.VERIFYING: frozenset({State.VERIFIED, State.HELD, State.REJECTED, State.QUEUED, State.FAILED}),
    State.VERIFIED: frozenset({State.PUBLISHED, State.WITHDRAWN}),
    State.HELD: frozenset({State.VERIFIED, State.REJECTED, State.FAILED, State.WITHDRAWN}),
    State.FAILED: frozenset({State.QUEUED}),
    State.REJECTED: frozenset({State.QUEUED}),
    State.PUBLISHED: frozenset(),
    State.WITHDRAWN: frozenset(),
}
"""A failure is ours, not the bundle's: sending the same bundle again queues it again. So it does where nothing was
wrong but the key, which was registered since. Every other end is final."""

DEADLINES: dict[State, timedelta] = {
    State.RECEIVED: timedelta(days=3),
    State.QUEUED: timedelta(days=3),
    State.VERIFYING: timedelta(minutes=25),
    State.VERIFIED: timedelta(days=90),
    State.HELD: timedelta(days=90),
}
"""How long a submission may stay. Waiting for a worker: three days, a weekend without one. Verifying: above the
hard limit of a task, 20 minutes. Waiting for a person, owner or auditor: a quarter."""

AT_DEADLINE: dict[State, State] = {
    State.RECEIVED: State.FAILED,
    State.QUEUED: State.FAILED,
    State.VERIFYING: State.QUEUED,
    State.VERIFIED: State.WITHDRAWN,
    State.HELD: State.FAILED,
}
"""Where the sweep moves what stayed too long; a lost verification fails once its attempts are used up."""

FINAL = frozenset(state for state in State if state not in DEADLINES)
WAITING = (State.RECEIVED, State.QUEUED)
"""States from which a worker claims."""
WITHDRAWABLE = tuple(state for state in State if State.WITHDRAWN in ALLOWED[state])
ATTEMPTS = 3
"""Verifications that are begun before the portal gives up: one, one for a killed worker, one for bad luck."""


def is_allowed(old: State, new: State) -> bool:
    """Whether a submission may move from ``old`` to ``new``."""
    return new in ALLOWED[old]
