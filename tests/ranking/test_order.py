"""Ranks: ties, missing scores, overlapping intervals, and independence of the order of entry."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.order import Entry, Ranked, rank

TABLE: list[tuple[list[float | None], list[int | None]]] = [
    ([], []),
    ([None], [None]),
    ([3.0], [1]),
    ([1.0, 2.0, 3.0], [3, 2, 1]),
    ([5.0, 5.0, 4.0], [1, 1, 3]),
    ([5.0, 4.0, 4.0, 3.0], [1, 2, 2, 4]),
    ([7.0, 7.0, 7.0], [1, 1, 1]),
    ([None, 1.0, None, 2.0], [None, 2, None, 1]),
    ([math.nan, 1.0], [None, 1]),
    ([math.inf, 1.0, -math.inf], [None, 1, None]),
    ([0.0, -1.0, None], [1, 2, None]),
    ([9.9, 10.0, 100.0], [3, 2, 1]),
    ([1e18, 1e18 + 256, 2e18], [3, 2, 1]),
]


@pytest.mark.parametrize(("scores", "expected"), TABLE)
def test_table_of_expected_ranks(scores: list[float | None], expected: list[int | None]) -> None:
    ranked = {r.key: r.rank for r in rank(Entry(key=f"{i}", score=s) for i, s in enumerate(scores))}
    assert [ranked[f"{i}"] for i in range(len(scores))] == expected


def test_missing_scores_come_last_whatever_their_key() -> None:
    assert [r.key for r in rank([Entry(key="a", score=None), Entry(key="z", score=1.0)])] == ["z", "a"]


def test_tied_entries_are_marked_and_ordered_by_key() -> None:
    ranked = rank([Entry(key="b", score=2.0), Entry(key="c", score=1.0), Entry(key="a", score=2.0)])
    assert [(r.key, r.rank, r.tied) for r in ranked] == [("a", 1, True), ("b", 1, True), ("c", 3, False)]


@pytest.mark.parametrize(
    ("low_above", "high_below", "separated"),
    [(9.5, 9.0, True), (9.0, 9.0, False), (8.0, 9.0, False), (None, 9.0, True), (9.0, None, True)],
)
def test_separated_only_where_intervals_do_not_touch(
    low_above: float | None, high_below: float | None, separated: bool
) -> None:
    above = Entry(key="above", score=10.0, low=low_above, high=10.5)
    below = Entry(key="below", score=8.5, low=8.0, high=high_below)
    assert rank([above, below])[1] == Ranked(key="below", rank=2, tied=False, separated=separated)


def test_the_first_is_separated_and_the_unranked_are_not() -> None:
    first, last = rank([Entry(key="a", score=1.0), Entry(key="b", score=None)])
    assert (first.separated, last.separated) == (True, False)


SCORES = st.lists(st.one_of(st.none(), st.floats(), st.integers(0, 3).map(float)), max_size=12)


@given(SCORES, st.randoms(use_true_random=False))
def test_order_of_entry_changes_nothing(scores: list[float | None], random: object) -> None:
    entries = [Entry(key=f"{i:02}", score=s, low=s, high=s) for i, s in enumerate(scores)]
    shuffled = list(entries)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert rank(shuffled) == rank(entries)


@given(SCORES)
def test_a_rank_is_one_more_than_the_number_of_better_scores(scores: list[float | None]) -> None:
    finite = [s for s in scores if s is not None and math.isfinite(s)]
    ranked = {r.key: r for r in rank(Entry(key=f"{i}", score=s) for i, s in enumerate(scores))}
    for i, score in enumerate(scores):
        known = score is not None and math.isfinite(score)
        expected = 1 + sum(other > score for other in finite) if known and score is not None else None
        assert ranked[f"{i}"].rank == expected
        assert ranked[f"{i}"].tied == (known and finite.count(score) > 1 if score is not None else False)
