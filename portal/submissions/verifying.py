"""Verifies a stored bundle in a limited child process and reads the report it writes."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.storage import default_storage

from portal.submissions.children import ChildProblem, Limits, Watch, run_module
from portal.submissions.models import Submission
from portal.submissions.services import submission_renew_lease
from portal.trail.fields import parse_json
from ranking.evidence import canonical
from ranking.evidence.errors import EvidenceError

COPY_BYTES = 64 * 1024**2
"""Fetched between two renewals of the lease: a minute at 1 MB/s."""
RENEWALS = 4
"""Renewals in the time of one lease: three may be late."""
REPORT_KEYS = frozenset(
    {"schema", "rule_set", "verifier", "bundle", "verdict", "findings", "submission", "score", "runs"}
)
VERDICTS = frozenset({"accept", "hold", "reject"})


def verify(submission: Submission, attempt: int) -> dict[str, Any]:
    """The report of a submission's bundle. Raises ChildProblem where there is none.

    Holds the lease of ``attempt`` meanwhile, and stops when the attempt is no longer the current one.
    """

    def hold() -> None:
        if not submission_renew_lease(submission=submission, attempt=attempt):
            raise ChildProblem("verification.interrupted", f"attempt {attempt} was taken over")

    limits = Limits(
        wall_s=settings.VERIFY_WALL_S,
        memory_bytes=settings.VERIFY_MEMORY_BYTES,
        output_bytes=settings.VERIFY_OUTPUT_BYTES,
    )
    with local_bundle(submission, hold) as path:
        watch = Watch(act=hold, every_s=settings.LEASE.total_seconds() / RENEWALS)
        return parse_report(run_module("ranking.verify", ["--json", str(path)], limits=limits, watch=watch))


@contextmanager
def local_bundle(submission: Submission, hold: Callable[[], None] = lambda: None) -> Iterator[Path]:
    """The bundle as a local file: the stored one itself, or a copy of it that is removed afterwards.

    ``hold`` is called while it is fetched: at 50 MB/s the largest bundle takes longer than a lease.
    """
    name = submission.upload.storage_name
    try:
        path = Path(default_storage.path(name))
    except NotImplementedError:
        with _fetched(name, hold) as copy:
            yield copy
        return
    if not path.is_file():
        raise ChildProblem("verification.bundle_unavailable", name)
    yield path


@contextmanager
def _fetched(name: str, hold: Callable[[], None]) -> Iterator[Path]:
    with tempfile.NamedTemporaryFile(prefix="vflops-bundle-") as copy:
        try:
            with default_storage.open(name) as stored:
                while piece := stored.read(COPY_BYTES):
                    copy.write(piece)
                    hold()
        except OSError as error:
            raise ChildProblem("verification.bundle_unavailable", f"{name}: {type(error).__name__}") from error
        copy.flush()
        yield Path(copy.name)


def parse_report(output: bytes) -> dict[str, Any]:
    """The child's answer, typed: an object with a report's keys, whose numbers are finite."""
    try:
        document = parse_json(output)
        canonical.dumps(document)
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError, EvidenceError) as error:
        raise ChildProblem("verification.unreadable_report", str(error)[:200]) from error
    if not isinstance(document, dict) or not document.keys() >= REPORT_KEYS or document["verdict"] not in VERDICTS:
        raise ChildProblem("verification.unreadable_report", "not a report")
    return document
