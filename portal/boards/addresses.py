"""What a board's address may ask for: filters, sort and page, typed at the door."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from urllib.parse import urlencode

from django.core.exceptions import BadRequest

VALUE_LIMIT = 100
"""Characters of a filter's value: as long as the longest column it is compared with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Equalities on a board's columns; an empty string leaves a column alone."""

    accelerator: str = ""
    organisation: str = ""
    precision: str = ""
    framework: str = ""

    @property
    def active(self) -> dict[str, str]:
        """The filters in use, by name."""
        return {f.name: value for f in fields(self) if (value := getattr(self, f.name))}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sort:
    """A column's key and a direction. ``address`` is how it stands in an address; empty for the board's own order."""

    key: str = "rank"
    descending: bool = False

    @property
    def address(self) -> str:
        """``-flops`` for FLOPS from high to low; empty for the rank's own order."""
        if self == Sort():
            return ""
        return f"-{self.key}" if self.descending else self.key


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Everything that a board's address asks for."""

    filters: Filters = Filters()
    sort: Sort = Sort()
    page: int = 1

    def address(self, path: str, *, sort: Sort | None = None, page: int = 1) -> str:
        """The address of the same board and filters with another sort or page; a new sort starts at page 1."""
        parameters = dict(self.filters.active)
        if order := (sort or self.sort).address:
            parameters["sort"] = order
        if page > 1:
            parameters["page"] = str(page)
        return f"{path}?{urlencode(parameters)}" if parameters else path


def parse_query(values: Mapping[str, str], sortable: frozenset[str]) -> Query:
    """The typed form of an address's parameters; raises BadRequest where one cannot be meant."""
    return Query(
        filters=Filters(**{f.name: _text(values.get(f.name, "")) for f in fields(Filters)}),
        sort=_sort(values.get("sort", ""), sortable),
        page=parse_page(values),
    )


def _text(value: str) -> str:
    if len(value) > VALUE_LIMIT or "\0" in value:
        raise BadRequest("filter too long")
    return value


def _sort(value: str, sortable: frozenset[str]) -> Sort:
    if not value:
        return Sort()
    key = value.removeprefix("-")
    if key not in sortable:
        raise BadRequest("unknown sort column")
    return Sort(key=key, descending=value.startswith("-"))


def parse_page(values: Mapping[str, str]) -> int:
    """The number of the page asked for, 1 where none is; raises BadRequest where it is no positive number."""
    value = values.get("page", "1")
    if not (value.isascii() and value.isdigit() and 1 <= len(value) <= 6 and int(value) > 0):
        raise BadRequest("page is no positive number")
    return int(value)
