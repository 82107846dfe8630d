"""What the portal has written down, no statement changes: on PostgreSQL and on SQLite."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.db import DatabaseError, connection, transaction

from portal.results.models import Result
from portal.trail import append_only
from portal.trail.models import Event, Kind
from portal.trail.services import event_record

TABLES = append_only.TABLES


@pytest.fixture
def filled(result: Result) -> Result:
    """A row in every append-only table."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO results_mark (result_id, kind, reason, by, by_auditor, created_at) "
            "VALUES (%s, 'noted', 'a reason', '', %s, %s)",
            [result.pk, True, result.published_at],
        )
    return result


@pytest.mark.sqlite
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("statement", ["UPDATE {} SET id = id", "DELETE FROM {}"])
def test_no_statement_changes_what_was_written(filled: Result, table: str, statement: str) -> None:
    """UPDATE and DELETE are refused by the database itself."""
    with (
        pytest.raises(DatabaseError, match=append_only.REFUSAL),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement.format(table))
    assert _rows(table)


@pytest.mark.parametrize("table", TABLES)
def test_no_table_is_emptied_at_once(filled: Result, table: str) -> None:
    """PostgreSQL's TRUNCATE passes no row trigger; it has one of its own. SQLite has no TRUNCATE."""
    statement = "TRUNCATE {} CASCADE" if connection.vendor == "postgresql" else "DELETE FROM {}"
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement.format(table))
    assert _rows(table)


def _rows(table: str) -> int:
    models = {model._meta.db_table: model for model in apps.get_models()}
    return models[table]._default_manager.count()


@pytest.mark.sqlite
def test_an_event_keeps_who_what_and_when(db: None) -> None:
    """The row holds ids, not names."""
    event_record(kind=Kind.AUDITOR_APPOINT, subject="someone", data={"n": 1})
    event = Event.objects.get()
    assert (event.kind, event.subject, event.actor, event.organisation) == ("auditor:appoint", "someone", "", "")
    assert event.data == {"n": 1}


def test_every_kind_names_an_entity_and_a_verb() -> None:
    """The form by which readers filter."""
    assert all(kind.value.count(":") == 1 and kind.value.islower() for kind in Kind)


def test_the_triggers_can_be_lifted_and_set_again(append_only_lifted: None, transactional_db: None) -> None:
    """By one fixture, which tests with real commits use."""
    event_record(kind=Kind.AUDITOR_APPOINT, subject="someone")
    Event.objects.all().delete()
    assert not Event.objects.exists()
