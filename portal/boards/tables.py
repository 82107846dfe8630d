"""A board's page as the template shows it: column heads with their addresses, rows with spread and marks."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from portal.boards.addresses import Filters, Query, Sort
from portal.boards.marks import Badge, badges
from portal.boards.selectors import BoardPage, Facet
from portal.results.models import Result

SPREAD_WIDTH = 128
"""Width of the spread's drawing in its own units; its scale runs from 0 to the board's highest run."""
NARROWEST = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What a table can be sorted by: its key and label, and whether its first click sorts from high to low."""

    key: str
    label: str | Promise
    high_first: bool = False


HEADS: tuple[tuple[str, tuple[Head, ...]], ...] = (
    ("rank", (Head(key="rank", label=_("Rank")),)),
    ("who", (Head(key="organisation", label=_("Organisation")), Head(key="system", label=_("System")))),
    ("num", (Head(key="valid_flops", label=_("Valid FLOPS"), high_first=True),)),
    ("num", (Head(key="flops", label=_("FLOPS"), high_first=True),)),
    (
        "num",
        (
            Head(key="quality", label=_("Quality"), high_first=True),
            Head(key="factor", label=_("Factor"), high_first=True),
        ),
    ),
    ("num", (Head(key="seconds", label=_("Time per run")), Head(key="time_to_target", label=_("To target")))),
    ("", (Head(key="accelerator", label=_("Accelerator")), Head(key="count", label=_("Count"), high_first=True))),
    ("", (Head(key="framework", label=_("Framework")), Head(key="precision", label=_("Precision")))),
    ("", (Head(key="published", label=_("Published"), high_first=True),)),
)
"""Columns by style and what they can be sorted by: a column of two figures has the second below the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SortLink:
    """A way to sort as shown: where a click leads, and an arrow where the table is sorted so now."""

    key: str
    label: str | Promise
    url: str
    arrow: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column head as shown; ``aria_sort`` is empty where the table is sorted by none of its figures."""

    css: str
    links: tuple[SortLink, ...]
    aria_sort: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """The counted runs' range and the score, in units of the drawing."""

    low: float
    width: float
    point: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One result with what is drawn beside its figures."""

    result: Result
    spread: Spread
    marks: tuple[Badge, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A whole page of a board."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    facets: tuple[Facet, ...]
    filters: Filters
    sort: Sort
    total: int
    number: int
    pages: int
    previous_url: str
    next_url: str

    @property
    def sorted_by(self) -> str | Promise:
        """The label of the column in use."""
        return next(link.label for column in self.columns for link in column.links if link.arrow)


def table(page: BoardPage, query: Query, path: str) -> Table:
    """``page`` as it is shown under ``path``."""
    number, pages = query.page, page.pages
    return Table(
        columns=tuple(_column(css, heads, query, path) for css, heads in HEADS),
        rows=tuple(_row(result, page.highest_flops or 0.0) for result in page.results),
        facets=page.facets,
        filters=query.filters,
        sort=query.sort,
        total=page.total,
        number=number,
        pages=pages,
        previous_url=query.address(path, page=number - 1) if number > 1 else "",
        next_url=query.address(path, page=number + 1) if number < pages else "",
    )


def _column(css: str, heads: tuple[Head, ...], query: Query, path: str) -> Column:
    active = any(head.key == query.sort.key for head in heads)
    direction = "descending" if query.sort.descending else "ascending"
    links = tuple(_link(head, query, path) for head in heads)
    return Column(css=css, links=links, aria_sort=direction if active else "")


def _link(head: Head, query: Query, path: str) -> SortLink:
    active, descending = query.sort.key == head.key, query.sort.descending
    following = Sort(key=head.key, descending=not descending if active else head.high_first)
    arrow = "\N{DOWNWARDS ARROW}" if descending else "\N{UPWARDS ARROW}"
    url = query.address(path, sort=following)
    return SortLink(key=head.key, label=head.label, url=url, arrow=arrow if active else "")


def _row(result: Result, highest: float) -> Row:
    return Row(result=result, spread=spread(result, highest), marks=badges(result))


def spread(result: Result, highest: float) -> Spread:
    """The range of a result's counted runs on the board's scale; never narrower than can be seen."""
    scale = SPREAD_WIDTH / highest if highest > 0 else 0.0
    low, high = result.valid_flops_low * scale, result.valid_flops_high * scale
    width = max(high - low, NARROWEST)
    return Spread(
        low=round(min(low, SPREAD_WIDTH - width), 2), width=round(width, 2), point=round(result.valid_flops * scale, 2)
    )
