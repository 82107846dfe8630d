"""Reads what auditors look at: pages of a bundle's log, through a limited child."""

from __future__ import annotations

import json
from dataclasses import dataclass

from portal.submissions.children import ChildProblem, Limits, run_module
from portal.submissions.models import Submission
from portal.submissions.verifying import local_bundle

PAGE_LINES = 200
LIMITS = Limits(wall_s=30, memory_bytes=1024**3, output_bytes=8 * 1024**2)
"""Half a minute reads a log of gigabytes to its end; 200 lines of 4 KB take 1 MB, escaped at most eight times that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """One line as it stands in the bundle; ``cut`` where it is longer than what is shown."""

    number: int
    text: str
    cut: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LogPage:
    """A page of a run's log; ``error`` says why there is none."""

    lines: tuple[LogLine, ...]
    more: bool
    error: str


def log_page(*, submission: Submission, run: int, first: int) -> LogPage:
    """Lines of a run's log from ``first`` on, whatever the verifier thought of the bundle."""
    try:
        with local_bundle(submission) as path:
            arguments = [str(path), str(run), str(first), str(PAGE_LINES)]
            output = run_module("portal.audit.bundle_log", arguments, limits=LIMITS)
    except ChildProblem as problem:
        return LogPage(lines=(), more=False, error=f"{problem.id}: {problem.detail}")
    answer = json.loads(output)
    return LogPage(lines=tuple(LogLine(**line) for line in answer["lines"]), more=answer["more"], error=answer["error"])
