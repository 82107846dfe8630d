"""Every error under /api/ as problem+json (RFC 9457) with a stable id; clients match ids, never prose."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import BadRequest, PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from portal.errors import EXPLANATIONS, PortalError

logger = logging.getLogger(__name__)

CONTENT_TYPE = "application/problem+json"
TYPE_PREFIX = "urn:vflops:problem:"
ERROR_HEADER = "Vflops-Error"
"""Carries the id also where an answer has no body (HEAD)."""

FRAMEWORK_IDS: Mapping[type[Exception], str] = {
    Http404: "request.not_found",
    BadRequest: "request.refused",
    RequestDataTooBig: "request.too_large",
    PermissionDenied: "permission.denied",
    SuspiciousOperation: "request.refused",
    MultiPartParserError: "request.malformed",
    UnreadablePostError: "request.malformed",
    exceptions.NotFound: "request.not_found",
    exceptions.NotAuthenticated: "token.missing",
    exceptions.AuthenticationFailed: "token.invalid",
    exceptions.PermissionDenied: "permission.denied",
    exceptions.MethodNotAllowed: "request.method_not_allowed",
    exceptions.NotAcceptable: "request.not_acceptable",
    exceptions.UnsupportedMediaType: "request.media_type",
    exceptions.ParseError: "request.malformed",
    exceptions.Throttled: "request.throttled",
    exceptions.ValidationError: "request.invalid",
    exceptions.APIException: "request.refused",
}
"""What the framework raises by itself; the first kind that fits counts."""


def exception_handler(error: Exception, context: Mapping[str, Any]) -> Response:
    """The answer to any exception of a view; unexpected ones are logged whole and told as ours."""
    set_rollback()
    if isinstance(error, PortalError):
        return problem(error.id, error.detail)
    for kind, error_id in FRAMEWORK_IDS.items():
        if isinstance(error, kind):
            return _of_framework(error, getattr(error, "error_id", error_id))
    path = getattr(context.get("request"), "path", "")
    logger.error("internal.unexpected at %s", path, exc_info=error)
    return problem("internal.unexpected")


def problem(
    error_id: str,
    detail: str = "",
    *,
    fields: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """The answer that tells of ``error_id``; ``detail`` is about this very case, the rest is the same every time."""
    document = problem_document(error_id, detail)
    if fields:
        document["fields"] = fields
    response = Response(document, status=document["status"], content_type=CONTENT_TYPE)
    for name, value in {**(headers or {}), ERROR_HEADER: error_id}.items():
        response[name] = value
    return response


def problem_document(error_id: str, detail: str = "") -> dict[str, Any]:
    """What every error tells."""
    explanation = EXPLANATIONS[error_id]
    return {
        "type": TYPE_PREFIX + error_id,
        "title": str(explanation.title),
        "status": explanation.status,
        "detail": detail or str(explanation.title),
        "id": error_id,
        "action": str(explanation.action),
    }


def _of_framework(error: Exception, error_id: str) -> Response:
    headers: dict[str, str] = {}
    if getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = str(getattr(error, "auth_header"))  # noqa: B009 - set by the framework at run time
    wait_s = getattr(error, "wait", None)
    if wait_s is not None:
        headers["Retry-After"] = str(max(1, math.ceil(wait_s)))
    if isinstance(error, exceptions.ValidationError):
        fields = error.detail if isinstance(error.detail, dict) else {"": error.detail}
        return problem(error_id, fields=fields, headers=headers)
    return problem(error_id, _detail(error), headers=headers)


def _detail(error: Exception) -> str:
    """What the framework says of this very case; where an id of ours tells more, nothing."""
    if isinstance(error, exceptions.APIException) and not isinstance(error, exceptions.AuthenticationFailed):
        return str(error.detail)
    return str(error) if isinstance(error, BadRequest) else ""
