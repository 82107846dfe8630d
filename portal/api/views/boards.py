"""Boards: the very rows that the pages show, as JSON and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.http import Http404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from portal.api.base import PublicView, conditional, share
from portal.api.describe import PUBLIC, UNCHANGED, errors, one
from portal.api.serializers_boards import (
    UNITS,
    BoardDetailSerializer,
    BoardListSerializer,
    BoardRowSerializer,
)
from portal.boards import selectors
from portal.boards.addresses import Query, parse_query
from portal.boards.catalogue import catalogue, definition_of
from portal.boards.selectors import BoardPage
from workloads.definition import Level

SORT_KEYS = frozenset(selectors.SORTABLE)
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""First characters by which a spreadsheet takes a text for a formula; names of organisations come from outside."""

QUERY = [
    OpenApiParameter("sort", str, enum=sorted([*SORT_KEYS, *(f"-{key}" for key in SORT_KEYS)]), description="column"),
    OpenApiParameter("page", int, description="from 1"),
    *(OpenApiParameter(name, str, description="only these rows") for name in selectors.FILTERED),
]


class BoardsView(PublicView):
    """All boards."""

    @extend_schema(
        operation_id="boards", summary="All boards", responses={200: one(BoardListSerializer), **errors(*PUBLIC)}
    )
    def get(self, request: Request) -> Response:
        """One board a workload, scale and level, with the number of results on each."""
        groups = catalogue(selectors.boards_all())
        boards = [board for group in groups for scale in group.scales for board in scale.boards]
        rows = [
            {
                "workload": board.workload,
                "scale": board.scale,
                "level": str(board.level),
                "listed": board.listed,
                "address": settings.SITE_URL + board.url,
            }
            for board in boards
        ]
        response = conditional(request, BoardListSerializer({"results": rows}).data)
        share(response)
        return response


class BoardCSVRenderer(BaseRenderer):
    """The rows of a board as CSV, one line of heads with units first."""

    media_type = "text/csv"
    format = "csv"

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        """The table; errors always come as JSON."""
        if "results" not in (data or {}):
            return JSONRenderer().render(data)
        return board_csv(data["results"]).encode("utf-8")


def board_csv(rows: list[Mapping[str, Any]]) -> str:
    """Lines of CSV (RFC 4180); an empty field is a figure that there is not."""
    names = BoardRowSerializer.Meta.fields
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow([f"{name} [{UNITS[name]}]" if name in UNITS else name for name in names])
    writer.writerows([_cell(row[name]) for name in names] for row in rows)
    return out.getvalue()


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_STARTS) else value


class BoardView(PublicView):
    """One board."""

    renderer_classes = (JSONRenderer, BoardCSVRenderer)  # type: ignore[assignment]

    @extend_schema(
        operation_id="board",
        summary="A board",
        parameters=QUERY,
        responses={
            (200, "application/json"): one(BoardDetailSerializer),
            (200, "text/csv"): OpenApiResponse(OpenApiTypes.STR, description="The rows, heads with units first."),
            304: UNCHANGED,
            **errors(*PUBLIC, "request.not_found", "request.refused"),
        },
    )
    def get(self, request: Request, workload: str, scale: str, level: str) -> Response:
        """A page of the board, filtered and sorted as asked; ask for text/csv, or with format=csv, to get CSV."""
        query = parse_query(request.query_params, SORT_KEYS)
        page = _page(workload, scale, level, query)
        names = {"workload": workload, "scale": scale, "level": level, "units": dict(UNITS)}
        sizes = {"total": page.total, "page": query.page, "pages": page.pages}
        response = conditional(request, BoardDetailSerializer({**names, **sizes, "results": page.results}).data)
        share(response)
        return response


def _page(workload: str, scale: str, level: str, query: Query) -> BoardPage:
    """The rows; 404 for a board that no definition allows, and for a page after the last."""
    board = selectors.board_find(workload, scale, level)
    if board is None and (definition_of(workload, scale) is None or level not in set(Level)):
        raise Http404
    page = selectors.board_rows(board, query)
    if query.page > page.pages:
        raise Http404
    return page
