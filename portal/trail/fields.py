"""Model fields shared by all apps: public ids, and JSON kept in the one text form that is hashed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.db import models

from portal.trail.ids import LENGTH, new_public_id
from ranking.evidence import canonical

if TYPE_CHECKING:
    _Char = models.CharField[str, str]
    _Text = models.TextField[Any, Any]
else:
    _Char = models.CharField
    _Text = models.TextField

EXACT_INTEGER_DIGITS = 15
"""Integers of up to 15 digits are exact in a double; longer ones in canonical JSON are floats written out."""


def _number(text: str) -> int | float:
    return int(text) if len(text.lstrip("-")) <= EXACT_INTEGER_DIGITS else float(text)


def parse_json(text: str | bytes) -> Any:
    """JSON of ours as Python values; a float written out (17000000000000000) stays a float and is written so again."""
    return json.loads(text, parse_int=_number)


class PublicIdField(_Char):
    """The id by which a row is named outside the database."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs |= {"max_length": LENGTH, "unique": True, "default": new_public_id, "editable": False}
        super().__init__(*args, **kwargs)


class JSONTextField(_Text):
    """A JSON value stored as its RFC 8785 text: the same on every database, and NaN never enters."""

    if TYPE_CHECKING:
        _pyi_private_set_type: Any
        _pyi_private_get_type: Any

    def from_db_value(self, value: str | None, *_context: object) -> Any:
        """Database text to Python values."""
        return None if value is None else parse_json(value)

    def get_prep_value(self, value: Any) -> str | None:
        """Python values to database text."""
        return None if value is None else canonical.dumps(value).decode()
