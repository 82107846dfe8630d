"""Which boards there are: every workload, scale and level of the definitions, with what is published on each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from django.urls import reverse
from django.utils.translation import gettext as _

from portal.boards.words import readable, word
from portal.results.models import Board
from workloads.definition import Level, UnknownWorkload, Workload, find, registry


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A board as listed: its names, address and number of results; it may have no row in the database yet."""

    workload: str
    scale: str
    level: str
    listed: int = 0

    @property
    def title(self) -> str:
        """``Image classification, lite, hardware level``."""
        return _("%(workload)s, %(scale)s, %(level)s level") % {
            "workload": readable(self.workload),
            "scale": word(self.scale, "scale"),
            "level": word(self.level, "level"),
        }

    @property
    def url(self) -> str:
        """The board's permanent address."""
        return reverse("boards:board", args=[self.workload, self.scale, self.level])


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleBoards:
    """The boards of one workload and scale, one a level."""

    name: str
    definition: Workload
    boards: tuple[Entry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadBoards:
    """The boards of one workload."""

    name: str
    scales: tuple[ScaleBoards, ...]


def entry(board: Board) -> Entry:
    """A board with a row, as listed."""
    return Entry(workload=board.workload, scale=board.scale, level=board.level, listed=board.listed)


def definition_of(workload: str, scale: str) -> Workload | None:
    """The newest definition of that name and scale, or None."""
    try:
        return find(workload, scale)
    except UnknownWorkload:
        return None


def catalogue(boards: Iterable[Board]) -> tuple[WorkloadBoards, ...]:
    """All boards that the definitions allow, grouped by workload and scale; ``boards`` says what is published."""
    listed = {(b.workload, b.scale, b.level): b.listed for b in boards}
    newest = {(w.name, w.scale): find(w.name, w.scale) for w in registry()}
    return tuple(
        WorkloadBoards(name=name, scales=tuple(_scale(definition, listed) for definition in definitions))
        for name, definitions in groupby(newest.values(), key=lambda w: w.name)
    )


def _scale(definition: Workload, listed: dict[tuple[str, str, str], int]) -> ScaleBoards:
    names = (definition.name, str(definition.scale))
    entries = (
        Entry(workload=names[0], scale=names[1], level=level, listed=listed.get((*names, level.value), 0))
        for level in Level
    )
    return ScaleBoards(name=names[1], definition=definition, boards=tuple(entries))


def siblings(workload: str, catalogued: Iterable[WorkloadBoards]) -> tuple[Entry, ...]:
    """All boards of one workload."""
    return tuple(
        board for group in catalogued if group.name == workload for scale in group.scales for board in scale.boards
    )
