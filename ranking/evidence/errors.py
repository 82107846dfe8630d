"""Findings of the evidence layer: their ids, the error that carries one, and a bounded collector."""

from __future__ import annotations

from collections import Counter
from typing import Final

from ranking.findings import Finding, Verdict, finding

FINDING_IDS: Final = (
    "container.unreadable",
    "container.too_large",
    "container.too_many_entries",
    "container.entry_too_large",
    "container.not_zip",
    "container.not_canonical",
    "container.compressed",
    "container.link",
    "container.unsafe_name",
    "container.duplicate_name",
    "container.unexpected_entry",
    "container.missing_entry",
    "container.order",
    "container.checksum",
    "container.truncated",
    "container.trailing_bytes",
    "container.not_safetensors",
    "statement.envelope",
    "statement.not_canonical",
    "statement.type",
    "statement.field",
    "statement.key_id",
    "statement.signature",
    "statement.subject",
    "statement.digest",
    "schema.not_utf8",
    "schema.not_json",
    "schema.too_deep",
    "schema.duplicate_key",
    "schema.not_finite",
    "schema.number_range",
    "schema.not_canonical",
    "schema.line_too_long",
    "schema.too_many_values",
    "schema.line_ending",
    "schema.log_prefix",
    "schema.field",
    "schema.empty",
    "schema.many_faults",
    "chain.sequence",
    "chain.link",
    "chain.head",
)
"""Every id that this package can report; all of them reject. ``ranking.messages`` holds a sentence for each."""

FAULTS_LISTED: Final = 20
"""Findings of one id in one file that a report lists: enough to see the pattern, too few to flood it."""

MOST_LISTED: Final = 500
"""Findings that are listed in all, for bundles of thousands of files."""


class EvidenceError(Exception):
    """A fault in evidence, as the finding that reports it."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(f"{finding.id} at {finding.place}: expected {finding.expected}, got {finding.got}")
        self.finding = finding


def fault(id: str, place: object, *, expected: object = "", got: object = "") -> EvidenceError:
    """The error that rejects evidence with finding ``id``."""
    return EvidenceError(finding(id, Verdict.REJECT, place=place, expected=expected, got=got))


class Faults:
    """Collects findings up to the bounds above; the rest is counted, and reported as a number for each id."""

    def __init__(self) -> None:
        self._findings: list[Finding] = []
        self._seen: Counter[tuple[str, str]] = Counter()
        self._unlisted: Counter[str] = Counter()

    def add(self, id: str, place: str, *, expected: object = "", got: object = "") -> None:
        """Record that ``id`` was found at ``place``."""
        self.take(finding(id, Verdict.REJECT, place=place, expected=expected, got=got))

    def take(self, found: Finding) -> None:
        """Record a finding that already exists."""
        kind = (found.id, found.place.partition(":")[0])
        if self._seen[kind] < FAULTS_LISTED and len(self._findings) < MOST_LISTED:
            self._seen[kind] += 1
            self._findings.append(found)
        else:
            self._unlisted[found.id] += 1

    def listed(self) -> list[Finding]:
        """All findings, then one for each id that was found more often than is listed."""
        more = [
            finding("schema.many_faults", Verdict.REJECT, place=rule, expected="none", got=f"{count} more")
            for rule, count in self._unlisted.items()
        ]
        return [*self._findings, *more]
