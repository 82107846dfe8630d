"""Whether a portal will take a bundle's key, asked before a byte is sent: a submission that is rejected is lost."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ranking.evidence.model import Statement
from runner.answers import Key
from runner.entries import statement_of
from runner.errors import RunnerError


def refuse_inadmissible(path: Path, registered: Mapping[str, Key], organisation: str) -> None:
    """Raise where the key of the bundle at ``path`` may not submit for ``organisation``.

    ``registered`` holds the keys that the portal knows as the organisation's, by key id. The errors have the ids of the
    findings that the portal would reject the bundle with.
    """
    statement = statement_of(path)
    _refuse_claim(path, statement, organisation)
    key = registered.get(statement.key_id)
    if key is None or key.organisation != organisation:
        raise RunnerError(
            "key.unknown",
            f"The key that signed this bundle is not registered with {organisation}.",
            place=path,
            expected=f"a key of {organisation}",
            got=statement.key_id,
            action="Run `vflops keys register`, with the key's name where it is not `default`; then submit again.",
        )
    if key.revoked_at is not None:
        raise RunnerError(
            "key.revoked",
            f"{organisation} has revoked the key that signed this bundle.",
            place=path,
            got=f"{statement.key_id}, revoked {key.revoked_at}",
            action="Make another key with `vflops keys create NAME`, register it, and run again with --key NAME.",
        )


def _refuse_claim(path: Path, statement: Statement, organisation: str) -> None:
    """A statement may name no organisation, and never another one."""
    claimed = statement.predicate.organisation
    if claimed not in ("", organisation):
        raise RunnerError(
            "key.other_organisation",
            f"This bundle was made for {claimed}, not for {organisation}.",
            place=path,
            expected=organisation,
            got=claimed,
            action=f"Submit it with --organisation {claimed} and a token of that organisation.",
        )
