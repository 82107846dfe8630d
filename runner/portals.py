"""What the command line remembers of portals: tokens and unfinished uploads, in files that only their owner reads."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from runner import home
from runner.client import normal_address
from runner.errors import RunnerError
from runner.files import OWNER_ONLY, write_whole
from runner.portal_errors import PortalError

FORMAT = 1
"""Version of both files' layout."""

ADDRESS_VARIABLE = "VFLOPS_PORTAL"
TOKEN_VARIABLE = "VFLOPS_TOKEN"  # noqa: S105 - a variable's name, not a secret


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """A portal and the token that opens it."""

    address: str
    token: str = field(repr=False)
    email: str = ""
    expires_at: str | None = None


def portals_path() -> Path:
    """The file of all logins."""
    return home.home() / "portals.json"


def uploads_path() -> Path:
    """The file of uploads that were begun and did not end."""
    return home.home() / "uploads.json"


def remember(login: Login) -> None:
    """Store a login; it becomes the one that is used where none is named."""
    document = _read(portals_path())
    portals = {**document.get("portals", {}), login.address: asdict(login)}
    _write(portals_path(), {"format": FORMAT, "default": login.address, "portals": portals})


def choose(address: str | None) -> Login:
    """The login to use: ``address`` or VFLOPS_PORTAL, else the last one; VFLOPS_TOKEN overrides the stored token."""
    document = _read(portals_path())
    named = address or os.environ.get(ADDRESS_VARIABLE) or document.get("default")
    if not named:
        raise PortalError("portal.unknown", "no portal is known on this machine")
    wanted = normal_address(named)
    token = os.environ.get(TOKEN_VARIABLE, "").strip()
    if token:
        return Login(address=wanted, token=token)
    stored = document.get("portals", {}).get(wanted)
    if stored is None:
        raise PortalError("token.missing", f"there is no token for {wanted} on this machine")
    return Login(**stored)


class UnfinishedUploads:
    """Where uploads stand that a connection, a crash or the user cut short, so that the next try goes on there."""

    def __init__(self, path: Path) -> None:
        """Remember in ``path``."""
        self._path = path

    def find(self, key: str) -> str | None:
        """Address of the unfinished upload known by ``key``."""
        address = _read(self._path).get("uploads", {}).get(key)
        return address if isinstance(address, str) else None

    def keep(self, key: str, address: str) -> None:
        """An upload was begun."""
        self._change({key: address})

    def forget(self, key: str) -> None:
        """An upload ended, well or not."""
        if self.find(key) is not None:
            self._change({key: None})

    def _change(self, changes: Mapping[str, str | None]) -> None:
        uploads = {**_read(self._path).get("uploads", {}), **changes}
        _write(self._path, {"format": FORMAT, "uploads": {k: v for k, v in uploads.items() if v is not None}})


def _read(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise _unreadable(path, str(error)) from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise _unreadable(path, "not written by this version of vflops")
    return document


def _unreadable(path: Path, got: str) -> RunnerError:
    return RunnerError(
        "login.unreadable",
        "The file of stored logins and uploads cannot be used.",
        place=path,
        expected=f"format {FORMAT}",
        got=got,
        action="Move the file away, then run 'vflops login URL'.",
    )


def _write(path: Path, document: Mapping[str, Any]) -> None:
    """Replace ``path`` as a whole; nobody but its owner can read it at any moment."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps(document, indent=2).encode(), mode=OWNER_ONLY)
