"""``vflops verify``: the very checks that the portal makes, with every finding and the score."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from ranking.report import Decision, render_text
from ranking.verify import verify_bundle
from runner.errors import Exit, UsageError

EXIT_OF_DECISION = {Decision.ACCEPT: Exit.ACCEPTED, Decision.HOLD: Exit.HELD, Decision.REJECT: Exit.REJECTED}


def add_parser(subparsers: Any) -> None:
    """Declare the command."""
    parser = subparsers.add_parser("verify", help="check a bundle as the portal does, and print findings and score")
    parser.add_argument("bundle", type=Path, metavar="BUNDLE", help="a file that `vflops run` wrote")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    """Print the report; 0 accepted, 3 rejected, 4 held."""
    refuse_missing(args.bundle)
    report = verify_bundle(args.bundle)
    print(json.dumps(report.to_document()) if args.json else render_text(report), end="\n" if args.json else "")
    return EXIT_OF_DECISION[report.verdict]


def refuse_missing(path: Path) -> None:
    """Raise ``bundle.missing`` where there is no file at ``path``."""
    if not path.is_file():
        raise UsageError(
            "bundle.missing", "There is no such file.", place=path, action="`vflops run` writes one and says where."
        )
