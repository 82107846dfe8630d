"""``vflops inspect``: everything that a bundle holds and that would be sent, for the eyes of who sends it."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from runner import contents
from runner.commands.verify import refuse_missing
from runner.errors import Exit


def add_parser(subparsers: Any) -> None:
    """Declare the command."""
    parser = subparsers.add_parser("inspect", help="show all that a bundle holds and that would be sent")
    parser.add_argument("bundle", type=Path, metavar="BUNDLE", help="a file that `vflops run` wrote")
    whole = parser.add_mutually_exclusive_group()
    whole.add_argument("--log", type=int, metavar="RUN", help="print the log of this run, counted from 0")
    whole.add_argument("--telemetry", type=int, metavar="RUN", help="print the telemetry of this run")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Print the contents, or one run's log or telemetry as it stands."""
    refuse_missing(args.bundle)
    if args.log is not None:
        print(contents.log_of(args.bundle, args.log), end="")
        return Exit.ACCEPTED
    if args.telemetry is not None:
        print(contents.telemetry_of(args.bundle, args.telemetry), end="")
        return Exit.ACCEPTED
    found = contents.contents_of(args.bundle)
    print(json.dumps(asdict(found)) if args.json else contents.render(found))
    return Exit.ACCEPTED
