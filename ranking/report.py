"""Report: what verification found of one bundle, as a document, its digest, and text for a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Any

from ranking.case import Case
from ranking.document import (
    accelerator_document,
    finding_document,
    framework,
    run_documents,
    score_document,
    submission_document,
)
from ranking.evidence import canonical
from ranking.evidence.model import RunSetEvidence, Statement
from ranking.findings import Finding, Verdict, worst
from ranking.layout import layout

SCHEMA = "vflops-report/1"
"""Form of the document; a reader that knows it can read every report that names it."""

VERIFIER = "0.1.0"
"""Version of this code, the same as the distribution's."""


class Decision(StrEnum):
    """What a report says should happen to a submission."""

    ACCEPT = "accept"
    HOLD = "hold"
    REJECT = "reject"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Findings about a bundle, in the order of the rule set, and the figures recomputed from it.

    ``case`` is None where the bundle names no known workload, or no statement could be read.
    """

    rule_set: str
    evidence: RunSetEvidence
    findings: tuple[Finding, ...]
    case: Case | None
    signed: bool
    schema: str = SCHEMA
    verifier: str = VERIFIER

    @property
    def verdict(self) -> Decision:
        """Decided by the most severe finding; notes accept."""
        severest = worst(self.findings)
        return {Verdict.REJECT: Decision.REJECT, Verdict.HOLD: Decision.HOLD}.get(
            severest or Verdict.NOTE, Decision.ACCEPT
        )

    @property
    def statement(self) -> Statement | None:
        """The bundle's statement, where one could be read."""
        return self.evidence.statement

    def to_document(self) -> dict[str, Any]:
        """The report as JSON values; every number is finite, and RFC 8785 can write it."""
        return {
            "schema": self.schema,
            "rule_set": self.rule_set,
            "verifier": self.verifier,
            "bundle": self.evidence.bundle_id,
            "file_sha256": self.evidence.file_sha256,
            "size_bytes": self.evidence.size_bytes,
            "verdict": self.verdict.value,
            "findings": [finding_document(found) for found in self.findings],
            "submission": None if self.statement is None else submission_document(self.statement),
            "score": None if self.case is None else score_document(self.case),
            "runs": [] if self.case is None else run_documents(self.case),
            "system": None if self.evidence.system is None else dict(self.evidence.system),
            "accelerator": None if self.case is None else accelerator_document(self.case.device),
            "framework": framework(self.evidence.system),
            "precision": None if self.statement is None else self.statement.predicate.configuration.precision,
            "marks": [{"id": "signed"}] if self.signed else [],
        }

    def digest(self) -> str:
        """SHA-256 of the document in its canonical form."""
        return document_digest(self.to_document())


def document_digest(document: Mapping[str, Any]) -> str:
    """SHA-256 of a report's document in its canonical form."""
    return sha256(canonical.dumps(document)).hexdigest()


def render_text(report: Report) -> str:
    """The report for a person at a terminal."""
    return layout(report.to_document())
