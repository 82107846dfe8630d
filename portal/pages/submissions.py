"""Pages of submissions: the list, one submission with its state, upload, publish and withdraw."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import quote_etag
from django.utils.translation import gettext as _

from portal.accounts.models import User
from portal.accounts.selectors import organisations_to_submit_for
from portal.boards.paging import page_of
from portal.errors import EXPLANATIONS
from portal.pages import selectors
from portal.pages.doors import attempt, person, private
from portal.pages.forms import ReasonForm, UploadForm
from portal.pages.progress import Progress, fingerprint, progress
from portal.pages.selectors import SubmissionRecord
from portal.results.services import result_withdraw
from portal.submissions.selectors import report_findings
from portal.submissions.services import submission_publish, submission_withdraw

BROWSER_HASH_LIMIT_BYTES = 512 * 1024**2
"""Largest bundle that the web page takes: the browser's SHA-256 needs the whole file in memory, twice at its peak."""
UNCHANGED = 204
"""Answer to a page that asks for news where there are none; htmx then leaves the page alone."""


@private()
def submission_list(request: HttpRequest) -> HttpResponse:
    """What the person's organisations have handed in."""
    context = {
        "page": page_of(selectors.submission_list(person(request)), request.GET),
        "may_upload": organisations_to_submit_for(person(request)).exists(),
        "tab": "submissions",
    }
    return render(request, "pages/submissions.html", context)


@private()
def submission(request: HttpRequest, public_id: str) -> HttpResponse:
    """One submission; the part that changes looks for news by itself."""
    return render(request, "pages/submission.html", _context(_record(request, public_id)))


@private()
def submission_state(request: HttpRequest, public_id: str) -> HttpResponse:
    """The part of the page that changes; empty where ``seen`` is what the page shows already."""
    context = _context(_record(request, public_id))
    seen = str(context["seen"])
    if request.GET.get("seen") == seen:
        response = HttpResponse(status=UNCHANGED)
    else:
        response = render(request, "pages/submission_live.html", context)
    response["ETag"] = quote_etag(seen)
    return response


def _record(request: HttpRequest, public_id: str) -> SubmissionRecord:
    record = selectors.submission_record(person(request), public_id)
    if record is None:
        raise Http404("no such submission")
    return record


def _context(record: SubmissionRecord) -> dict[str, object]:
    shown = progress(record.submission, place=record.place)
    return {
        "record": record,
        "submission": record.submission,
        "progress": shown,
        "report": record.report.document if record.report else None,
        "findings": report_findings(record.report) if record.report else [],
        "error": EXPLANATIONS.get(record.submission.last_error_id),
        "seen": _seen(record, shown),
        "tab": "submissions",
    }


def _seen(record: SubmissionRecord, shown: Progress) -> str:
    row = record.submission
    result = (record.result.version_number, record.result.standing) if record.result else None
    return fingerprint(
        row.state,
        row.state_since,
        row.attempt,
        row.publish_when_verified,
        row.last_error_id,
        shown.place,
        str(result),
        len(record.events),
    )


@private()
def upload(request: HttpRequest) -> HttpResponse:
    """Send a bundle from the browser."""
    form = UploadForm()
    organisations = organisations_to_submit_for(person(request))
    form.fields["organisation"].queryset = organisations  # type: ignore[attr-defined]
    context = {
        "form": form,
        "organisations": organisations,
        "hash_limit_bytes": BROWSER_HASH_LIMIT_BYTES,
        "tab": "upload",
    }
    return render(request, "pages/upload.html", context)


@private("POST")
def publish(request: HttpRequest, public_id: str) -> HttpResponse:
    """Ask for publication."""
    found = _record(request, public_id).submission
    action = partial(submission_publish, submission=found, user=person(request))
    attempt(request, action, _("Publication is asked for."))
    return redirect("pages:submission", public_id=public_id)


@private("GET", "HEAD", "POST")
def withdraw(request: HttpRequest, public_id: str) -> HttpResponse:
    """Take a submission back, or a published result off its board."""
    record = _record(request, public_id)
    form = ReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        action = _withdrawal(record, person(request), form.cleaned_data["reason"])
        attempt(request, action, _("It is withdrawn."))
        return redirect("pages:submission", public_id=public_id)
    context = {"form": form, "submission": record.submission, "result": record.result, "tab": "submissions"}
    return render(request, "pages/withdraw.html", context)


def _withdrawal(record: SubmissionRecord, user: User, reason: str) -> Callable[[], object]:
    if record.result is not None:
        return partial(result_withdraw, result=record.result, user=user, reason=reason)
    return partial(submission_withdraw, submission=record.submission, user=user, reason=reason)
