"""Settings by environment alone: embedded by default, a real deployment by variables, the same code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client

from portal import environment

PRODUCTION = {
    "SECRET_KEY": "k" * 20 + "".join(chr(97 + n % 26) for n in range(40)),
    "SITE_URL": "https://vflops.example.org",
    "ALLOWED_HOSTS": "vflops.example.org",
    "DATABASE_URL": "postgresql://portal:secret@db.example.org:5432/portal",
    "REDIS_URL": "redis://redis.example.org:6379/0",
    "S3_BUCKET": "bundles",
    "S3_ENDPOINT_URL": "https://s3.example.org",
    "EMAIL_URL": "smtp+tls://portal:p%40ss@mail.example.org:587",
    "BEHIND_PROXY": "1",
}
REPORT = """
import json
from portal import settings as s
names = ("CELERY_BROKER_URL", "EMAIL_BACKEND", "EMAIL_HOST_PASSWORD", "EMAIL_USE_TLS", "SESSION_COOKIE_SECURE")
names += ("SECURE_HSTS_SECONDS", "SECURE_HSTS_INCLUDE_SUBDOMAINS", "SECURE_HSTS_PRELOAD")
print(json.dumps({name: getattr(s, name) for name in names} | {
    "database": s.DATABASES["default"]["ENGINE"], "options": s.DATABASES["default"].get("OPTIONS", {}),
    "cache": s.CACHES["default"]["BACKEND"], "storage": s.STORAGES["default"]["BACKEND"]}))
"""


def run(folder: Path, variables: dict[str, str], *command: str) -> subprocess.CompletedProcess[str]:
    """A fresh interpreter under nothing but these variables."""
    env = {"PATH": os.environ["PATH"], "VFLOPS_STATE_DIR": str(folder), "PYTHONPATH": str(settings.BASE_DIR)}
    return subprocess.run(
        [sys.executable, *command],
        env=env | variables,
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
        check=False,
    )


def read(folder: Path, variables: dict[str, str]) -> dict[str, Any]:
    """The settings that these variables give."""
    done = run(folder, variables, "-c", REPORT)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_an_empty_environment_is_the_embedded_portal(tmp_path: Path) -> None:
    """SQLite with immediate transactions, files, one folder; its secret made once, for its owner alone."""
    found = read(tmp_path, {})
    secret = tmp_path / "secret_key"
    kept = secret.read_text()
    assert found["database"].endswith("sqlite3")
    assert (found["options"]["transaction_mode"], found["options"]["timeout"]) == ("IMMEDIATE", 20)
    assert found["CELERY_BROKER_URL"] == "filesystem://"
    assert found["EMAIL_BACKEND"].endswith("filebased.EmailBackend")
    assert (secret.stat().st_mode & 0o777, len(kept) > 50) == (0o600, True)
    read(tmp_path, {})
    assert secret.read_text() == kept


def test_variables_alone_make_a_real_deployment(tmp_path: Path) -> None:
    """PostgreSQL, Redis, S3, SMTP, secure cookies; and no secret on the disk."""
    found = read(tmp_path, PRODUCTION)
    assert found["database"].endswith("postgresql")
    assert found["CELERY_BROKER_URL"] == PRODUCTION["REDIS_URL"]
    assert found["storage"].endswith("S3Storage")
    assert found["cache"].endswith("RedisCache")
    assert (found["EMAIL_HOST_PASSWORD"], found["EMAIL_USE_TLS"]) == ("p@ss", True)
    assert found["SESSION_COOKIE_SECURE"]
    assert not (tmp_path / "secret_key").exists()


@pytest.mark.parametrize(
    ("variables", "subdomains", "preload"),
    [
        ({}, False, False),
        ({"HSTS_PRELOAD": "1"}, False, False),
        ({"HSTS_SUBDOMAINS": "1"}, True, False),
        ({"HSTS_SUBDOMAINS": "1", "HSTS_PRELOAD": "1"}, True, True),
    ],
)
def test_subdomains_and_preload_lists_are_bound_only_where_the_operator_says_so(
    tmp_path: Path, variables: dict[str, str], subdomains: bool, preload: bool
) -> None:
    """Other sites of the domain are not the portal's; the portal itself is kept to HTTPS in any case."""
    found = read(tmp_path, PRODUCTION | variables)
    assert found["SECURE_HSTS_SECONDS"] > 0
    assert (found["SECURE_HSTS_INCLUDE_SUBDOMAINS"], found["SECURE_HSTS_PRELOAD"]) == (subdomains, preload)


def test_djangos_own_check_for_deployment_finds_nothing(tmp_path: Path) -> None:
    """With warnings as errors."""
    done = run(tmp_path, PRODUCTION, "manage.py", "check", "--deploy", "--fail-level", "WARNING")
    assert done.returncode == 0, done.stderr


def test_models_and_migrations_agree(tmp_path: Path) -> None:
    """Nothing is left to be migrated."""
    done = run(tmp_path, {}, "manage.py", "makemigrations", "--check", "--dry-run")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("variables", [{"PORT": "x"}, {"DEBUG": "perhaps"}, {"EMAIL_URL": "http://x"}])
def test_a_variable_that_cannot_be_used_is_named(tmp_path: Path, variables: dict[str, str]) -> None:
    """Before anything starts."""
    done = run(tmp_path, variables, "-c", "import portal.settings")
    assert next(iter(variables)) in done.stderr.splitlines()[-1]


def test_words_and_flags() -> None:
    """What lists and switches look like."""
    os.environ["VFLOPS_TEST_WORDS"] = "a, b,,c "
    try:
        assert environment.words("VFLOPS_TEST_WORDS") == ["a", "b", "c"]
    finally:
        del os.environ["VFLOPS_TEST_WORDS"]
    assert environment.words("VFLOPS_TEST_WORDS", default=("x",)) == ["x"]
    assert environment.flag("VFLOPS_TEST_WORDS", default=True)


def test_the_policy_allows_our_own_files_and_nothing_else(client: Client, db: None) -> None:
    """On a page and on an error."""
    for address in ("/", "/no/such/page"):
        policy = client.get(address).headers["Content-Security-Policy"]
        parts = dict(part.strip().split(" ", 1) for part in policy.split(";"))
        assert "unsafe" not in policy
        assert parts["default-src"] == parts["script-src"] == parts["style-src"] == parts["form-action"] == "'self'"
        assert parts["frame-ancestors"] == parts["base-uri"] == parts["object-src"] == "'none'"


@pytest.mark.sqlite
def test_sqlite_writes_ahead(db: None) -> None:
    """Readers do not wait for the writer."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA journal_mode")
            assert cursor.fetchone() == ("wal",)
