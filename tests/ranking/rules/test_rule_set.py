"""The rule set as a whole: an honest bundle passes, and every finding has a forgery and a message."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import ranking
from ranking.evidence.errors import FINDING_IDS
from ranking.messages import MESSAGES
from ranking.rules import CASE_RULES, FAMILIES, RULE_SET, RUN_SET_RULES
from ranking.verify import verify_bundle
from tests.bundles import make_bundle
from tests.ranking.rules import (
    test_checkpoint_rules,
    test_counts_rules,
    test_level_rules,
    test_plausibility_rules,
    test_quality_rules,
    test_recipe_rules,
    test_repeatability_rules,
    test_schema_rules,
    test_stated_rules,
    test_support_rules,
    test_telemetry_rules,
    test_ticket_rules,
    test_time_rules,
)
from tests.ranking.rules.judging import REFERENCE, above_note, ids, judged

FORGING = (
    test_checkpoint_rules,
    test_counts_rules,
    test_level_rules,
    test_plausibility_rules,
    test_quality_rules,
    test_recipe_rules,
    test_repeatability_rules,
    test_schema_rules,
    test_stated_rules,
    test_support_rules,
    test_telemetry_rules,
    test_ticket_rules,
    test_time_rules,
)
TESTED_ON_THEIR_OWN = {
    "schema.unknown_workload",
    "schema.many_faults",
    "repeatability.quality",
    "repeatability.epochs",
    "repeatability.too_good",
    "repeatability.too_early",
    "key.unknown",
    "key.other_organisation",
    "key.revoked",
}
ID = re.compile(rf"({'|'.join(FAMILIES)})\.[a-z0-9_]+")
NOT_RAISED_HERE = set(FINDING_IDS)


def raised_ids() -> Iterator[str]:
    """Every text in the code of ranking that looks like a finding's id, but for the messages themselves."""
    for path in sorted(Path(ranking.__path__[0]).rglob("*.py")):
        if path.name == "messages.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and ID.fullmatch(node.value):
                yield node.value


def test_every_id_that_is_raised_has_a_message_and_the_other_way_round() -> None:
    assert set(raised_ids()) == set(MESSAGES)


def test_every_rule_has_a_forgery_that_it_finds() -> None:
    forged = {forgery.id for module in FORGING for forgery in module.FORGERIES}
    assert forged | TESTED_ON_THEIR_OWN >= set(MESSAGES) - NOT_RAISED_HERE


def test_messages_are_sentences() -> None:
    for said in MESSAGES.values():
        for text in (said.sentence, said.action):
            assert text[0].isupper() or text.startswith("`")
            assert text.endswith(".")
            assert len(text) <= 120


def test_every_rule_says_what_it_finds_and_why() -> None:
    rules = (*RUN_SET_RULES, *CASE_RULES)
    assert len(set(rules)) == len(rules)
    assert all(rule.__doc__ for rule in rules)
    assert RULE_SET == "1"


@pytest.mark.parametrize("accelerators", [0, 2])
def test_an_honest_bundle_has_no_finding_above_a_note(accelerators: int, tmp_path: Path) -> None:
    report = judged(tmp_path, accelerators=accelerators)
    assert not above_note(report)
    assert report.verdict.value == "accept"


def test_an_honest_set_at_reference_scale_on_a_cpu_is_accepted(tmp_path: Path) -> None:
    assert not above_note(judged(tmp_path, workload=REFERENCE))


def test_findings_stand_in_the_order_of_their_families(tmp_path: Path) -> None:
    path = make_bundle(tmp_path, runs=4, seeds=(1, 1, 2, 3))
    families = [found.id.partition(".")[0] for found in verify_bundle(path).findings]
    assert families == sorted(families, key=FAMILIES.index)
    assert {"ticket.own_seeds", "counts.runs", "counts.equal_seeds", "quality.no_score"} <= ids(verify_bundle(path))
