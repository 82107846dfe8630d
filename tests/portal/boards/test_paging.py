"""Long lists are shown in pages: nothing is cut off in silence."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from portal.boards import paging
from tests.portal.boards.conftest import Publisher

PAGE = "/organisations/laboratory/"


@pytest.fixture(autouse=True)
def short_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two rows a page."""
    monkeypatch.setattr(paging, "PAGE_ROWS", 2)


def test_an_organisations_older_results_stand_on_further_pages(client: Client, published: Publisher) -> None:
    """Every result once, newest first."""
    made = [published(str(number), 1e9 + number * 1e8).public_id for number in range(5)]
    pages = [client.get(f"{PAGE}?page={number}").content.decode() for number in (1, 2, 3)]
    assert [[one for one in reversed(made) if one in html] for html in pages] == [
        [made[4], made[3]],
        [made[2], made[1]],
        [made[0]],
    ]
    assert "Page 2 of 3" in pages[1]
    assert 'href="?page=1"' in pages[1]
    assert 'href="?page=3"' in pages[1]
    assert "page=4" not in pages[2]


@pytest.mark.parametrize(("page", "status"), [("1", 200), ("2", 404), ("0", 400), ("x", 400)])
def test_pages_that_do_not_exist_are_refused(client: Client, published: Publisher, page: str, status: int) -> None:
    """Never an empty table."""
    published("only")
    assert client.get(f"{PAGE}?page={page}").status_code == status


def test_an_organisations_page_takes_as_many_queries_for_two_rows_as_for_one(
    client: Client, published: Publisher, django_assert_num_queries: Callable[..., object]
) -> None:
    """Organisation, keys, number of results, results."""
    for name in ("a", "b"):
        published(name)
        with django_assert_num_queries(4):  # type: ignore[attr-defined]
            client.get(PAGE)
