"""``vflops login``: check an API token at a portal and keep it for the other commands."""

from __future__ import annotations

import argparse
import getpass
import json
import os
import sys
from typing import Any

from runner import portals
from runner.answers import Account
from runner.client import Portal, normal_address, sends_secrets_in_clear
from runner.errors import Exit, UsageError


def add_parser(subparsers: Any) -> None:
    """Declare the command."""
    parser = subparsers.add_parser("login", help="keep a portal's API token for submit and status")
    parser.add_argument("url", metavar="URL", help="the portal's address, for example https://portal.example.org")
    parser.add_argument("--token", help="the API token; - reads it from standard input; else VFLOPS_TOKEN, or asked")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Ask the portal whose token it is, then store both."""
    address = normal_address(args.url)
    if sends_secrets_in_clear(address):
        print(f"warning: {address} is not encrypted: others on the network can read your token", file=sys.stderr)
    token = _token(args.token)
    with Portal(address, token) as portal:
        account = portal.me()
    portals.remember(
        portals.Login(address=address, token=token, email=account.email, expires_at=account.token_expires_at)
    )
    _print(address, account, as_json=args.json)
    return Exit.ACCEPTED


def _token(given: str | None) -> str:
    token = _read_token(given).strip()
    if not token or not token.isascii() or not token.isprintable():
        raise UsageError(
            "token.missing",
            "A token is needed." if not token else "This cannot be a token.",
            expected="the text that the portal showed once, vfl_...",
            action="Give it by --token -, by VFLOPS_TOKEN, or at the prompt of a terminal.",
        )
    return token


def _read_token(given: str | None) -> str:
    if given == "-":
        return sys.stdin.readline()
    if given is not None:
        return given
    from_environment = os.environ.get(portals.TOKEN_VARIABLE, "")
    if from_environment or not sys.stdin.isatty():
        return from_environment
    return getpass.getpass("API token (not shown): ")


def _print(address: str, account: Account, *, as_json: bool) -> None:
    slugs = [membership.slug for membership in account.organisations]
    if as_json:
        facts = {"portal": address, "email": account.email, "organisations": slugs}
        print(json.dumps({**facts, "token": {"name": account.token_name, "expires_at": account.token_expires_at}}))
        return
    print(f"Logged in at {address} as {account.email}.")
    print(f"  organisations: {', '.join(slugs) or 'none yet'}")
    print(f"  token:         {account.token_name}, holds until {account.token_expires_at or 'you revoke it'}")
