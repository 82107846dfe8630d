"""Everything that the command line tells a user when something is wrong: errors with stable ids, never tracebacks."""

from __future__ import annotations

import json
import sys
import time
import traceback
from dataclasses import asdict, dataclass
from enum import IntEnum
from pathlib import Path

from runner import home


class Exit(IntEnum):
    """Exit statuses of the command line; part of its interface."""

    ACCEPTED = 0
    ERROR = 1
    USAGE = 2
    REJECTED = 3
    HELD = 4
    INTERRUPTED = 130


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What a user reads of an error: a stable id, what and where, expected and got, and what to do."""

    id: str
    message: str
    place: str = ""
    expected: str = ""
    got: str = ""
    action: str = ""


class RunnerError(Exception):
    """The command cannot go on; ``problem`` says why."""

    status = Exit.ERROR

    def __init__(
        self, id: str, message: str, *, place: object = "", expected: object = "", got: object = "", action: str = ""
    ) -> None:
        """Keep the parts as texts; ``id`` is ``family.name``."""
        super().__init__(message)
        self.problem = Problem(
            id=id, message=message, place=str(place), expected=str(expected), got=str(got), action=action
        )


class UsageError(RunnerError):
    """The command was asked for something that it cannot or may not do."""

    status = Exit.USAGE


class Interrupted(RunnerError):
    """The user stopped the command; what was done so far lies whole on disk."""

    status = Exit.INTERRUPTED


def problem_of(error: BaseException) -> Problem:
    """The Problem of any error: its own, or that of an unexpected one, whose traceback goes to a log file."""
    if isinstance(error, RunnerError):
        return error.problem
    if isinstance(error, KeyboardInterrupt):
        return Problem(id="command.interrupted", message="On your request.")
    finding = getattr(error, "finding", None)
    if finding is not None:
        return Problem(
            id=finding.id,
            message="This file is not valid evidence.",
            place=finding.place,
            expected=finding.expected,
            got=finding.got,
        )
    return _of_workload(error) or _unexpected(error)


def _of_workload(error: BaseException) -> Problem | None:
    """The Problem of an error that carries the six texts itself, as those of ``workloads`` do."""
    parts = {name: getattr(error, name, None) for name in ("id", "message", "place", "expected", "got", "action")}
    if parts["id"] is None or parts["message"] is None:
        return None
    return Problem(**{name: "" if value is None else str(value) for name, value in parts.items()})


def _unexpected(error: BaseException) -> Problem:
    where = write_traceback(error)
    return Problem(
        id="internal.unexpected",
        message=f"Something went wrong that vflops did not foresee: {type(error).__name__}: {error}",
        place=str(where) if where else "",
        action="The file named above holds the details. Please report them; nothing you did is lost.",
    )


def write_traceback(error: BaseException) -> Path | None:
    """Write the traceback of ``error`` to the log folder; None where even that cannot be written."""
    text = "".join(traceback.format_exception(error))
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    try:
        folder = home.logs_folder()
        path = folder / f"error-{stamp}.txt"
        path.write_text(text, encoding="utf-8")
    except OSError:
        sys.stderr.write(text)
        return None
    return path


def print_problem(problem: Problem, *, as_json: bool, label: str = "error") -> None:
    """Tell the user: one JSON object on standard output, or a few lines that begin with ``label`` on standard error."""
    if as_json:
        print(json.dumps({"error": asdict(problem)}), flush=True)
        return
    lines = [f"{label}: {problem.message}  [{problem.id}]"]
    for name, text in (("where", problem.place), ("expected", problem.expected), ("got", problem.got)):
        if text:
            lines.append(f"  {name + ':':<10} {text}")
    if problem.action:
        lines.append(f"  {'to do:':<10} {problem.action}")
    print("\n".join(lines), file=sys.stderr, flush=True)
