"""Errors that arise before a view is found: problem+json under /api/, pages elsewhere."""

from __future__ import annotations

from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.views import defaults

from portal.api.problems import CONTENT_TYPE, ERROR_HEADER, problem_document

API = "/api/"


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """What Django refuses by itself: a foreign host, a NUL character, a form with too many fields."""
    return _problem("request.refused") if request.path.startswith(API) else defaults.bad_request(request, exception)


def server_error(request: HttpRequest) -> HttpResponseBase:
    """What failed outside any view."""
    return _problem("internal.unexpected") if request.path.startswith(API) else defaults.server_error(request)


def _problem(error_id: str) -> HttpResponseBase:
    document = problem_document(error_id)
    headers = {ERROR_HEADER: error_id, "Cache-Control": "no-store"}
    return JsonResponse(document, status=document["status"], content_type=CONTENT_TYPE, headers=headers)
