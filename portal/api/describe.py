"""Short words for describing operations: pages, ways to say who calls, and the errors with an example each."""

from __future__ import annotations

import inspect
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, inline_serializer
from rest_framework import serializers

from portal.api.problems import CONTENT_TYPE, TYPE_PREFIX
from portal.api.serializers import ProblemSerializer
from portal.errors import EXPLANATIONS

KNOWN = ("token.missing", "token.invalid", "token.expired", "token.revoked", "token.orphaned", "request.throttled")
"""Errors of every operation that asks who calls."""

PUBLIC = ("request.throttled",)
"""Errors of every public operation."""


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How programs say who calls."""

    target_class = "portal.api.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """A bearer token."""
        return {"type": "http", "scheme": "bearer", "bearerFormat": "vfl_..."}


class SessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How pages of the portal say who calls."""

    target_class = "portal.api.authentication.SessionAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """The session's cookie; changes also need the header X-CSRFToken."""
        return {"type": "apiKey", "in": "cookie", "name": "sessionid"}


Described = type[serializers.Serializer[Any]]


def one(serializer: Described) -> OpenApiResponse:
    """An answer with one thing, in the words of its serializer."""
    return OpenApiResponse(serializer, description=_words(serializer))


def page_of(serializer: Described) -> OpenApiResponse:
    """A page of rows: ``next`` and ``previous`` are whole addresses, null at the ends."""
    fields = {
        "next": serializers.URLField(allow_null=True),
        "previous": serializers.URLField(allow_null=True),
        "results": serializer(many=True),
    }
    page = inline_serializer(_name(serializer, "Page"), fields=fields)
    return OpenApiResponse(page, description=f"A page. Each row: {_words(serializer)}")


def list_of(serializer: Described) -> OpenApiResponse:
    """All rows at once, where they are few."""
    rows = inline_serializer(_name(serializer, "List"), fields={"results": serializer(many=True)})
    return OpenApiResponse(rows, description=f"All rows. Each: {_words(serializer)}")


UNCHANGED = OpenApiResponse(description="Nothing changed since that ETag.")


def _name(serializer: Described, suffix: str) -> str:
    return serializer.__name__.removesuffix("Serializer") + suffix


def _words(serializer: Described) -> str:
    return inspect.getdoc(serializer) or ""


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
