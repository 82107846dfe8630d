"""A published result: its page, and everything on it that can be downloaded."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.files.storage import default_storage
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from portal.boards import selectors
from portal.boards.caching import public_page
from portal.boards.captions import caption
from portal.boards.catalogue import definition_of, entry
from portal.boards.citations import bibtex
from portal.boards.marks import NOT_PROVEN, trust
from portal.boards.phases import strips
from portal.boards.selectors import ResultRecord
from portal.boards.systems import packages, system_facts
from portal.boards.workings import workings
from ranking.evidence import canonical
from workloads.definition import Direction

PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""A stored picture styles itself inline and may do nothing else, also when it is opened alone."""


def _record(public_id: str, number: int | None = None) -> ResultRecord:
    record = selectors.result_record(public_id, number)
    if record is None:
        raise Http404("no such result")
    return record


@public_page
def result(request: HttpRequest, public_id: str) -> HttpResponse:
    """A result in its newest version."""
    return _page(request, _record(public_id))


@public_page
def version(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    """A result in a stated version; older ones stay."""
    return _page(request, _record(public_id, number))


def _page(request: HttpRequest, record: ResultRecord) -> HttpResponse:
    return render(request, "boards/result.html", _context(record))


def _context(record: ResultRecord) -> dict[str, Any]:
    document = record.version.document
    definition = definition_of(record.result.board.workload, record.result.board.scale)
    lower = definition is not None and definition.metric.direction is Direction.LOWER
    address = permanent_address(record)
    return {
        "record": record,
        "result": record.result,
        "document": document,
        "board": entry(record.result.board),
        "definition": definition,
        "steps": workings(document, lower_is_better=lower),
        "system_facts": system_facts(document),
        "packages": packages(document),
        "figures": [(figure, caption(document, figure.name)) for figure in record.figures],
        "phases": strips(document["runs"]),
        "trust": trust(record.result, audited=record.audited),
        "not_proven": NOT_PROVEN,
        "address": address,
        "canonical_url": address,
        "bibtex": bibtex(record.result, address),
        "section": "boards",
    }


def permanent_address(record: ResultRecord) -> str:
    """The address under which this result stays for ever."""
    return f"{settings.SITE_URL}{reverse('boards:result', args=[record.result.public_id])}"


@public_page
def picture(_request: HttpRequest, public_id: str, number: int, name: str) -> HttpResponse:
    """A stored figure as SVG."""
    figure = selectors.figure_find(public_id, number, name)
    if figure is None:
        raise Http404("no such figure")
    response = HttpResponse(figure.svg, content_type="image/svg+xml")
    response["Content-Security-Policy"] = PICTURE_POLICY
    return response


@public_page
def document(_request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    """The record itself in its canonical form, byte for byte as it was hashed."""
    return HttpResponse(canonical.dumps(_record(public_id, number).version.document), content_type="application/json")


@public_page
def report(_request: HttpRequest, public_id: str) -> HttpResponse:
    """The newest version's verification report as JSON."""
    return JsonResponse(_record(public_id).version.document, json_dumps_params={"indent": 2, "ensure_ascii": False})


@public_page
def citation(_request: HttpRequest, public_id: str) -> HttpResponse:
    """A BibTeX entry."""
    record = _record(public_id)
    return HttpResponse(
        bibtex(record.result, permanent_address(record)), content_type="application/x-bibtex; charset=utf-8"
    )


@require_safe
def bundle(_request: HttpRequest, public_id: str) -> HttpResponseBase:
    """The evidence as it was handed in, streamed from storage."""
    found = _record(public_id).result
    upload = found.submission.upload
    response = FileResponse(
        default_storage.open(upload.storage_name, "rb"), as_attachment=True, filename=f"{found.public_id}.vflops"
    )
    response["ETag"] = f'"{upload.sha256}"'
    return response
