"""What the commands that speak with a portal share: their options, the connection, and words for a submission."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from runner import portals
from runner.answers import Account, FindingLine, Submission
from runner.client import Portal, normal_address
from runner.errors import Exit, UsageError

RESTING = frozenset({"verified", "held", "rejected", "failed", "published", "withdrawn"})
"""States that need a person next, or nobody."""

STATUS_OF_STATE = {"rejected": Exit.REJECTED, "held": Exit.HELD, "failed": Exit.ERROR}
"""Exit statuses of states that are not on the good way. Verified, but not published as asked, is one more."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare --portal and --json."""
    parser.add_argument("--portal", metavar="URL", help="the portal; else VFLOPS_PORTAL, else that of the last login")
    parser.add_argument("--json", action="store_true", help="print JSON")


def open_portal(args: argparse.Namespace) -> Portal:
    """The portal that the options, the environment or the last login name."""
    login = portals.choose(args.portal)
    return Portal(normal_address(login.address), login.token)


def choose_organisation(account: Account, wanted: str | None) -> str:
    """The organisation to act for: the one named, or the only one; raises UsageError otherwise."""
    slugs = [membership.slug for membership in account.organisations]
    if wanted is not None and wanted in slugs:
        return wanted
    if wanted is None and len(slugs) == 1:
        return slugs[0]
    if not slugs:
        raise UsageError(
            "organisation.none",
            f"{account.email} belongs to no organisation.",
            action="Make one on the portal, or ask its owner to add you.",
        )
    raise UsageError(
        "organisation.unclear" if wanted is None else "organisation.not_yours",
        f"{account.email} acts for several organisations." if wanted is None else "You do not belong to it.",
        expected="--organisation with one of: " + ", ".join(slugs),
        got=wanted or "",
    )


def is_decided(submission: Submission) -> bool:
    """Whether a person must act next, or nobody: what ``--wait`` waits for."""
    about_to_be_published = submission.state == "verified" and submission.publishing
    return submission.state in RESTING and not about_to_be_published


def exit_status(submissions: Sequence[Submission]) -> int:
    """The exit status of several submissions: the worst one's."""
    order = (Exit.ACCEPTED, Exit.HELD, Exit.REJECTED, Exit.ERROR)
    return max((_status_of(submission) for submission in submissions), key=order.index, default=Exit.ACCEPTED)


def _status_of(submission: Submission) -> Exit:
    if submission.state == "verified" and submission.error_id:
        return Exit.ERROR
    return STATUS_OF_STATE.get(submission.state, Exit.ACCEPTED)


def document(submission: Submission) -> dict[str, Any]:
    """A submission as ``--json`` prints it: the API's own fields."""
    return {**submission.document, "findings": [asdict(finding) for finding in submission.findings]}


def moment(text: str) -> str:
    """An answer's point in time for people: UTC, to the second."""
    return datetime.fromisoformat(text).astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def lines(submission: Submission) -> list[str]:
    """A submission in words, findings with what to do about them."""
    found = [
        f"{submission.id}  {submission.state}  since {moment(submission.state_since)}",
        f"  address:  {submission.address}",
    ]
    if submission.board:
        found.append(f"  board:    {submission.board}")
    if submission.valid_flops is not None:
        found.append(f"  score:    {submission.valid_flops:.4g} Valid FLOPS")
    if submission.result_address:
        found.append(f"  result:   {submission.result_address}")
    if submission.error_id:
        found.append(f"  error:    {submission.error_id}")
    if submission.next_step:
        found.append(f"  next:     {submission.next_step}")
    for finding in submission.findings:
        found.extend(_finding_lines(finding))
    return found


def _finding_lines(finding: FindingLine) -> list[str]:
    found = [f"  {finding.verdict}: {finding.sentence}  [{finding.id}]"]
    parts = (("where", finding.place), ("expected", finding.expected), ("got", finding.got), ("to do", finding.action))
    return found + [f"      {label + ':':<10} {text}" for label, text in parts if text]
