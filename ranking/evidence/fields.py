"""Typed access to a JSON object from outside: every wrong, missing or unknown field becomes a finding."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from ranking.evidence.errors import EvidenceError, fault
from ranking.evidence.model import Json

TEXT_LIMIT: Final = 200
"""Characters of a name or reason: longer ones break tables and are no names."""

_HEX = re.compile(r"[0-9a-f]*")


class Fields:
    """One JSON object at ``place``; ``rule`` is the id of the finding that its faults give."""

    __slots__ = ("_rule", "_values", "place")

    def __init__(self, value: Json, place: str, *, rule: str = "schema.field", where: str = "") -> None:
        self._rule = rule
        self.place = f"{place}: {where}" if where else place
        if not isinstance(value, dict):
            raise fault(rule, self.place, expected="an object", got=kind_of(value))
        self._values = value

    def only(self, names: frozenset[str]) -> Fields:
        """Refuse missing and unknown fields."""
        if self._values.keys() != names:
            missing, unknown = sorted(names - self._values.keys()), sorted(self._values.keys() - names)
            got = f"missing: {', '.join(missing) or 'none'}; unknown: {', '.join(unknown) or 'none'}"
            raise fault(self._rule, self.place, expected=f"the fields {', '.join(sorted(names))}", got=got)
        return self

    def including(self, names: frozenset[str]) -> dict[str, Json]:
        """Refuse missing fields; gives the further ones."""
        missing = sorted(names - self._values.keys())
        if missing:
            raise fault(self._rule, self.place, expected=", ".join(sorted(names)), got=f"missing: {', '.join(missing)}")
        return {name: value for name, value in self._values.items() if name not in names}

    def wrong(self, name: str, expected: object) -> EvidenceError:
        """The error for a field that is not as expected."""
        value = self._values.get(name)
        got = value if isinstance(value, str | int | float) else kind_of(value)
        return fault(self._rule, self.place, expected=f"{name}: {expected}", got=got)

    def any(self, name: str) -> Json:
        """The value as it is."""
        return self._values[name]

    def object(self, name: str) -> Fields:
        """A nested object."""
        return Fields(self._values[name], self.place, rule=self._rule, where=name)

    def array(self, name: str, *, most: int) -> list[Json]:
        """A list of at most ``most`` values."""
        value = self._values[name]
        if not isinstance(value, list) or len(value) > most:
            raise self.wrong(name, f"a list of at most {most}")
        return value

    def integers(self, name: str, *, most: int) -> tuple[int, ...]:
        """A list of at most ``most`` integers that are not negative."""
        values = self.array(name, most=most)
        integers = tuple(value for value in values if type(value) is int and value >= 0)
        if len(integers) != len(values):
            raise self.wrong(name, "a list of integers that are not negative")
        return integers

    def text(self, name: str, *, pattern: re.Pattern[str] | None = None) -> str:
        """A printable text of at most TEXT_LIMIT characters, all of it matching ``pattern``."""
        value = self._values[name]
        if not isinstance(value, str) or len(value) > TEXT_LIMIT or not value.isprintable():
            raise self.wrong(name, f"a printable text of at most {TEXT_LIMIT} characters")
        if pattern is not None and not pattern.fullmatch(value):
            raise self.wrong(name, f"a text like {pattern.pattern}")
        return value

    def hex(self, name: str, digits: int) -> str:
        """``digits`` lower-case hexadecimal digits."""
        value = self._values[name]
        if not isinstance(value, str) or len(value) != digits or not _HEX.fullmatch(value):
            raise self.wrong(name, f"{digits} hexadecimal digits")
        return value

    def word(self, name: str, words: Iterable[str]) -> str:
        """One of ``words``."""
        value = self._values[name]
        known = [str(word) for word in words]
        if not isinstance(value, str) or value not in known:
            raise self.wrong(name, " or ".join(known))
        return value

    def integer(self, name: str, *, least: int = 0, most: int = 2**53 - 1) -> int:
        """An integer within bounds; true and false are none."""
        value = self._values[name]
        if type(value) is not int or not least <= value <= most:
            raise self.wrong(name, f"an integer from {least} to {most}")
        return value

    def boolean(self, name: str) -> bool:
        """True or false."""
        value = self._values[name]
        if not isinstance(value, bool):
            raise self.wrong(name, "true or false")
        return value

    def constant(self, name: str, value: Json) -> None:
        """Refuse any other value than ``value``."""
        got = self._values[name]
        if got != value or type(got) is not type(value):
            raise self.wrong(name, "null" if value is None else value)


def kind_of(value: Json) -> str:
    """What a value is, in JSON's words."""
    kinds = {bool: "a boolean", int: "a number", float: "a number", str: "a text", list: "a list", dict: "an object"}
    return kinds.get(type(value), "null")
