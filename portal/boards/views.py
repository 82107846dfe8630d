"""Home, boards and organisations: public pages, the same for everybody."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.views.decorators.http import require_safe

from portal.boards import selectors
from portal.boards.addresses import parse_query
from portal.boards.caching import public_page
from portal.boards.catalogue import Entry, catalogue, definition_of, entry, siblings
from portal.boards.marks import ROW_MARKS
from portal.boards.paging import page_of
from portal.boards.tables import table
from workloads.definition import Level

SORT_KEYS = frozenset(selectors.SORTABLE)


@public_page
def home(request: HttpRequest) -> HttpResponse:
    """The metric in one picture, the top of the boards, and how to take part."""
    tops = [{"board": entry(top.board), "rows": top.rows} for top in selectors.tops()]
    return render(request, "boards/home.html", {"tops": tops})


@public_page
def index(request: HttpRequest) -> HttpResponse:
    """All boards."""
    context = {"workloads": catalogue(selectors.boards_all()), "levels": tuple(Level), "section": "boards"}
    return render(request, "boards/index.html", context)


@public_page
def board(request: HttpRequest, workload: str, scale: str, level: str) -> HttpResponse:
    """One ranking, filtered and sorted as the address says."""
    row = selectors.board_find(workload, scale, level)
    definition = definition_of(workload, scale)
    if row is None and (definition is None or level not in set(Level)):
        raise Http404("no such board")
    query = parse_query(request.GET, SORT_KEYS)
    page = selectors.board_rows(row, query)
    if query.page > page.pages:
        raise Http404("no such page")
    others = siblings(workload, catalogue(selectors.boards_all()))
    shown = entry(row) if row else Entry(workload=workload, scale=scale, level=level)
    context = {
        "board": shown,
        "definition": definition,
        "scales": [other for other in others if other.level == level],
        "levels": [other for other in others if other.scale == scale],
        "page": table(page, query, shown.url),
        "row_marks": ROW_MARKS,
        "section": "boards",
    }
    return render(request, "boards/board.html", context)


@public_page
def organisation(request: HttpRequest, slug: str) -> HttpResponse:
    """An organisation and everything that it has published."""
    found = selectors.organisation_find(slug)
    if found is None:
        raise Http404("no such organisation")
    page = page_of(selectors.organisation_results(found), request.GET)
    results = [(entry(result.board), result) for result in page.rows]
    context = {"organisation": found, "page": page, "results": results, "section": "boards"}
    return render(request, "boards/organisation.html", context)


@require_safe
def favicon(_request: HttpRequest) -> HttpResponse:
    """Where browsers look for the icon of an answer that is no page."""
    return redirect(static("img/favicon.svg"))
