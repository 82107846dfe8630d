"""A system description in the order in which a reader asks: processors, memory, accelerators, software."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from portal.boards.words import field_name

Document = Mapping[str, Any]

OWN = "vflops"
"""Key of a system description under which this project's own additions stand."""
STRUCTURED = frozenset({OWN, "other_software_stack"})
EMPTY_BY_RULE = frozenset({"submitter"})
"""Fields that exist for other tools' sake: who handed in is known from the account and key, never from the file."""


def system_facts(document: Document) -> tuple[tuple[str, Any], ...]:
    """Name and value of every plain field of the system description, in its own order."""
    system = document.get("system") or {}
    hidden = STRUCTURED | EMPTY_BY_RULE
    plain = [(field_name(key), value) for key, value in system.items() if key not in hidden]
    return (*plain, *((field_name(key), value) for key, value in _own(system).items() if not _is_long(value)))


def packages(document: Document) -> tuple[tuple[str, Any], ...]:
    """Name and version of every package that the runner saw."""
    system = document.get("system") or {}
    found = _own(system).get("packages")
    return tuple(sorted(found.items())) if isinstance(found, Mapping) else ()


def _own(system: Document) -> Document:
    own = system.get(OWN)
    return own if isinstance(own, Mapping) else {}


def _is_long(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or (isinstance(value, Mapping) and set(value) != {"unavailable"})
