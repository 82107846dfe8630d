"""Child program: prints one page of a bundle's log as JSON. `python -m portal.audit.bundle_log BUNDLE RUN FIRST COUNT`.

It runs under limits and reads the bundle as it is, sound or not; so it imports nothing of Django and trusts no size.
"""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Iterator
from typing import IO, Any

LINE_BYTES = 4096
"""What of a line is shown; lines of the runner stay below 1 KB."""


def page(bundle: str, run: int, first: int, count: int) -> dict[str, Any]:
    """Lines ``first`` to ``first + count - 1`` of a run's log, counted from 1."""
    try:
        with zipfile.ZipFile(bundle) as archive, archive.open(f"runs/{run}/log.txt") as log:
            return _page(log, first, count)
    except (KeyError, zipfile.BadZipFile, NotImplementedError, EOFError, OSError) as error:
        return {"lines": [], "more": False, "error": f"{type(error).__name__}: {error}"[:200]}


def _page(log: IO[bytes], first: int, count: int) -> dict[str, Any]:
    lines: list[dict[str, Any]] = []
    for number, (text, cut) in enumerate(_lines(log), start=1):
        if number >= first + count:
            return {"lines": lines, "more": True, "error": ""}
        if number >= first:
            lines.append({"number": number, "text": text.decode("utf-8", "replace"), "cut": cut})
    return {"lines": lines, "more": False, "error": ""}


def _lines(log: IO[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Each line's beginning, and whether the rest was left out; never more than LINE_BYTES in memory."""
    while part := log.readline(LINE_BYTES):
        cut = False
        rest = part
        while rest and not rest.endswith(b"\n"):
            rest = log.readline(LINE_BYTES)
            cut = cut or bool(rest.strip(b"\n"))
        yield part.rstrip(b"\n"), cut


if __name__ == "__main__":
    bundle, *numbers = sys.argv[1:]
    sys.stdout.write(json.dumps(page(bundle, *map(int, numbers))))
