"""Reads the trail."""

from __future__ import annotations

from datetime import datetime

from django.db.models import QuerySet

from portal.trail.models import Event, Heartbeat


def events_of(subject: str) -> QuerySet[Event]:
    """What happened to the row of that public id, oldest first."""
    return Event.objects.filter(subject=subject).order_by("at", "id")


def last_heartbeat(name: str) -> datetime | None:
    """When process ``name`` last did its round."""
    return Heartbeat.objects.filter(name=name).values_list("at", flat=True).first()
