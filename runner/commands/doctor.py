"""``vflops doctor``: whether this machine is ready, check by check, and what to do where it is not."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.text import Text

from runner.checks.check import Check, Status
from runner.checks.installation import installation_checks
from runner.errors import Exit

STYLES = {Status.OK: "green", Status.WARN: "yellow", Status.FAIL: "bold red"}


def add_parser(subparsers: Any) -> None:
    """Declare the command."""
    parser = subparsers.add_parser("doctor", help="check whether this machine is ready")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Print each check as it is made; 1 where one failed."""
    console = Console(file=sys.stdout, highlight=False, soft_wrap=True)
    done: list[Check] = []
    for check in _checks():
        done.append(check)
        if not args.json:
            _print(check, console)
    if args.json:
        print(json.dumps({"checks": [asdict(check) for check in done]}))
    return _conclude(done, console, silent=args.json)


def _checks() -> Iterator[Check]:
    """All checks; those of the machine use packages that must be ours, so they wait until the installation is well."""
    well = True
    for check in installation_checks():
        well = well and check.status is not Status.FAIL
        yield check
    if well:
        from runner.checks.machine import machine_checks

        yield from machine_checks()


def _print(check: Check, console: Console) -> None:
    console.print(Text(f"{check.status:<5}", STYLES[check.status]), Text(f"{check.id:<20} {check.found}"))
    if check.action:
        console.print(Text(f"      {'':<20} {check.action}"))


def _conclude(done: Sequence[Check], console: Console, *, silent: bool) -> int:
    failed = [check.id for check in done if check.status is Status.FAIL]
    if not silent:
        console.print()
        console.print(Text(f"Not ready: {', '.join(failed)}" if failed else "Ready."))
    return Exit.ERROR if failed else Exit.ACCEPTED
