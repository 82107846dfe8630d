"""What the login guard counts failures by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest


def login_name(request: HttpRequest, credentials: Mapping[str, Any] | None) -> str:
    """The e-mail address of a login attempt, in the form it is stored in."""
    given = credentials or {}
    name = (
        given.get("email") or given.get("username") or request.POST.get("login") or request.POST.get("username") or ""
    )
    return str(name).strip().lower()
