"""What a board's address may ask for."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest
from django.core.exceptions import BadRequest
from hypothesis import given
from hypothesis import strategies as st

from portal.boards.addresses import Filters, Query, Sort, parse_query
from portal.boards.selectors import SORTABLE

KEYS = frozenset(SORTABLE)


def test_an_empty_address_is_the_whole_board_by_rank() -> None:
    """And its own address is the bare path."""
    query = parse_query({}, KEYS)
    assert query == Query()
    assert query.address("/b/") == "/b/"


@given(
    st.builds(
        Query,
        filters=st.builds(Filters, accelerator=st.text(max_size=40).filter(lambda t: "\0" not in t)),
        sort=st.builds(Sort, key=st.sampled_from(sorted(KEYS)), descending=st.booleans()),
        page=st.integers(1, 99),
    )
)
def test_an_address_comes_back_as_the_query_it_was_made_from(query: Query) -> None:
    """Every filter, sort and page."""
    parameters = dict(parse_qsl(urlsplit(query.address("/b/", page=query.page)).query, keep_blank_values=True))
    assert parse_query(parameters, KEYS) == query


@pytest.mark.parametrize(
    "values",
    [
        {"sort": "password"},
        {"sort": "--rank"},
        {"page": "0"},
        {"page": "-1"},
        {"page": "1.5"},
        {"page": "\N{ARABIC-INDIC DIGIT ONE}"},
        {"page": "9999999"},
        {"accelerator": "x" * 101},
        {"framework": "a\0b"},
    ],
)
def test_what_cannot_be_meant_is_refused(values: dict[str, str]) -> None:
    """By 400, never by a silent default."""
    with pytest.raises(BadRequest):
        parse_query(values, KEYS)


def test_a_new_sort_keeps_the_filters_and_starts_at_page_one() -> None:
    """Page 7 of another order is no place that anybody was at."""
    query = Query(filters=Filters(precision="fp32"), page=7)
    assert query.address("/b/", sort=Sort(key="flops", descending=True)) == "/b/?precision=fp32&sort=-flops"
