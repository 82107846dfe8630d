"""Order: the one function that gives ranks; pages, API and exports read what it gave."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What is ranked: a score, higher is better, with the interval of the runs that it came from.

    ``key`` is any stable identifier; it decides the place (never the rank) of entries that are equal.
    """

    key: str
    score: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """An entry's place. ``rank`` is None where there is no score.

    ``tied``: another entry has the same score. ``separated``: the interval does not overlap the one of the entry
    directly above, so the order of these two is more than noise; the first entry is always separated.
    """

    key: str
    rank: int | None
    tied: bool
    separated: bool


def rank(entries: Iterable[Entry]) -> tuple[Ranked, ...]:
    """Entries from best to worst; equal scores share a rank and the next rank is skipped (1, 1, 3).

    Missing and non-finite scores come last, without a rank. The result does not depend on the order of ``entries``.
    """
    given = list(entries)
    scored = sorted((e for e in given if _is_finite(e.score)), key=lambda e: (-_score(e), e.key))
    unscored = sorted((e for e in given if not _is_finite(e.score)), key=lambda e: e.key)
    return (*_placed(scored), *(Ranked(key=e.key, rank=None, tied=False, separated=False) for e in unscored))


def _placed(scored: Sequence[Entry]) -> Iterator[Ranked]:
    sharing = Counter(map(_score, scored))
    above: Entry | None = None
    current = 0
    for place, entry in enumerate(scored, start=1):
        if above is None or _score(entry) != _score(above):
            current = place
        separated = above is None or _separated(above, entry)
        yield Ranked(key=entry.key, rank=current, tied=sharing[_score(entry)] > 1, separated=separated)
        above = entry


def _separated(above: Entry, entry: Entry) -> bool:
    lowest_above = above.low if above.low is not None else _score(above)
    highest = entry.high if entry.high is not None else _score(entry)
    return highest < lowest_above


def _is_finite(score: float | None) -> bool:
    return score is not None and math.isfinite(score)


def _score(entry: Entry) -> float:
    return entry.score if entry.score is not None else -math.inf
