"""Published results: the canonical document with its marks and versions, and the evidence."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from portal.api.base import PublicView, conditional, share
from portal.api.describe import PUBLIC, UNCHANGED, errors, one
from portal.api.serializers_boards import ResultSerializer
from portal.api.views.submissions import BUNDLE, BundleRenderer, bundle_file
from portal.boards import selectors
from portal.boards.selectors import ResultRecord


def _record(public_id: str, number: int | None) -> ResultRecord:
    record = selectors.result_record(public_id, number)
    if record is None:
        raise Http404
    return record


def _number(text: str | None) -> int | None:
    """The version asked for; one that is no number is not there."""
    if text is None:
        return None
    if not text.isascii() or not text.isdecimal() or len(text) > 6:
        raise Http404
    return int(text)


class ResultView(PublicView):
    """One published result."""

    @extend_schema(
        operation_id="result",
        summary="A published result",
        parameters=[OpenApiParameter("version", int, description="a version by number; else the newest")],
        responses={
            200: one(ResultSerializer),
            304: UNCHANGED,
            **errors(*PUBLIC, "request.not_found"),
        },
    )
    def get(self, request: Request, public_id: str) -> Response:
        """The record with its SHA-256. Withdrawn and disqualified results stay, with the reason among the marks."""
        record = _record(public_id, _number(request.query_params.get("version")))
        response = conditional(request, ResultSerializer(_fields(record)).data)
        share(response)
        return response


def _fields(record: ResultRecord) -> dict[str, Any]:
    board = record.result.board
    return {
        "row": record.result,
        "workload": board.workload,
        "scale": board.scale,
        "level": board.level,
        "standing": record.result.standing,
        "marks": record.marks,
        "versions": record.versions,
        "version": record.version.number,
        "sha256": record.version.sha256,
        "document": record.version.document,
    }


class ResultBundleView(PublicView):
    """The evidence of one published result."""

    renderer_classes = (BundleRenderer, JSONRenderer)  # type: ignore[assignment]

    @extend_schema(
        operation_id="result_bundle",
        summary="Download a published bundle",
        responses={
            **BUNDLE,
            **errors(*PUBLIC, "request.not_found"),
        },
    )
    def get(self, request: Request, public_id: str) -> HttpResponseBase:
        """The file as it was handed in; `vflops verify` judges it anywhere."""
        return bundle_file(_record(public_id, None).result.submission)
