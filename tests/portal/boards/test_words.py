"""Codes of documents have words; unknown ones are shown as they stand."""

from __future__ import annotations

import pytest

from portal.boards.phases import KNOWN
from portal.boards.words import WORDS, field_name, word
from ranking.energy import Scope
from ranking.findings import Verdict
from workloads.definition import Level, Scale


@pytest.mark.parametrize(
    ("kind", "codes"), [("verdict", Verdict), ("level", Level), ("scale", Scale), ("scope", Scope), ("phase", KNOWN)]
)
def test_every_code_that_can_occur_has_a_word(kind: str, codes: type[Verdict]) -> None:
    """So that a translation misses none."""
    assert {str(code) for code in codes} <= set(WORDS[kind])


def test_an_unknown_code_is_shown_as_it_stands() -> None:
    """Never hidden, never made up."""
    assert word("quantum", "level") == "quantum"
    assert field_name("water_cooling") == "Water cooling"
