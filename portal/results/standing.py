"""What became of a publication: a withdrawn or disqualified result says so wherever its submission is told of."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from portal.results.models import Mark, Result, Standing
from portal.submissions.models import Submission
from portal.submissions.next_steps import next_step


def result_of(submission: Submission) -> Result | None:
    """The published result; free where the query that read the submission joined it."""
    return getattr(submission, "result", None)


def decisive_mark(result: Result, marks: Iterable[Mark]) -> Mark | None:
    """The mark among ``marks`` that took ``result`` off its board; None while it is listed."""
    return next((mark for mark in marks if mark.kind == result.standing), None)


def mark_of(submission: Submission) -> Mark | None:
    """The mark that took the submission's result off its board; one query at most."""
    result = result_of(submission)
    if result is None or result.standing == Standing.LISTED:
        return None
    return decisive_mark(result, result.marks.all())


def step_with_standing(submission: Submission) -> Promise | str:
    """What happens next; for a result that is off its board, since when and why."""
    mark = mark_of(submission)
    if mark is None:
        return next_step(submission)
    return _(
        "Nothing happens any more. The result was %(mark)s on %(day)s and holds no rank; its page stays. "
        "Reason: %(reason)s"
    ) % {
        "mark": mark.get_kind_display(),
        "day": mark.created_at.astimezone(UTC).date().isoformat(),
        "reason": mark.reason,
    }
