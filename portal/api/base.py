"""What all operations of the API share: who calls, what is allowed, how answers and errors look."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import Any, TypeVar, cast

from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.http import parse_etags, quote_etag
from drf_spectacular.openapi import AutoSchema
from rest_framework.exceptions import NotFound, ParseError
from rest_framework.pagination import CursorPagination
from rest_framework.parsers import BaseParser
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from portal.accounts.models import ApiToken, Organisation, User
from portal.accounts.selectors import organisations_visible_to
from portal.api.authentication import SessionAuthentication, TokenAuthentication
from portal.api.permissions import Everybody, KnownPeople
from portal.api.throttling import AddressThrottle, PersonThrottle
from portal.errors import PortalError
from ranking.evidence import canonical
from ranking.evidence.errors import EvidenceError

Row = TypeVar("Row", bound=Model)

ETAG_DIGITS = 32


class StrictJSONParser(BaseParser):
    """JSON as evidence is read: UTF-8, one object, no duplicate keys, no NaN or Infinity, no bottomless nesting."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        """The object; raises ParseError. The body's size is bounded by Django's own limit."""
        try:
            value = canonical.loads(cast("HttpRequest", parser_context["request"]).body or b"{}")
        except EvidenceError as error:
            raise ParseError(f"expected {error.finding.expected}, got {error.finding.got}") from error
        if not isinstance(value, dict):
            raise ParseError("expected an object")
        return value


class ApiView(APIView):
    """One operation for people and programs that are known. Answers are private and never cached by others."""

    authentication_classes = (TokenAuthentication, SessionAuthentication)
    permission_classes = (KnownPeople,)
    throttle_classes = (PersonThrottle, AddressThrottle)
    parser_classes = (StrictJSONParser,)
    renderer_classes = (JSONRenderer,)
    schema = AutoSchema()

    @property
    def person(self) -> User:
        """Who calls."""
        return cast("User", self.request.user)

    @property
    def token(self) -> ApiToken | None:
        """The token that the caller used; None for a session."""
        return cast("ApiToken | None", self.request.auth)

    def organisations(self) -> QuerySet[Organisation]:
        """The organisations that this call may act for: a token's own, or all of a session's person."""
        visible = organisations_visible_to(self.person)
        return visible.filter(pk=self.token.organisation_id) if self.token else visible

    def organisation(self, slug: str) -> Organisation:
        """The organisation that a call names, or the only one; raises PortalError ``organisation.unclear``."""
        known = list(self.organisations().filter(**({"slug": slug} if slug else {}))[:2])
        if len(known) != 1:
            raise PortalError("organisation.unclear", slug or "name one")
        return known[0]

    def scoped(self, rows: QuerySet[Row]) -> QuerySet[Row]:
        """``rows``, narrowed to a token's organisation."""
        return rows.filter(organisation_id=self.token.organisation_id) if self.token else rows

    def found(self, rows: QuerySet[Row], **key: str) -> Row:
        """The one row, or a 404 that does not tell a hidden row from none."""
        row = rows.filter(**key).first()
        if row is None:
            raise Http404
        return row

    def valid(self, serializer: type[Serializer[Any]], data: Any = None) -> dict[str, Any]:
        """The checked fields of the body, or of ``data``; raises ValidationError for unknown and for wrong ones."""
        checked = serializer(data=self.request.data if data is None else data)
        checked.is_valid(raise_exception=True)
        return cast("dict[str, Any]", checked.validated_data)

    def page(self, rows: QuerySet[Row], serializer: type[Serializer[Any]]) -> Response:
        """A page of ``rows`` with the addresses of its neighbours."""
        pages = Pages()
        shown = pages.paginate_queryset(rows, self.request, view=self)
        return pages.get_paginated_response(serializer(shown, many=True).data)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Keep answers out of shared caches, and tell what they depend on."""
        final = super().finalize_response(request, response, *args, **kwargs)
        if not final.has_header("Cache-Control"):
            patch_cache_control(final, private=True, no_cache=True)
            patch_vary_headers(final, ["Authorization", "Cookie"])
        return final


class PublicView(ApiView):
    """One operation for everybody: nobody is asked who they are, so that the answer is the same for all."""

    authentication_classes = ()  # type: ignore[assignment]
    permission_classes = (Everybody,)  # type: ignore[assignment]


SHARED_AGE_S = 60
"""Seconds that a shared cache may give a public answer on, as the pages have it."""


def share(response: HttpResponseBase) -> None:
    """Let shared caches keep a public answer for a minute."""
    patch_cache_control(response, public=True, max_age=0, s_maxage=SHARED_AGE_S)


def conditional(request: Request, document: Any) -> Response:
    """``document`` under an ETag of its content and form, or 304 where the caller has it."""
    form = getattr(getattr(request, "accepted_renderer", None), "format", "")
    content = json.dumps([form, document], sort_keys=True).encode()
    etag = quote_etag(hashlib.sha256(content).hexdigest()[:ETAG_DIGITS])
    known = parse_etags(request.headers.get("If-None-Match", ""))
    unchanged = "*" in known or etag in {value.removeprefix("W/") for value in known}
    response = Response(status=304) if unchanged else Response(document)
    response["ETag"] = etag
    return response


class Pages(CursorPagination):
    """Pages by key, newest first: no page costs more than the first, and rows that come meanwhile shift nothing."""

    ordering = ("-created_at", "-id")
    page_size = 50
    page_size_query_param = "limit"
    max_page_size = 200

    def decode_cursor(self, request: Request) -> Any:
        """The place to go on at; 404 for one that no page gave, whose position is no moment."""
        cursor: Any = super().decode_cursor(request)
        if cursor is None or cursor.position is None:
            return cursor
        try:
            moment = datetime.fromisoformat(cursor.position).astimezone(UTC)
        except (ValueError, OverflowError) as error:
            raise NotFound(self.invalid_cursor_message) from error
        return cursor._replace(position=moment.isoformat())
