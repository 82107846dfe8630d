"""Model fields shared by all apps: public ids, and JSON kept as the exact text that was hashed."""

from __future__ import annotations

import json
from typing import Any

from django.db import models

from portal.trail.ids import LENGTH, new_public_id

EXACT_INTEGER_DIGITS = 15
"""Integers of up to 15 digits are exact in a double; longer ones in canonical JSON are floats written out."""


def _number(text: str) -> int | float:
    return int(text) if len(text.lstrip("-")) <= EXACT_INTEGER_DIGITS else float(text)


def parse_json(text: str | bytes) -> Any:
    """JSON of ours as Python values; written-out floats such as 17000000000000000 stay floats, so that a second writing is equal."""
    return json.loads(text, parse_int=_number)


class PublicIdField(models.CharField):  # type: ignore[type-arg]
    """The id by which a row is named outside the database."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs |= {"max_length": LENGTH, "unique": True, "default": new_public_id, "editable": False}
        super().__init__(*args, **kwargs)


class JSONTextField(models.TextField):  # type: ignore[type-arg]
    """A JSON value stored as text: the same on every database, and NaN never enters.

    A value that is a ``str`` already is text as hashed and is stored as it is.
    """

    def from_db_value(self, value: str | None, *_context: object) -> Any:
        """Database text to Python values."""
        return None if value is None else parse_json(value)

    def get_prep_value(self, value: Any) -> str | None:
        """Python values to database text."""
        if value is None or isinstance(value, str):
            return value
        return json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
