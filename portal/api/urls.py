"""Addresses of the API, version 1."""

from __future__ import annotations

from django.urls import URLPattern, path

from portal.api.views import boards, description, keys, people, results, submissions, uploads

app_name = "api"

urlpatterns: list[URLPattern] = [
    path("me", people.MeView.as_view(), name="me"),
    path("organisations", people.OrganisationsView.as_view(), name="organisations"),
    path("systems", people.SystemsView.as_view(), name="systems"),
    path("keys", keys.KeysView.as_view(), name="keys"),
    path("keys/<slug:key_id>/revoke", keys.KeyRevokeView.as_view(), name="key_revoke"),
    path("uploads", uploads.UploadsView.as_view(), name="uploads"),
    path("uploads/<slug:public_id>", uploads.UploadView.as_view(), name="upload"),
    path("submissions", submissions.SubmissionsView.as_view(), name="submissions"),
    path("submissions/<slug:public_id>", submissions.SubmissionView.as_view(), name="submission"),
    path(
        "submissions/<slug:public_id>/publish",
        submissions.SubmissionPublishView.as_view(),
        name="submission_publish",
    ),
    path(
        "submissions/<slug:public_id>/withdraw",
        submissions.SubmissionWithdrawView.as_view(),
        name="submission_withdraw",
    ),
    path("submissions/<slug:public_id>/report", submissions.SubmissionReportView.as_view(), name="submission_report"),
    path(
        "submissions/<slug:public_id>/findings",
        submissions.SubmissionFindingsView.as_view(),
        name="submission_findings",
    ),
    path(
        "submissions/<slug:public_id>/timeline",
        submissions.SubmissionTimelineView.as_view(),
        name="submission_timeline",
    ),
    path("submissions/<slug:public_id>/bundle", submissions.SubmissionBundleView.as_view(), name="submission_bundle"),
    path("boards", boards.BoardsView.as_view(), name="boards"),
    path("boards/<slug:workload>/<slug:scale>/<slug:level>", boards.BoardView.as_view(), name="board"),
    path("results/<slug:public_id>", results.ResultView.as_view(), name="result"),
    path("results/<slug:public_id>/bundle", results.ResultBundleView.as_view(), name="result_bundle"),
    path("schema", description.SchemaView.as_view(), name="schema"),
    path("<path:rest>", description.NothingView.as_view(), name="nothing"),
]
