"""Health for machines: whether the process answers, and whether submissions get through."""

from __future__ import annotations

import structlog
from django.db import DatabaseError
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from portal.submissions.selectors import readiness

logger = structlog.get_logger(__name__)


@require_safe
def live(_request: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"status": "live"})


@never_cache
@require_safe
def ready(_request: HttpRequest) -> JsonResponse:
    """Database, age of the oldest waiting submission and of the last sweep; 503 while something needs a person."""
    try:
        state = readiness()
    except DatabaseError as error:
        logger.warning("health.database_unavailable", error=str(error))
        state = {"status": "not ready", "problems": ["database.unavailable"]}
    return JsonResponse(state, status=200 if state["status"] == "ready" else 503)
