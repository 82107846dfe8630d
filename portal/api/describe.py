"""Short words for describing operations: which errors an operation answers with, and examples of them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiResponse

from portal.api.problems import CONTENT_TYPE, TYPE_PREFIX
from portal.api.serializers import ProblemSerializer
from portal.errors import EXPLANATIONS

KNOWN = ("token.missing", "token.invalid", "token.expired", "token.revoked", "token.orphaned", "request.throttled")
"""Errors of every operation that asks who calls."""

PUBLIC = ("request.throttled",)
"""Errors of every public operation."""


def errors(*ids: str) -> dict[tuple[int, str], OpenApiResponse]:
    """The answers that tell of ``ids``, one a status, with an example for each id."""
    by_status: dict[int, list[str]] = {}
    for error_id in ids:
        by_status.setdefault(EXPLANATIONS[error_id].status, []).append(error_id)
    return {(status, CONTENT_TYPE): _answer(found) for status, found in by_status.items()}


def _answer(ids: list[str]) -> OpenApiResponse:
    return OpenApiResponse(
        response=ProblemSerializer,
        description=" ".join(f"`{error_id}`: {EXPLANATIONS[error_id].title}" for error_id in ids),
        examples=[_example(error_id) for error_id in ids],
    )


def _example(error_id: str) -> OpenApiExample:
    explanation = EXPLANATIONS[error_id]
    value: dict[str, Any] = {
        "type": TYPE_PREFIX + error_id,
        "title": str(explanation.title),
        "status": explanation.status,
        "detail": str(explanation.title),
        "id": error_id,
        "action": str(explanation.action),
    }
    return OpenApiExample(error_id, value=value, media_type=CONTENT_TYPE, response_only=True)
