"""Pages of the auditors' desk inside the administration: log, report, decision, mark."""

from __future__ import annotations

import json
from typing import Any

from django.contrib import admin
from django.contrib.auth.mixins import UserPassesTestMixin
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.generic import FormView, TemplateView, View

from portal.accounts.models import User
from portal.audit.forms import DecisionForm, MarkForm, read_log_form
from portal.audit.selectors import PAGE_LINES, log_page
from portal.audit.services import is_auditor, result_mark, submission_decide
from portal.errors import PortalError
from portal.results.models import MarkKind, Result
from portal.submissions.models import Submission
from portal.submissions.selectors import newest_report, report_findings


class AuditorPage(UserPassesTestMixin, View):
    """A page for auditors alone; others in the administration get 403."""

    raise_exception = True
    request: HttpRequest
    kwargs: dict[str, Any]

    def test_func(self) -> bool:
        """Whether the person is an auditor."""
        return is_auditor(self.request.user)

    def auditor(self) -> User:
        """The person who looks."""
        if not isinstance(self.request.user, User):
            raise PortalError("permission.denied", "auditor needed")
        return self.request.user

    def page_context(self, title: str, **context: Any) -> dict[str, Any]:
        """What the administration's frame needs, and the page's own."""
        return {**admin.site.each_context(self.request), "title": title, **context}


class LogView(AuditorPage, TemplateView):
    """Lines of a bundle's log, as they stand in it."""

    template_name = "audit/log.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """One page of one run."""
        submission = get_object_or_404(Submission, pk=kwargs["pk"])
        run, first = read_log_form(self.request.GET.dict())
        page = log_page(submission=submission, run=run, first=first)
        return self.page_context(
            _("Log of %(submission)s, run %(run)d") % {"submission": submission, "run": run},
            submission=submission,
            run=run,
            runs=range(5),
            page=page,
            earlier=max(1, first - PAGE_LINES) if first > 1 else None,
            later=first + PAGE_LINES if page.more else None,
        )


class ReportView(AuditorPage, TemplateView):
    """Findings of the deciding report, and all reports there are."""

    template_name = "audit/report.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """The newest report's findings; every report as a download."""
        submission = get_object_or_404(Submission, pk=kwargs["pk"])
        report = newest_report(submission)
        return self.page_context(
            _("Report of %(submission)s") % {"submission": submission},
            submission=submission,
            report=report,
            findings=report_findings(report) if report else [],
            reports=submission.reports.all(),
        )


class ReportDocumentView(AuditorPage):
    """One report's document whole."""

    def get(self, _request: HttpRequest, pk: int, attempt: int) -> HttpResponse:
        """The verifier's document and the portal's own findings."""
        report = get_object_or_404(Submission, pk=pk).reports.filter(attempt=attempt).first()
        if report is None:
            return HttpResponse(status=404)
        document = {"admission": report.admission, "document": report.document}
        text = json.dumps(document, indent=2, ensure_ascii=False)
        return HttpResponse(text, content_type="application/json", headers={"Cache-Control": "private, no-store"})


class AuditorForm(AuditorPage, FormView):  # type: ignore[type-arg]
    """A form whose sending is one call of a service; what the service refuses is told beside the form."""

    template_name = "audit/form.html"

    def act(self, values: dict[str, Any]) -> None:
        """Call the service."""
        raise NotImplementedError

    def form_valid(self, form: Form) -> HttpResponse:
        """Act, then return to the row."""
        try:
            self.act(form.cleaned_data)
        except PortalError as error:
            form.add_error(None, f"{error.explanation.title} {error.explanation.action} ({error.id})")
            return self.form_invalid(form)
        return super().form_valid(form)


class DecisionView(AuditorForm):
    """Accept or reject a held submission."""

    form_class = DecisionForm

    def get_success_url(self) -> str:
        """The submission's row."""
        return reverse("admin:submissions_submission_change", args=[self.kwargs["pk"]])

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Form and title."""
        submission = get_object_or_404(Submission, pk=self.kwargs["pk"])
        title = _("Decide on %(submission)s, which is %(state)s")
        values = {"submission": submission, "state": submission.get_state_display()}
        return super().get_context_data(**self.page_context(title % values, **kwargs))

    def act(self, values: dict[str, Any]) -> None:
        """Decide."""
        submission_decide(
            submission=get_object_or_404(Submission, pk=self.kwargs["pk"]),
            auditor=self.auditor(),
            accept=values["decision"] == "accept",
            reason=values["reason"],
        )


class MarkView(AuditorForm):
    """Mark a result with a reason."""

    form_class = MarkForm

    def get_success_url(self) -> str:
        """The result's row."""
        return reverse("admin:results_result_change", args=[self.kwargs["pk"]])

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Form and title."""
        result = get_object_or_404(Result, pk=self.kwargs["pk"])
        return super().get_context_data(**self.page_context(_("Mark %(result)s") % {"result": result}, **kwargs))

    def act(self, values: dict[str, Any]) -> None:
        """Mark."""
        result_mark(
            result=get_object_or_404(Result, pk=self.kwargs["pk"]),
            kind=MarkKind(values["kind"]),
            reason=values["reason"],
            auditor=self.auditor(),
        )
