"""The login guard: what failures are counted by, and what who failed too often sees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def login_name(request: HttpRequest, credentials: Mapping[str, Any] | None) -> str:
    """The e-mail address of a login attempt, in the form it is stored in."""
    given = credentials or {}
    name = (
        given.get("email") or given.get("username") or request.POST.get("login") or request.POST.get("username") or ""
    )
    return str(name).strip().lower()


def locked_out(request: HttpRequest, _credentials: Mapping[str, Any] | None = None) -> HttpResponse:
    """A page that says for how long, and what to do meanwhile."""
    wait_s = settings.AXES_COOLOFF_TIME.total_seconds()
    context = {"minutes": round(wait_s / 60)}
    answer = render(request, "accounts/locked_out.html", context, status=429)
    answer["Retry-After"] = str(round(wait_s))
    return answer
