"""Reads the process environment, typed once at the door; the embedded defaults stand here."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from urllib.parse import unquote, urlsplit


class EnvironmentProblem(ValueError):
    """A variable of the environment holds something that cannot be used."""


def text(*names: str, default: str = "") -> str:
    """The first of ``names`` that is set and not empty."""
    return next((os.environ[name] for name in names if os.environ.get(name)), default)


def flag(name: str, *, default: bool = False) -> bool:
    """A yes/no variable: 1, true, yes, on or 0, false, no, off."""
    value = os.environ.get(name, "").lower()
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"0", "false", "no", "off"}:
        return False
    if value:
        raise EnvironmentProblem(f"{name}: expected 1 or 0, got {value!r}")
    return default


def number(name: str, *, default: int) -> int:
    """A whole number."""
    value = os.environ.get(name, "")
    if not value:
        return default
    try:
        return int(value)
    except ValueError as error:
        raise EnvironmentProblem(f"{name}: expected a whole number, got {value!r}") from error


def words(name: str, *, default: tuple[str, ...] = ()) -> list[str]:
    """A comma-separated list."""
    value = os.environ.get(name, "")
    return [word.strip() for word in value.split(",") if word.strip()] if value else list(default)


def secret_key(state_dir: Path) -> str:
    """SECRET_KEY, else a random one that is made once and kept in the state folder, readable by its owner only."""
    given = os.environ.get("SECRET_KEY", "")
    return given or _kept_secret(state_dir / "secret_key")


def _kept_secret(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text().strip()
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_urlsafe(64))
    return path.read_text().strip()


def email_settings(url: str, *, folder: Path) -> dict[str, str | int | bool]:
    """Django's EMAIL_* settings from ``smtp://user:password@host:port``.

    ``smtps://`` is TLS from the first byte, ``smtp+tls://`` is STARTTLS.
    An empty URL writes every mail to a file in ``folder``.
    """
    if not url:
        return {"EMAIL_BACKEND": "django.core.mail.backends.filebased.EmailBackend", "EMAIL_FILE_PATH": str(folder)}
    parts = urlsplit(url)
    if parts.scheme not in {"smtp", "smtps", "smtp+tls"} or not parts.hostname:
        raise EnvironmentProblem(f"EMAIL_URL: expected smtp://, smtps:// or smtp+tls://, got scheme {parts.scheme!r}")
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or (465 if parts.scheme == "smtps" else 25),
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": parts.scheme == "smtps",
        "EMAIL_USE_TLS": parts.scheme == "smtp+tls",
    }
