"""Reads boards, results and organisations for the public pages, each in a constant number of queries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import F, QuerySet
from django.db.models.expressions import OrderBy
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from portal.accounts.models import Organisation
from portal.boards.addresses import Query, Sort
from portal.boards.paging import PAGE_ROWS, page_count
from portal.results.models import Board, Figure, Mark, Result, ResultVersion, Standing
from portal.results.standing import decisive_mark
from portal.trail.models import Event, Kind

TOP_ROWS = 3
TOP_BOARDS = 3

SORTABLE: dict[str, str] = {
    "rank": "rank",
    "organisation": "organisation_name",
    "system": "system_name",
    "valid_flops": "valid_flops",
    "flops": "flops",
    "quality": "quality",
    "factor": "factor",
    "seconds": "seconds",
    "time_to_target": "time_to_target_s",
    "accelerator": "accelerator",
    "count": "accelerator_count",
    "framework": "framework",
    "precision": "precision",
    "published": "published_at",
}
"""Sort keys of addresses and the columns they mean."""

FILTERED: dict[str, str] = {
    "accelerator": "accelerator",
    "organisation": "organisation_slug",
    "precision": "precision",
    "framework": "framework",
}
"""Filters of addresses and the columns they compare."""

FACET_LABELS: dict[str, Promise] = {
    "accelerator": _("Accelerator"),
    "organisation": _("Organisation"),
    "precision": _("Precision"),
    "framework": _("Framework"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One choice of a facet."""

    value: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Facet:
    """A filter with the values that occur on the board, and the one chosen."""

    name: str
    label: Promise
    options: tuple[Option, ...]
    chosen: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardPage:
    """One page of a board: its results in order, how many there are under the filters, and the facets."""

    results: tuple[Result, ...]
    total: int
    facets: tuple[Facet, ...]
    highest_flops: float | None

    @property
    def pages(self) -> int:
        """Pages in all, at least one."""
        return page_count(self.total)


def boards_all() -> tuple[Board, ...]:
    """Every board that has a row; one query."""
    return tuple(Board.objects.all())


def board_find(workload: str, scale: str, level: str) -> Board | None:
    """The board of that name, where something was published on it; one query."""
    return Board.objects.filter(workload=workload, scale=scale, level=level).first()


def board_rows(board: Board | None, query: Query) -> BoardPage:
    """A page of ``board``; four queries whatever its length."""
    if board is None:
        return BoardPage(results=(), total=0, facets=_facets([], query), highest_flops=None)
    listed = Result.objects.filter(board=board, standing=Standing.LISTED)
    wanted = listed.filter(**{FILTERED[name]: value for name, value in query.filters.active.items()})
    first = (query.page - 1) * PAGE_ROWS
    ordered = wanted.order_by(_order(query.sort), F("rank").asc(nulls_last=True), "pk")
    highest = listed.order_by("-valid_flops_high").values_list("valid_flops_high", flat=True).first()
    return BoardPage(
        results=tuple(ordered[first : first + PAGE_ROWS]),
        total=wanted.count(),
        facets=_facets(_combinations(listed), query),
        highest_flops=highest,
    )


def _order(sort: Sort) -> OrderBy:
    column = F(SORTABLE[sort.key])
    return column.desc(nulls_last=True) if sort.descending else column.asc(nulls_last=True)


def _combinations(listed: QuerySet[Result]) -> list[dict[str, Any]]:
    columns = (*FILTERED.values(), "organisation_name")
    return list(listed.order_by().values(*columns).distinct())


def _facets(combinations: Sequence[dict[str, Any]], query: Query) -> tuple[Facet, ...]:
    return tuple(
        Facet(
            name=name,
            label=FACET_LABELS[name],
            options=_options(combinations, column, "organisation_name" if name == "organisation" else column),
            chosen=query.filters.active.get(name, ""),
        )
        for name, column in FILTERED.items()
    )


def _options(combinations: Iterable[dict[str, Any]], value: str, label: str) -> tuple[Option, ...]:
    found = {row[value]: row[label] for row in combinations if row[value]}
    by_label: Callable[[tuple[str, str]], str] = lambda pair: pair[1].casefold()  # noqa: E731
    return tuple(Option(value=v, label=text) for v, text in sorted(found.items(), key=by_label))


@dataclass(frozen=True, slots=True, kw_only=True)
class Top:
    """The first rows of a board."""

    board: Board
    rows: tuple[Result, ...]


def tops() -> tuple[Top, ...]:
    """The first rows of the boards that were ranked last; a query for the boards and one a board, bounded."""
    boards = Board.objects.filter(listed__gt=0).order_by("-ranked_at")[:TOP_BOARDS]
    return tuple(Top(board=board, rows=_first_rows(board)) for board in boards)


def _first_rows(board: Board) -> tuple[Result, ...]:
    listed = Result.objects.filter(board=board, standing=Standing.LISTED)
    return tuple(listed.order_by(F("rank").asc(nulls_last=True), "pk")[:TOP_ROWS])


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRecord:
    """A published result with everything that its page shows. ``version`` is the one asked for."""

    result: Result
    version: ResultVersion
    versions: tuple[ResultVersion, ...]
    figures: tuple[Figure, ...]
    marks: tuple[Mark, ...]
    audited: bool

    @property
    def decisive_mark(self) -> Mark | None:
        """The mark that took the result off its board; None while it is listed."""
        return decisive_mark(self.result, self.marks)


def result_record(public_id: str, number: int | None = None) -> ResultRecord | None:
    """A result in its newest version, or in version ``number``; five queries; None where there is none."""
    result = (
        Result.objects.select_related("board", "submission__upload", "organisation").filter(public_id=public_id).first()
    )
    if result is None:
        return None
    versions = tuple(result.versions.all())
    wanted = next((v for v in versions if v.number == (result.version_number if number is None else number)), None)
    if wanted is None:
        return None
    return ResultRecord(
        result=result,
        version=wanted,
        versions=versions,
        figures=tuple(wanted.figures.all()),
        marks=tuple(result.marks.all()),
        audited=hold_was_accepted(result.submission.public_id),
    )


def hold_was_accepted(submission_id: str) -> bool:
    """Whether an auditor decided to accept the held submission: the trail names who did; a verifier is nobody."""
    return Event.objects.filter(subject=submission_id, kind=Kind.SUBMISSION_VERIFY).exclude(actor="").exists()


def figure_find(public_id: str, number: int, name: str) -> Figure | None:
    """A stored figure of a version; one query."""
    return Figure.objects.filter(version__result__public_id=public_id, version__number=number, name=name).first()


def organisation_find(slug: str) -> Organisation | None:
    """An organisation by its slug, with its signing keys; two queries."""
    return Organisation.objects.prefetch_related("signing_keys").filter(slug=slug).first()


def organisation_results(organisation: Organisation) -> QuerySet[Result]:
    """Everything that an organisation has published, newest first, withdrawn results included."""
    return organisation.results.select_related("board").order_by("-published_at", "-pk")
