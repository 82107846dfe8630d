"""Public ids: short, not serial, safe to read aloud and to put in an address."""

from __future__ import annotations

import secrets

ALPHABET = "23456789abcdefghjkmnpqrstvwxyz"
"""Lower-case letters and digits without the look-alikes 0 o 1 l i u."""
LENGTH = 12
"""30^12 = 5e17 ids: among a million rows the chance that a guess meets one is 2e-12."""


def new_public_id() -> str:
    """A fresh random id."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
