"""Findings: what one rule says of a submission. Ids and parameters only; the prose stands in ``ranking.messages``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """What a finding does to a submission, from least to most severe."""

    NOTE = "note"
    HOLD = "hold"
    REJECT = "reject"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One rule's statement: ``id`` is ``family.rule``; ``place`` says where (``runs/0/log.txt:17``).

    ``expected`` and ``got`` are short texts, cut to 200 characters and free of control characters by ``finding``.
    """

    id: str
    verdict: Verdict
    place: str
    expected: str
    got: str


TEXT_LIMIT = 200
"""Characters of submitter-supplied text that a finding repeats: enough to recognise it, too few to flood a page."""


def shown(value: object) -> str:
    """A value as a finding repeats it: printable, at most TEXT_LIMIT characters."""
    text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in str(value)[: TEXT_LIMIT + 1])
    return text if len(text) <= TEXT_LIMIT else text[: TEXT_LIMIT - 1] + "\N{HORIZONTAL ELLIPSIS}"


def finding(id: str, verdict: Verdict, *, place: object = "", expected: object = "", got: object = "") -> Finding:
    """A Finding with its texts made safe to show."""
    return Finding(id=id, verdict=verdict, place=shown(place), expected=shown(expected), got=shown(got))


def worst(findings: Iterable[Finding]) -> Verdict | None:
    """The most severe verdict among ``findings``; None where there are none."""
    order = list(Verdict)
    return max((f.verdict for f in findings), key=order.index, default=None)


def note(id: str, *, place: object = "", expected: object = "", got: object = "") -> Finding:
    """A Finding that is shown and changes nothing."""
    return finding(id, Verdict.NOTE, place=place, expected=expected, got=got)


def hold(id: str, *, place: object = "", expected: object = "", got: object = "") -> Finding:
    """A Finding that a person has to decide on."""
    return finding(id, Verdict.HOLD, place=place, expected=expected, got=got)


def reject(id: str, *, place: object = "", expected: object = "", got: object = "") -> Finding:
    """A Finding that refuses the submission."""
    return finding(id, Verdict.REJECT, place=place, expected=expected, got=got)
