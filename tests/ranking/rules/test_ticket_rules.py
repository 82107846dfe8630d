"""Ticket rules: own seeds follow from the nonce, and are said to be own."""

from __future__ import annotations

from pathlib import Path

import pytest

from ranking.evidence.seeds import own_seeds
from ranking.findings import Verdict
from tests.bundles import NONCE
from tests.ranking.rules.judging import Forgery, assert_found, claims

CHOSEN = (*own_seeds(NONCE, 4), 42)
SHUFFLED = tuple(reversed(own_seeds(NONCE, 5)))

FORGERIES = [
    Forgery(id="ticket.own_seeds", name="one seed chosen", options={"seeds": CHOSEN}),
    Forgery(id="ticket.own_seeds", name="another order", options={"seeds": SHUFFLED}),
    Forgery(id="ticket.none", name="no ticket", verdict=Verdict.NOTE),
    Forgery(id="ticket.missing", name="a ticket that is not there", options=claims(seeds="ticket")),
]


@pytest.mark.parametrize("forgery", FORGERIES, ids=str)
def test_seeds_without_a_ticket(forgery: Forgery, tmp_path: Path) -> None:
    assert_found(tmp_path, forgery)
