"""Verify: a bundle in, a report out; the same code behind ``vflops verify`` and the portal's limited child."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, TypeVar

from ranking.case import case_of, run_set_of
from ranking.evidence.bundle import read_bundle
from ranking.evidence.limits import Limits
from ranking.findings import Finding, Verdict, note
from ranking.report import Report, render_text
from ranking.rules import CASE_RULES, FAMILIES, RULE_SET, RUN_SET_RULES

FINDINGS_OF_A_RULE: Final = 40
"""Findings of one rule that a report lists: a log of a million wrong lines is as clear after some."""

UNREADABLE: Final = "container.unreadable"
"""The one finding that says nothing of the bundle, because its file could not be opened or read."""

S = TypeVar("S")


def verify_bundle(path: Path, limits: Limits | None = None) -> Report:
    """Read the bundle at ``path`` and apply every rule that can be applied; never raises on what the file holds."""
    evidence, findings = read_bundle(path, limits or Limits())
    run_set = run_set_of(evidence)
    case = None if run_set is None else case_of(run_set)
    signed = run_set is not None and not any(_concerns_signature(found) for found in findings)
    if run_set is not None:
        findings.extend(_applied(RUN_SET_RULES, run_set))
    if case is not None:
        findings.extend(_applied(CASE_RULES, case))
    ordered = tuple(sorted(findings, key=_family))
    return Report(rule_set=RULE_SET, evidence=evidence, findings=ordered, case=case, signed=signed)


def _applied(rules: Iterable[Callable[[S], Iterator[Finding]]], subject: S) -> Iterator[Finding]:
    for rule in rules:
        found = rule(subject)
        listed = list(islice(found, FINDINGS_OF_A_RULE))
        more = sum(1 for _ in found)
        yield from listed
        if more:
            yield note("schema.many_faults", expected=f"no {listed[-1].id}", got=f"{len(listed) + more} in all")


def _concerns_signature(found: Finding) -> bool:
    return found.verdict is Verdict.REJECT and found.id.partition(".")[0] in ("container", "statement")


def _family(found: Finding) -> int:
    return FAMILIES.index(found.id.partition(".")[0])


def main(arguments: Sequence[str] | None = None) -> int:
    """``python -m ranking.verify [--json] BUNDLE``: 0 whenever a report was made, 1 where the file cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m ranking.verify", description="Verify a bundle.")
    parser.add_argument("bundle", type=Path)
    parser.add_argument("--json", action="store_true", help="write the report's document instead of text")
    options = parser.parse_args(arguments)
    report = verify_bundle(options.bundle)
    unreadable = next((found for found in report.findings if found.id == UNREADABLE), None)
    if unreadable is not None:
        sys.stderr.write(json.dumps(_problem(unreadable)) + "\n")
        return 1
    sys.stdout.write(json.dumps(report.to_document(), allow_nan=False) + "\n" if options.json else render_text(report))
    return 0


def _problem(found: Finding) -> dict[str, object]:
    """The finding as a problem document: no report can be made."""
    return {
        "type": "about:blank",
        "title": "The bundle cannot be read",
        "id": found.id,
        "detail": f"{found.place}: {found.got}",
    }


if __name__ == "__main__":
    sys.exit(main())
