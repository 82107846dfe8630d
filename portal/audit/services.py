"""What auditors decide; each decision needs a reason and enters the trail."""

from __future__ import annotations

from typing import Any

from portal.accounts.models import User
from portal.errors import PortalError
from portal.results.models import Mark, MarkKind, Result
from portal.results.services import mark_create
from portal.submissions.models import Submission
from portal.submissions.services import submission_decide as decide


def is_auditor(user: Any) -> bool:
    """Whether ``user`` may look at everything and decide."""
    return bool(user.is_authenticated and user.is_active and (user.is_auditor or user.is_superuser))


def require_auditor(user: User) -> None:
    """Raise PortalError ``permission.denied`` unless ``user`` is an auditor."""
    if not is_auditor(user):
        raise PortalError("permission.denied", "auditor needed")


def result_mark(*, result: Result, kind: MarkKind, reason: str, auditor: User) -> Mark:
    """Note something on a result, withdraw it or disqualify it."""
    require_auditor(auditor)
    return mark_create(result=result, kind=kind, reason=reason, by=auditor, by_auditor=True)


def submission_decide(*, submission: Submission, auditor: User, accept: bool, reason: str) -> Submission:
    """Accept or reject a held submission."""
    require_auditor(auditor)
    return decide(submission=submission, auditor=auditor, accept=accept, reason=reason)
