"""``vflops status``: where submissions stand, since when, what comes next and what was found."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from runner.answers import Submission
from runner.commands import portal_access
from runner.commands.portal_access import moment
from runner.errors import Exit

PIPE_WIDTH = 240
"""Columns of the table where no terminal sets them: wide enough that no id or address breaks, for grep and awk."""


def add_parser(subparsers: Any) -> None:
    """Declare the command."""
    parser = subparsers.add_parser("status", help="show where your submissions stand")
    parser.add_argument("id", nargs="?", metavar="ID", help="one submission; else the newest ones")
    parser.add_argument("--wait", action="store_true", help="with ID: wait until it is decided")
    portal_access.add_options(parser)


def run(args: argparse.Namespace) -> int:
    """Show one submission, or a table of the newest."""
    with portal_access.open_portal(args) as portal:
        if args.id is None:
            _print_all(portal.submissions(), as_json=args.json)
            return Exit.ACCEPTED
        submission = portal.submission(args.id)
        if args.wait:
            submission = portal.follow(args.id, until=portal_access.is_decided, on_change=lambda _: None)
    _print_one(submission, as_json=args.json)
    return portal_access.exit_status([submission])


def _print_one(submission: Submission, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(portal_access.document(submission)))
    else:
        print("\n".join(portal_access.lines(submission)))


def _print_all(submissions: Sequence[Submission], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"submissions": [portal_access.document(submission) for submission in submissions]}))
        return
    if not submissions:
        print("No submissions yet. `vflops submit BUNDLE` hands one in.")
        return
    table = Table(box=None, pad_edge=False)
    for title in ("id", "organisation", "system", "board", "state", "since"):
        table.add_column(title, overflow="fold")
    for s in submissions:
        table.add_row(s.id, s.organisation, s.system, s.board or "not read yet", s.state, moment(s.state_since))
    width = None if sys.stdout.isatty() else PIPE_WIDTH
    Console(width=width, highlight=False, markup=False).print(table)
