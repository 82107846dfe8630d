"""A board's page: order, ranks, filters, marks and empty states."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.test import Client

from portal.boards.marks import ROW_MARKS
from portal.boards.selectors import SORTABLE
from portal.results.services import result_withdraw
from tests.portal.api.world import World
from tests.portal.boards.conftest import BOARD, Publisher


def rows(html: str) -> list[str]:
    """The table's rows as plain text."""
    body = html.partition("<tbody>")[2].partition("</tbody>")[0]
    texts = (re.sub(r"<[^>]+>", " ", part) for part in body.split("<tr>")[1:])
    return [re.sub(r"\s+", " ", text).strip() for text in texts]


def ranks(html: str) -> list[str]:
    """The first cell of every row."""
    return [row.split()[0] for row in rows(html)]


def get(client: Client, query: str = "") -> str:
    """The board's HTML."""
    response = client.get(BOARD + query)
    assert response.status_code == 200
    return response.content.decode()


def test_10_giga_ranks_before_9_giga(client: Client, published: Publisher) -> None:
    """Numbers, not text."""
    published("nine", 9e9)
    published("ten", 10e9)
    found = rows(get(client))
    assert "10.00" in found[0]
    assert "9.000" in found[1]


def test_a_tie_shares_its_rank_and_says_so(client: Client, published: Publisher) -> None:
    """Twice first, then third."""
    for name, flops in (("a", 2e9), ("b", 2e9), ("c", 1e9)):
        published(name, flops)
    assert ranks(get(client)) == ["=1", "=1", "3"]


def test_what_stands_in_a_row_is_explained_below_in_words(client: Client, published: Publisher) -> None:
    """Not in tooltips, which neither fingers nor keyboards reach."""
    published("a")
    html = get(client)
    legend = html.partition('class="legend"')[2].partition("</dl>")[0]
    for mark in ROW_MARKS:
        assert str(mark.label) in legend
        assert str(mark.title) in legend
    assert "A rank after an equals sign is shared" in legend
    assert "title=" not in html.partition("<tbody>")[2].partition("</tbody>")[0]


def test_news_of_the_table_are_told_by_a_region_that_stays(client: Client, published: Publisher) -> None:
    """A live region inside what is swapped would be new each time, and silent."""
    published("a")
    html = get(client)
    swapped = html.partition('id="board"')[2].partition("</main>")[0]
    assert 'role="status"' not in swapped
    assert "data-announce" in swapped
    assert 'id="announcer"' in html.partition("</main>")[2]


def test_runs_that_overlap_are_not_separated(client: Client, published: Publisher) -> None:
    """The row says that the order could be chance."""
    published("a", 1.000e9)
    published("b", 1.001e9)
    published("far", 5e9)
    found = rows(get(client))
    assert any("not separated" in row for row in found[1:])
    assert "not separated" not in found[0]


def test_a_filter_keeps_the_ranks_of_the_whole_board(client: Client, published: Publisher) -> None:
    """Second of the board stays second when it is alone."""
    published("fast", 2e9)
    published("slow", 1e9, precision="bf16")
    html = get(client, "?precision=bf16")
    assert ranks(html) == ["2"]
    assert "ranks are those of the whole board" in html


@pytest.mark.parametrize("key", sorted(SORTABLE))
def test_every_column_sorts_both_ways(client: Client, published: Publisher, key: str) -> None:
    """The other way is the reverse, as far as values differ."""
    accelerators = [{"name": n, "canonical": n, "count": c, "vendor": "v"} for n, c in (("A", 1), ("B", 2), ("C", 3))]
    for number, (flops, accelerator) in enumerate(zip((3e9, 2e9, 1e9), accelerators, strict=True)):
        figures = {"quality": 0.9 + number / 100, "factor": 1 + number, "seconds": 9.0 - number}
        figures["time_to_target_s"] = 5.0 + number
        framework, precision = f"F {number}", ("bf16", "fp16", "fp32")[number]
        published(
            str(number), flops, figures=figures, accelerator=accelerator, framework=framework, precision=precision
        )
    ascending, descending = (ranks(get(client, f"?sort={sign}{key}")) for sign in ("", "-"))
    same_for_all = key in {"organisation", "system"}
    assert descending == (ascending if same_for_all else ascending[::-1])
    assert sorted(ascending) == ["1", "2", "3"]


def test_a_missing_value_comes_last_both_ways(client: Client, published: Publisher) -> None:
    """A target that was not reached is no short time."""
    published("reached", 2e9)
    published("missed", 1e9, figures={"time_to_target_s": None})
    for query in ("?sort=time_to_target", "?sort=-time_to_target"):
        assert ranks(get(client, query)) == ["1", "2"]


def test_the_column_in_use_says_how_it_is_sorted(client: Client, published: Publisher) -> None:
    """For readers that cannot see the arrow."""
    published("a")
    html = get(client, "?sort=-flops")
    assert html.count("aria-sort") == 1
    assert 'aria-sort="descending"' in html
    assert "sorted by FLOPS, descending" in html
    assert 'href="/boards/image_classification/smoke/hardware/?sort=flops"' in html


def test_an_empty_board_says_how_to_open_it(client: Client, db: None) -> None:
    """No table of nothing."""
    html = get(client)
    assert "No ranked result stands on this board" in html
    assert "<table" not in html


def test_filters_that_match_nothing_offer_the_whole_board(client: Client, published: Publisher) -> None:
    """And not the sentence of an empty board."""
    published("a")
    html = get(client, "?framework=nothing")
    assert "No result of this board matches these filters" in html


def test_a_withdrawn_result_leaves_the_board_and_keeps_its_page(
    client: Client, published: Publisher, world: World
) -> None:
    """Its page says why."""
    result = published("a")
    result_withdraw(result=result, user=world.alice, reason="wrong machine")
    assert "No ranked result stands on this board" in get(client)
    page = client.get(f"/results/{result.public_id}/").content.decode()
    assert "holds no rank" in page
    banner = page[page.index("notice-bad") : page.index('id="score"')]
    assert "withdrawn by its organisation" in banner
    assert "wrong machine" in banner
    assert f'datetime="{result.marks.get().created_at:%Y-%m-%dT%H:%M:%SZ}"' in banner
    assert "No ranked result stands on any board" in client.get("/").content.decode()


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/boards/image_classification/smoke/nonsense/", 404),
        ("/boards/nonsense/smoke/hardware/", 404),
        (f"{BOARD}?page=2", 404),
        (f"{BOARD}?sort=password", 400),
        (f"{BOARD}?page=x", 400),
    ],
)
def test_boards_that_do_not_exist_and_addresses_that_mean_nothing(
    client: Client, db: None, path: str, status: int
) -> None:
    """Refused, never guessed."""
    assert client.get(path).status_code == status


def test_names_are_shown_as_text(client: Client, published: Publisher) -> None:
    """A system called like a tag is no tag."""
    published("a", framework="<script>alert(1)</script>")
    html = get(client)
    assert "<script>alert(1)" not in html
    assert "&lt;script&gt;alert(1)" in html


def test_a_board_takes_as_many_queries_for_ten_rows_as_for_one(
    client: Client, published: Publisher, django_assert_num_queries: Callable[..., object]
) -> None:
    """Constant, whatever its length."""
    published("first")
    with django_assert_num_queries(6):  # type: ignore[attr-defined]
        get(client)
    for number in range(9):
        published(str(number), 1e9 + number * 1e8)
    with django_assert_num_queries(6):  # type: ignore[attr-defined]
        assert len(rows(get(client))) == 10
