"""``vflops keys register``: make a signing key known as an organisation's, proving that it is at hand."""

from __future__ import annotations

import argparse
import base64
import json
from dataclasses import asdict
from typing import Any

from runner import keys
from runner.answers import Key
from runner.client import Portal
from runner.commands import portal_access
from runner.errors import Exit

PROOF_CONTEXT = b"vflops-key-registration:"
"""What is signed as proof, before the organisation's slug: no other signature of a key begins like this."""


def add_parser(actions: Any) -> None:
    """Declare the action ``register`` of ``vflops keys``."""
    parser = actions.add_parser("register", help="register a key's public part with your organisation")
    parser.add_argument("name", nargs="?", default=keys.DEFAULT_NAME, help="name or file of the key")
    parser.add_argument("--organisation", metavar="SLUG", help="for whom; needed where you belong to several")
    portal_access.add_options(parser)


def run(args: argparse.Namespace) -> int:
    """Sign the organisation's slug and hand in the public key; a key that is registered already is left as it is."""
    key = keys.load_or_create_key(args.name)[0]
    with portal_access.open_portal(args) as portal:
        organisation = portal_access.choose_organisation(portal.me(), args.organisation)
        known = _known(portal, key, organisation) or register(portal, key, organisation)
    if args.json:
        print(json.dumps(asdict(known)))
    else:
        print(f"{known.organisation} signs with key {known.key_id}")
    return Exit.ACCEPTED


def _known(portal: Portal, key: keys.SigningKey, organisation: str) -> Key | None:
    """The key as the portal has it for this organisation, unless it was revoked."""
    mine = [k for k in portal.registered_keys() if k.key_id == key.key_id and k.organisation == organisation]
    return next((k for k in mine if k.revoked_at is None), None)


def register(portal: Portal, key: keys.SigningKey, organisation: str) -> Key:
    """Register ``key`` with its proof of possession."""
    signature = key.private.sign(PROOF_CONTEXT + organisation.encode())
    return portal.key_register(
        organisation=organisation,
        name=key.name,
        public_key=key.public_text,
        signature=base64.b64encode(signature).decode("ascii"),
    )
