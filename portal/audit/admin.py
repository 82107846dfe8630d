"""The auditors' desk: submissions, results and the trail to look at; changes go through the services alone."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.http import HttpRequest
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from portal.audit.services import is_auditor
from portal.audit.views import DecisionView, LogView, MarkView, ReportDocumentView, ReportView
from portal.results.models import Mark, Result, ResultVersion
from portal.submissions.models import Submission, VerificationReport
from portal.submissions.states import State
from portal.trail.models import Event
from portal.trail.selectors import events_of


class ReadOnly(admin.options.BaseModelAdmin):  # type: ignore[type-arg]
    """Rows that auditors may look at and nobody may change here."""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Auditors look."""
        return is_auditor(request.user)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Auditors see the section."""
        return is_auditor(request.user)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody adds."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody changes."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody deletes."""
        return False


class Desk(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    """A row with, first of all, where to go from it and what happened to it."""

    readonly_fields: ClassVar = ("look", "history")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        """The computed fields before the columns."""
        columns = [name for name in super().get_fields(request, obj) if name not in self.readonly_fields]
        return [*self.readonly_fields, *columns]


def _links(*pairs: tuple[Any, str]) -> SafeString:
    return format_html_join(" · ", '<a href="{}">{}</a>', ((address, label) for label, address in pairs))


def _history(subject: str) -> SafeString:
    """The trail of one row, as a list."""
    events = events_of(subject)
    rows = ((f"{event.at:%Y-%m-%d %H:%M:%S} UTC", event.get_kind_display(), event.data) for event in events)
    return format_html("<ul>{}</ul>", format_html_join("", "<li>{} · {} · {}</li>", rows))


@admin.register(Submission)
class SubmissionAdmin(Desk):
    """Submissions with their log, findings, report and history."""

    list_display = ("public_id", "organisation", "system", "workload", "scale", "level", "state", "state_since")
    list_filter = ("state", "workload", "scale", "level")
    search_fields = ("public_id", "organisation__name", "bundle_sha256", "bundle_id")
    list_select_related = ("organisation", "system")
    exclude = ("upload",)

    def get_urls(self) -> list[URLPattern]:
        """Log, report and decision, before Django's own addresses."""
        view = self.admin_site.admin_view
        own = [
            path("<int:pk>/log/", view(LogView.as_view()), name="submission_log"),
            path("<int:pk>/report/", view(ReportView.as_view()), name="submission_report"),
            path(
                "<int:pk>/report/<int:attempt>.json",
                view(ReportDocumentView.as_view()),
                name="submission_report_document",
            ),
            path("<int:pk>/decide/", view(DecisionView.as_view()), name="submission_decide"),
        ]
        return [*own, *super().get_urls()]

    @admin.display(description=_("Look at"))
    def look(self, submission: Submission) -> SafeString:
        """Where an auditor goes from here."""
        pages = [(_("log"), "submission_log"), (_("findings and report"), "submission_report")]
        if submission.state == State.HELD:
            pages.append((_("accept or reject"), "submission_decide"))
        return _links(*((label, reverse(f"admin:{name}", args=[submission.pk])) for label, name in pages))

    @admin.display(description=_("History"))
    def history(self, submission: Submission) -> SafeString:
        """What happened so far."""
        return _history(submission.public_id)


@admin.register(VerificationReport)
class VerificationReportAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    """Reports; their documents open from the submission."""

    list_display = ("submission", "attempt", "verdict", "rule_set", "verifier", "created_at")
    list_filter = ("verdict", "rule_set")
    list_select_related = ("submission",)
    exclude = ("document",)


class MarkInline(ReadOnly, admin.TabularInline):  # type: ignore[type-arg]
    """Marks of a result."""

    model = Mark
    extra = 0


class VersionInline(ReadOnly, admin.TabularInline):  # type: ignore[type-arg]
    """Versions of a result, without their documents."""

    model = ResultVersion
    extra = 0
    exclude = ("document",)


@admin.register(Result)
class ResultAdmin(Desk):
    """Results with their versions and marks."""

    list_display = ("public_id", "organisation_name", "system_name", "board", "rank", "standing", "published_at")
    list_filter = ("standing", "board")
    search_fields = ("public_id", "organisation_name", "system_name", "bundle_id")
    list_select_related = ("board",)
    inlines: ClassVar = [MarkInline, VersionInline]

    def get_urls(self) -> list[URLPattern]:
        """Marking, before Django's own addresses."""
        mark = self.admin_site.admin_view(MarkView.as_view())
        return [path("<int:pk>/mark/", mark, name="result_mark"), *super().get_urls()]

    @admin.display(description=_("Look at"))
    def look(self, result: Result) -> SafeString:
        """Where an auditor goes from here."""
        submission = reverse("admin:submissions_submission_change", args=[result.submission_id])
        return _links(
            (_("mark with a reason"), reverse("admin:result_mark", args=[result.pk])), (_("submission"), submission)
        )

    @admin.display(description=_("History"))
    def history(self, result: Result) -> SafeString:
        """What happened so far."""
        return _history(result.public_id)


@admin.register(Event)
class EventAdmin(ReadOnly, admin.ModelAdmin):  # type: ignore[type-arg]
    """The trail."""

    list_display = ("at", "kind", "subject", "organisation", "actor")
    list_filter = ("kind",)
    search_fields = ("subject", "organisation", "actor")
