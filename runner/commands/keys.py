"""``vflops keys``: make, list and show signing keys; private parts are never printed."""

from __future__ import annotations

import argparse
import json
from typing import Any

from runner import keys
from runner.commands import register_key
from runner.errors import Exit


def add_parser(subparsers: Any) -> None:
    """Declare the command and its actions."""
    parser = subparsers.add_parser("keys", help="make, list, show and register signing keys")
    parser.add_argument("--json", action="store_true", help="print JSON")
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    create = actions.add_parser("create", help="make a new key; never overwrites one")
    create.add_argument("name", nargs="?", default=keys.DEFAULT_NAME)
    listing = actions.add_parser("list", help="list the keys of this machine's user")
    show = actions.add_parser("show", help="show the public part of a key")
    show.add_argument("name", nargs="?", default=keys.DEFAULT_NAME)
    for action in (create, listing, show):
        action.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")
    register_key.add_parser(actions)


def run(args: argparse.Namespace) -> int:
    """Do the action; without one list the keys, and say what else there is."""
    if args.action == "register":
        return int(register_key.run(args))
    if args.action == "create":
        _print_one(keys.create_key(args.name), args.json)
    elif args.action == "show":
        _print_one(keys.load_key(args.name), args.json)
    else:
        _print_all(keys.list_keys(), args.json)
        if args.action is None and not args.json:
            print("More: vflops keys create, show or register; see vflops keys --help")
    return Exit.ACCEPTED


def _document(key: keys.SigningKey) -> dict[str, str]:
    return {"name": key.name, "key_id": key.key_id, "public_key": key.public_text, "path": str(key.path)}


def _print_one(key: keys.SigningKey, as_json: bool) -> None:
    if as_json:
        print(json.dumps(_document(key)))
        return
    for label, value in _document(key).items():
        print(f"{label.replace('_', ' ') + ':':<12} {value}")


def _print_all(found: tuple[keys.SigningKey, ...], as_json: bool) -> None:
    if as_json:
        print(json.dumps({"keys": [_document(key) for key in found]}))
        return
    for key in found:
        print(f"{key.name:<20} {key.key_id}")
    if not found:
        print("No keys yet. `vflops keys create` makes one, and so does the first `vflops run`.")
