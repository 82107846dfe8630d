"""Submissions: where they stand, their reports, findings and history, publishing and withdrawing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.files.storage import default_storage
from django.db.models import QuerySet
from django.http import FileResponse, Http404
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from portal.api.base import ApiView, conditional
from portal.api.describe import KNOWN, UNCHANGED, errors, list_of, one, page_of
from portal.api.serializers import (
    EventSerializer,
    FindingSerializer,
    OptionalReasonSerializer,
    SubmissionDetailSerializer,
    SubmissionSerializer,
)
from portal.submissions.models import Submission, VerificationReport
from portal.submissions.selectors import newest_report, report_findings, submissions_visible_to
from portal.submissions.services import submission_publish, submission_withdraw
from portal.submissions.states import State
from portal.trail.selectors import events_of

ONE = (*KNOWN, "request.not_found")
"""Errors of every operation on one submission; one that the caller may not see is not found."""


class SubmissionFilter(serializers.Serializer[Any]):
    """What a list of submissions is narrowed by."""

    state = serializers.ChoiceField(choices=State.choices, required=False)
    organisation = serializers.SlugField(required=False)


class SubmissionsView(ApiView):
    """The submissions of the caller's organisations."""

    @extend_schema(
        operation_id="submissions",
        summary="Submissions of your organisations",
        parameters=[SubmissionFilter],
        responses={200: page_of(SubmissionSerializer), **errors(*KNOWN, "request.invalid")},
    )
    def get(self, request: Request) -> Response:
        """Newest first, by pages."""
        wanted = self.valid(SubmissionFilter, request.query_params)
        names = {"state": "state", "organisation": "organisation__slug"}
        rows = visible(self).filter(**{names[name]: value for name, value in wanted.items()})
        return self.page(rows, SubmissionSerializer)


def visible(view: ApiView) -> QuerySet[Submission]:
    """The submissions that the caller may see, each with its result and the marks on it."""
    rows = submissions_visible_to(view.person).select_related("result").prefetch_related("result__marks")
    return view.scoped(rows)


class OneSubmissionView(ApiView):
    """What the operations on one submission share."""

    def submission(self, public_id: str) -> Submission:
        """The submission, or a 404."""
        return self.found(visible(self), public_id=public_id)

    def report(self, public_id: str) -> VerificationReport:
        """The newest report of the submission, or a 404."""
        report = newest_report(self.submission(public_id))
        if report is None:
            raise Http404
        return report

    def detail(self, submission: Submission) -> Mapping[str, Any]:
        """The submission as it now stands in the database."""
        return SubmissionDetailSerializer(self.submission(submission.public_id)).data


class SubmissionView(OneSubmissionView):
    """One submission."""

    @extend_schema(
        operation_id="submission",
        summary="A submission with its findings",
        parameters=[OpenApiParameter("If-None-Match", str, OpenApiParameter.HEADER, description="an ETag had before")],
        responses={
            200: one(SubmissionDetailSerializer),
            304: UNCHANGED,
            **errors(*ONE),
        },
    )
    def get(self, request: Request, public_id: str) -> Response:
        """State, what comes next, verdict, score, findings. Ask again with the ETag: an unchanged one costs little."""
        return conditional(request, SubmissionDetailSerializer(self.submission(public_id)).data)


class SubmissionPublishView(OneSubmissionView):
    """Publication of one submission."""

    @extend_schema(
        operation_id="submission_publish",
        summary="Publish a submission",
        request=None,
        responses={
            200: one(SubmissionDetailSerializer),
            **errors(*ONE, "permission.denied", "submission.not_publishable"),
        },
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Publish it as soon as it is verified. Asking again changes nothing."""
        return Response(self.detail(submission_publish(submission=self.submission(public_id), user=self.person)))


class SubmissionWithdrawView(OneSubmissionView):
    """Withdrawal of one submission."""

    @extend_schema(
        operation_id="submission_withdraw",
        summary="Withdraw a submission",
        request=OptionalReasonSerializer,
        responses={
            200: one(SubmissionDetailSerializer),
            **errors(*ONE, "request.invalid", "permission.denied", "submission.not_withdrawable"),
        },
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Take back a submission that is not published."""
        submission = self.submission(public_id)
        fields = self.valid(OptionalReasonSerializer)
        return Response(self.detail(submission_withdraw(submission=submission, user=self.person, **fields)))


class SubmissionReportView(OneSubmissionView):
    """The verifier's report of one submission."""

    @extend_schema(
        operation_id="submission_report",
        summary="The newest verification report",
        responses={
            200: OpenApiResponse(OpenApiTypes.OBJECT, description="The report, form vflops-report/1."),
            304: UNCHANGED,
            **errors(*ONE),
        },
    )
    def get(self, request: Request, public_id: str) -> Response:
        """The document as `vflops verify --json` prints it for the same bundle."""
        return conditional(request, self.report(public_id).document)


class SubmissionFindingsView(OneSubmissionView):
    """The findings of one submission."""

    @extend_schema(
        operation_id="submission_findings",
        summary="The findings of the newest report",
        responses={200: list_of(FindingSerializer), **errors(*ONE)},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """The portal's own findings about the key first, then the verifier's; all of them, without pages."""
        findings = report_findings(self.report(public_id))
        return Response({"results": [dict(finding) for finding in findings]})


class SubmissionTimelineView(OneSubmissionView):
    """The history of one submission."""

    @extend_schema(
        operation_id="submission_timeline",
        summary="What happened to a submission",
        responses={200: list_of(EventSerializer), **errors(*ONE)},
    )
    def get(self, request: Request, public_id: str) -> Response:
        """Oldest first; all of it, without pages."""
        events = events_of(self.submission(public_id).public_id)
        return Response({"results": EventSerializer(events, many=True).data})


class BundleRenderer(BaseRenderer):
    """Lets a request ask for a bundle's own media type; the bytes are streamed past it."""

    media_type = "application/octet-stream"
    format = "vflops"

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        """Errors, which always come as JSON."""
        return JSONRenderer().render(data)


BUNDLE = {(200, BundleRenderer.media_type): OpenApiResponse(OpenApiTypes.BINARY, description="The file.")}


class SubmissionBundleView(OneSubmissionView):
    """The evidence of one submission."""

    renderer_classes = (BundleRenderer, JSONRenderer)  # type: ignore[assignment]

    @extend_schema(
        operation_id="submission_bundle",
        summary="Download the bundle",
        responses={
            **BUNDLE,
            **errors(*ONE),
        },
    )
    def get(self, request: Request, public_id: str) -> HttpResponseBase:
        """The file as it was handed in."""
        return bundle_file(self.submission(public_id))


def bundle_file(submission: Submission) -> FileResponse:
    """The bundle of a submission, streamed from the storage; its ETag is its SHA-256."""
    file = default_storage.open(submission.upload.storage_name, "rb")
    response = FileResponse(file, as_attachment=True, filename=f"{submission.public_id}.vflops")
    response["ETag"] = f'"{submission.bundle_sha256}"'
    response["Content-Type"] = BundleRenderer.media_type
    return response
