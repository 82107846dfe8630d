"""Long lists in pages: which rows, and where the pages before and after are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.db.models import Model, QuerySet
from django.http import Http404

from portal.boards.addresses import parse_page

PAGE_ROWS = 100
"""Rows a page: a screenful of screens, and far below what a browser lays out in a tenth of a second."""

M = TypeVar("M", bound=Model)
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[T]):
    """One page of a list. ``total`` counts the rows of all pages."""

    rows: Sequence[T]
    number: int
    total: int

    @property
    def pages(self) -> int:
        """Pages in all, at least one."""
        return page_count(self.total)

    @property
    def previous_url(self) -> str:
        """Relative address of the page before; empty on the first."""
        return f"?page={self.number - 1}" if self.number > 1 else ""

    @property
    def next_url(self) -> str:
        """Relative address of the page after; empty on the last."""
        return f"?page={self.number + 1}" if self.number < self.pages else ""


def page_count(total: int) -> int:
    """Pages that ``total`` rows fill, at least one."""
    return max(1, -(-total // PAGE_ROWS))


def page_of(rows: QuerySet[M], values: Mapping[str, str]) -> Page[M]:
    """The page of ``rows`` that an address's parameters ask for, in two queries; 404 beyond the last one."""
    number, total = parse_page(values), rows.count()
    if number > page_count(total):
        raise Http404("no such page")
    first = (number - 1) * PAGE_ROWS
    return Page(rows=tuple(rows[first : first + PAGE_ROWS]), number=number, total=total)
