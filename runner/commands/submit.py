"""``vflops submit``: hand bundles in to a portal, with progress, and wait for the verdict where asked."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

from runner import portals, uploading
from runner.admission import refuse_inadmissible
from runner.answers import Key, Submission
from runner.client import Portal
from runner.commands import portal_access
from runner.commands.verify import refuse_missing
from runner.errors import Exit, RunnerError
from runner.portal_errors import PortalError


@dataclass(frozen=True, slots=True, kw_only=True)
class Handed:
    """What became of one bundle: a submission, or why there is none."""

    bundle: Path
    submission: Submission | None = None
    error: RunnerError | None = None


def add_parser(subparsers: Any) -> None:
    """Declare the command."""
    parser = subparsers.add_parser("submit", help="hand in bundles to a portal")
    parser.add_argument("bundles", nargs="+", type=Path, metavar="BUNDLE", help="files that `vflops run` wrote")
    parser.add_argument("--publish", action="store_true", help="publish as soon as the portal has verified it")
    parser.add_argument("--wait", action="store_true", help="wait until it is decided, and say how")
    parser.add_argument("--organisation", metavar="SLUG", help="for whom; needed where you belong to several")
    portal_access.add_options(parser)


def run(args: argparse.Namespace) -> int:
    """Send one bundle after the other; with --wait, stay until all are decided."""
    for bundle in args.bundles:
        refuse_missing(bundle)
    with portal_access.open_portal(args) as portal:
        organisation = portal_access.choose_organisation(portal.me(), args.organisation)
        registered = {key.key_id: key for key in portal.registered_keys()}
        destination = uploading.Destination(organisation=organisation, publish=args.publish)
        handed = _send_all(portal, destination, registered, args)
        if args.wait:
            handed = [_wait(portal, one, args) for one in handed]
    _print(handed, as_json=args.json)
    if any(one.error for one in handed):
        return Exit.ERROR
    return portal_access.exit_status([one.submission for one in handed if one.submission])


def _send_all(
    portal: Portal, destination: uploading.Destination, registered: Mapping[str, Key], args: argparse.Namespace
) -> list[Handed]:
    """Send every bundle that the portal will take; one that is refused does not stop the others."""
    with _progress(hidden=args.json) as bars:
        return [_check_and_send(portal, path, destination, registered, bars) for path in args.bundles]


def _check_and_send(
    portal: Portal, path: Path, destination: uploading.Destination, registered: Mapping[str, Key], bars: Progress
) -> Handed:
    try:
        refuse_inadmissible(path, registered, destination.organisation)
    except RunnerError as error:
        return Handed(bundle=path, error=error)
    return _send_one(portal, path, destination, bars)


def _send_one(portal: Portal, path: Path, destination: uploading.Destination, bars: Progress) -> Handed:
    task = bars.add_task(path.name, total=path.stat().st_size)
    try:
        submission = uploading.send(
            portal,
            uploading.describe(path),
            destination,
            unfinished=portals.UnfinishedUploads(portals.uploads_path()),
            progress=lambda sent, total: bars.update(task, completed=sent, total=total),
        )
        bars.update(task, completed=path.stat().st_size)
        return Handed(bundle=path, submission=portal.submission(submission))
    except PortalError as error:
        return Handed(bundle=path, error=error)


def _progress(*, hidden: bool) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        console=Console(file=sys.stderr),
        disable=hidden,
    )


def _wait(portal: Portal, one: Handed, args: argparse.Namespace) -> Handed:
    """The submission once it is decided, or as it was last seen with what ended the waiting."""
    if one.submission is None:
        return one
    said: list[str] = []

    def say(submission: Submission) -> None:
        if not args.json and submission.state not in said:
            said.append(submission.state)
            print(f"{one.bundle.name}: {submission.state}", file=sys.stderr, flush=True)

    try:
        decided = portal.follow(one.submission.id, until=portal_access.is_decided, on_change=say)
    except PortalError as error:
        return replace(one, error=error)
    return replace(one, submission=decided)


def _print(handed: Sequence[Handed], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"submissions": [_document(one) for one in handed]}))
        return
    for one in handed:
        print(f"{one.bundle.name}:")
        if one.submission is not None:
            print("\n".join(f"  {line}" for line in portal_access.lines(one.submission)))
        if one.error is not None:
            problem = one.error.problem
            print(f"  error: {problem.message}  [{problem.id}]")
            if problem.action:
                print(f"  to do: {problem.action}")


def _document(one: Handed) -> dict[str, Any]:
    facts: dict[str, Any] = {"bundle": str(one.bundle)}
    if one.submission is not None:
        facts.update(portal_access.document(one.submission))
    if one.error is not None:
        problem = one.error.problem
        facts["error"] = {"id": problem.id, "message": problem.message, "action": problem.action}
    return facts
