"""Writes the trail; every service of the portal calls this inside its own transaction."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol

from django.utils import timezone

from portal.trail.models import Event, Heartbeat, Kind


class Named(Protocol):
    """Anything with a public id."""

    @property
    def public_id(self) -> str:
        """The id by which the row is named outside the database."""


def event_record(
    *,
    kind: Kind,
    subject: str,
    organisation: Named | None = None,
    actor: Named | None = None,
    data: Mapping[str, Any] | None = None,
    at: datetime | None = None,
) -> Event:
    """Write down one thing that happened; ``subject`` is the public id it happened to."""
    return Event.objects.create(
        at=at or timezone.now(),
        kind=kind,
        subject=subject,
        organisation=organisation.public_id if organisation else "",
        actor=actor.public_id if actor else "",
        data=dict(data or {}),
    )


def heartbeat_record(*, name: str, at: datetime | None = None) -> None:
    """Note that process ``name`` did its round."""
    Heartbeat.objects.update_or_create(name=name, defaults={"at": at or timezone.now()})
