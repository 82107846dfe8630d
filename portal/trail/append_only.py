"""Triggers that refuse UPDATE and DELETE on append-only tables, on PostgreSQL and SQLite."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db import migrations
from django.db.backends.base.base import BaseDatabaseWrapper

TABLES = (
    "trail_event",
    "submissions_verificationreport",
    "results_resultversion",
    "results_mark",
)
"""Every append-only table of the portal."""

REFUSAL = "append-only"
"""Part of the database's message by which a refusal is recognised."""


def install(connection: BaseDatabaseWrapper, tables: Iterable[str] = TABLES) -> None:
    """Make ``tables`` append-only."""
    _execute(connection, _statements(connection.vendor, "install", tables))


def remove(connection: BaseDatabaseWrapper, tables: Iterable[str] = TABLES) -> None:
    """Lift the protection: for the test database's cleaning and for taking a migration back."""
    _execute(connection, _statements(connection.vendor, "remove", tables))


def operation(table: str) -> migrations.RunPython:
    """The migration step that protects ``table``."""

    def forwards(_apps: Any, schema_editor: Any) -> None:
        install(schema_editor.connection, (table,))

    def backwards(_apps: Any, schema_editor: Any) -> None:
        remove(schema_editor.connection, (table,))

    return migrations.RunPython(forwards, backwards)


def _execute(connection: BaseDatabaseWrapper, statements: Iterable[str]) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def _statements(vendor: str, verb: str, tables: Iterable[str]) -> list[str]:
    makers = {
        ("sqlite", "install"): _sqlite_install,
        ("sqlite", "remove"): _sqlite_remove,
        ("postgresql", "install"): _postgresql_install,
        ("postgresql", "remove"): _postgresql_remove,
    }
    if (vendor, verb) not in makers:
        raise NotImplementedError(f"append-only tables on {vendor}: the portal runs on PostgreSQL and SQLite")
    return [statement for table in tables for statement in makers[vendor, verb](table)]


def _sqlite_install(table: str) -> list[str]:
    return [
        f"CREATE TRIGGER IF NOT EXISTS {table}_no_{verb.lower()} BEFORE {verb} ON {table} "
        f"BEGIN SELECT RAISE(ABORT, '{table} is {REFUSAL}'); END"
        for verb in ("UPDATE", "DELETE")
    ]


def _sqlite_remove(table: str) -> list[str]:
    return [f"DROP TRIGGER IF EXISTS {table}_no_{verb}" for verb in ("update", "delete")]


_REFUSE = f"""
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '% is {REFUSAL}', TG_TABLE_NAME USING ERRCODE = 'restrict_violation'; END $$
"""


def _postgresql_install(table: str) -> list[str]:
    rows, truncation = f"{table}_no_change", f"{table}_no_truncate"
    call = "EXECUTE FUNCTION refuse_change()"
    return [
        _REFUSE,
        f"CREATE OR REPLACE TRIGGER {rows} BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW {call}",
        f"CREATE OR REPLACE TRIGGER {truncation} BEFORE TRUNCATE ON {table} FOR EACH STATEMENT {call}",
    ]


def _postgresql_remove(table: str) -> list[str]:
    return [f"DROP TRIGGER IF EXISTS {table}_no_{name} ON {table}" for name in ("change", "truncate")]
