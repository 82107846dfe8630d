"""Trust marks: which a result carries, what each proves, and what stays unproven."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from portal.results.models import Result

FREE_SPREAD_CV = 0.05
"""Coefficient of variation of FLOPS above which a row says that its runs differ: the bound of the rule."""
OWN_SEEDS = "own"


@dataclass(frozen=True, slots=True, kw_only=True)
class Badge:
    """A short mark in a board's row; ``title`` says what it means, ``css`` how it looks."""

    label: str | Promise
    title: str | Promise
    css: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """One trust mark on a result's page: what it proves, and whether this result carries it."""

    name: Promise
    proves: Promise
    held: bool
    reason: str | Promise = ""


SIGNED = Badge(
    label=_("signed"),
    title=_("Signed by a key of the organisation; nothing changed since."),
    css="badge-accent",
)
OWN = Badge(label=_("own seeds"), title=_("The seeds follow from a number that the submitter drew, not from a ticket."))
UNEVEN = Badge(
    label=_("uneven runs"),
    title=_("The FLOPS of the five runs vary by more than 5 percent (coefficient of variation)."),
    css="badge-warn",
)

ROW_MARKS = (SIGNED, OWN, UNEVEN)
"""All marks that a row can carry; a board explains them below its table."""

NOT_YET = _("Not part of the benchmark yet; the evidence format has its place.")


def badges(result: Result) -> tuple[Badge, ...]:
    """The marks of a row."""
    found = [SIGNED]
    if result.seeds == OWN_SEEDS:
        found.append(OWN)
    if result.cv_flops is not None and result.cv_flops > FREE_SPREAD_CV:
        found.append(UNEVEN)
    return tuple(found)


def trust(result: Result, *, audited: bool) -> tuple[Trust, ...]:
    """All trust marks in their order, held or not. ``audited``: an auditor accepted it after a hold."""
    return (
        Trust(name=_("signed"), proves=_("Who handed it in, and that no byte changed since."), held=True),
        Trust(
            name=_("ticketed"),
            proves=_("The seeds were not chosen, the time window is known, and no second try is hidden."),
            held=result.seeds != OWN_SEEDS,
            reason=_("Own seeds: they follow from a number that the submitter drew."),
        ),
        Trust(
            name=_("witnessed"),
            proves=_("Training took the time stated, and was not done before."),
            held=False,
            reason=NOT_YET,
        ),
        Trust(
            name=_("replayed"),
            proves=_("Drawn segments of the run really are training of this model on this data."),
            held=False,
            reason=NOT_YET,
        ),
        Trust(
            name=_("re-evaluated"),
            proves=_("The final weights have the quality stated, and did not learn the test set."),
            held=False,
            reason=NOT_YET,
        ),
        Trust(
            name=_("audited"),
            proves=_("An auditor examined the evidence and accepted it."),
            held=audited,
            reason=_("No auditor has decided on it."),
        ),
    )


NOT_PROVEN: tuple[Promise, ...] = (
    _("That no more hardware took part than is declared."),
    _("That the accelerator is not a faster one under another name, as long as the score stays below its peak."),
    _("That the submitter did not try other seeds before this set."),
)
"""What no mark that this result carries rules out; the page says so."""
