"""Health for machines: whether the process answers, and whether submissions get through."""

from __future__ import annotations

from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from portal.submissions.selectors import readiness


@require_safe
def live(_request: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"status": "live"})


@never_cache
@require_safe
def ready(_request: HttpRequest) -> JsonResponse:
    """Database, age of the oldest waiting submission and of the last sweep; 503 while something needs a person."""
    state = readiness()
    return JsonResponse(state, status=200 if state["status"] == "ready" else 503)
