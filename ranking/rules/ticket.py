"""Ticket rules: seeds come from the ticket, or, where there is none, from the bundle's nonce."""

from __future__ import annotations

from collections.abc import Iterator

from ranking.case import RunSet
from ranking.evidence.seeds import own_seeds
from ranking.findings import Finding, note, reject

OWN = "own"
"""How a statement says that its seeds follow from its nonce."""


def own_seeds_follow(run_set: RunSet) -> Iterator[Finding]:
    """Seeds without a ticket are derived from the nonce, so that changing one changes all; the derivation is public."""
    if run_set.claim.seeds != OWN:
        return
    claimed = tuple(run.seed for run in run_set.claim.runs)
    derived = own_seeds(run_set.claim.nonce, len(claimed))
    for index, (seed, right) in enumerate(zip(claimed, derived, strict=True)):
        if seed != right:
            yield reject("ticket.own_seeds", place=f"statement.dsse.json: runs {index}", expected=right, got=seed)


def marked_own(run_set: RunSet) -> Iterator[Finding]:
    """Said on every set without a ticket: nobody can tell how many sets were run before this one."""
    if run_set.claim.seeds == OWN:
        yield note("ticket.none", place="statement.dsse.json", expected="a ticket", got="own seeds")


def ticket_present(run_set: RunSet) -> Iterator[Finding]:
    """Seeds said to come from a ticket need that ticket; format 1 carries none."""
    if run_set.claim.seeds != OWN:
        yield reject("ticket.missing", place="statement.dsse.json", expected="the ticket", got="none in format 1")
