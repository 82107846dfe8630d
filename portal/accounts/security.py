"""The login guard: what failures are counted by, and what who failed too often sees."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address
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


def caller_address(request: HttpRequest) -> str:
    """The address of the connection. Behind a proxy that the operator named, the last one that this proxy wrote down;
    what a caller writes stands before it and decides nothing."""
    connection = str(request.META.get("REMOTE_ADDR", ""))
    if not settings.SECURE_PROXY_SSL_HEADER:
        return connection
    written = request.headers.get("X-Forwarded-For", "").rsplit(",", 1)[-1].strip()
    return written if is_valid_ip(written) else connection


def is_valid_ip(text: str) -> bool:
    """Whether the database takes ``text`` as an address."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return "%" not in text


def locked_out(request: HttpRequest, _credentials: Mapping[str, Any] | None = None) -> HttpResponse:
    """A page that says for how long, and what to do meanwhile."""
    wait_s = settings.AXES_COOLOFF_TIME.total_seconds()
    context = {"minutes": round(wait_s / 60)}
    answer = render(request, "accounts/locked_out.html", context, status=429)
    answer["Retry-After"] = str(round(wait_s))
    return answer
