"""The tus 1.0 core: declare a bundle, send its bytes by offset, ask where it stands."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import http_date
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response

from portal.api.base import ApiView
from portal.api.describe import KNOWN, errors
from portal.api.permissions import Everybody, KnownPeople
from portal.api.throttling import AddressThrottle, CreationThrottle
from portal.errors import PortalError
from portal.submissions import uploads
from portal.submissions.models import Upload
from portal.submissions.selectors import uploads_visible_to
from portal.submissions.uploads_protocol import (
    CONTENT_TYPE,
    EXTENSIONS,
    VERSION,
    MalformedHeader,
    parse_declaration,
    parse_number,
)

SUBMISSION_HEADER = "Vflops-Submission"
"""Public id of the submission that a finished upload became."""


class UnreadParser(BaseParser):
    """Takes any content type and reads nothing: bytes of an upload are streamed by the view."""

    media_type = "*/*"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        """Nothing."""
        return {}


def _header(name: str, description: str, *, required: bool = True) -> OpenApiParameter:
    return OpenApiParameter(name, str, OpenApiParameter.HEADER, required=required, description=description)


RESUMABLE = _header("Tus-Resumable", "1.0.0")
STANDING = "Upload-Offset says where it stands, Vflops-Submission names the submission of a finished one."


class TusView(ApiView):
    """What all addresses of the protocol share: its version in and out, and what the portal takes."""

    parser_classes = (UnreadParser,)  # type: ignore[assignment]
    throttle_classes = (CreationThrottle, AddressThrottle)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse other versions of the protocol before anything else is looked at."""
        super().initial(request, *args, **kwargs)
        if request.method != "OPTIONS" and request.headers.get("Tus-Resumable") != VERSION:
            raise PortalError("upload.protocol", f"got {request.headers.get('Tus-Resumable', 'nothing')[:20]}")

    def get_permissions(self) -> list[Any]:
        """Anybody may ask what the portal takes."""
        return [Everybody()] if self.request.method == "OPTIONS" else [KnownPeople()]

    def options(self, request: Any, *args: Any, **kwargs: Any) -> Response:
        """What the portal takes."""
        response = Response(status=204)
        response["Tus-Version"] = VERSION
        response["Tus-Extension"] = EXTENSIONS
        response["Tus-Max-Size"] = str(uploads.MAX_SIZE_BYTES)
        return response

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Every answer names the version, and none is kept by a cache."""
        response["Tus-Resumable"] = VERSION
        response["Cache-Control"] = "no-store"
        if response.status_code == 412:
            response["Tus-Version"] = VERSION
        return super().finalize_response(request, response, *args, **kwargs)


def standing(upload: Upload, status: int) -> Response:
    """Where an upload stands, in headers alone."""
    response = Response(status=status)
    response["Location"] = reverse("api:upload", args=[upload.public_id])
    response["Upload-Offset"] = str(upload.offset_bytes)
    response["Upload-Length"] = str(upload.size_bytes)
    submission = uploads.submission_of_upload(upload)
    if submission is not None:
        response[SUBMISSION_HEADER] = submission.public_id
    else:
        response["Upload-Expires"] = http_date(upload.expires_at.timestamp())
    return response


class UploadsView(TusView):
    """Creation."""

    @extend_schema(
        operation_id="upload_create",
        summary="Declare a bundle",
        request=None,
        parameters=[
            RESUMABLE,
            _header("Upload-Length", "size of the file in bytes"),
            _header(
                "Upload-Metadata",
                "filename, sha256 (hex digits or raw bytes), organisation (slug; a token has its own), publish (true or"
                " false), each value in base64 as tus demands",
            ),
        ],
        responses={
            201: OpenApiResponse(description="Send the bytes to the address in Location."),
            200: OpenApiResponse(description=f"These bytes were handed in before. {STANDING}"),
            **errors(
                *KNOWN,
                *("permission.denied", "organisation.unclear", "upload.protocol", "upload.malformed", "upload.empty"),
                *("upload.too_large", "upload.file_type", "upload.too_many", "upload.no_space"),
            ),
        },
    )
    def post(self, request: Request) -> Response:
        """Size, name and SHA-256 come first; whatever can be refused by them is refused before a byte is sent."""
        try:
            declared = parse_declaration(
                request.headers.get("Upload-Length", ""), request.headers.get("Upload-Metadata", "")
            )
        except MalformedHeader as error:
            raise PortalError("upload.malformed", str(error)) from error
        organisation = self.organisation(declared.organisation)
        upload = uploads.upload_create(user=self.person, organisation=organisation, declaration=declared)
        return standing(upload, 201 if uploads.submission_of_upload(upload) is None else 200)


class UploadView(TusView):
    """One upload."""

    throttle_classes = ()  # type: ignore[assignment]  # bytes of an upload that was let in are never refused for being many

    def upload(self, public_id: str) -> Upload:
        """The upload, or a 404."""
        return self.found(self.scoped(uploads_visible_to(self.person)), public_id=public_id)

    @extend_schema(
        operation_id="upload_standing",
        summary="Where an upload stands",
        parameters=[RESUMABLE],
        responses={
            200: OpenApiResponse(description=STANDING),
            **errors(*KNOWN, "request.not_found", "upload.protocol", "upload.gone"),
        },
    )
    def head(self, request: Request, public_id: str) -> Response:
        """Ask this after every broken connection, and go on at Upload-Offset."""
        upload = self.upload(public_id)
        uploads.refuse_discarded(upload)
        return standing(upload, 200)

    @extend_schema(
        operation_id="upload_send",
        summary="Send bytes of a bundle",
        request={CONTENT_TYPE: bytes},
        parameters=[RESUMABLE, _header("Upload-Offset", "where these bytes begin"), _header("Content-Length", "bytes")],
        responses={
            204: OpenApiResponse(description=STANDING),
            **errors(
                *KNOWN,
                *("permission.denied", "request.not_found", "upload.protocol", "upload.content_type"),
                *("upload.length_required", "upload.malformed", "upload.wrong_offset", "upload.locked"),
                *("upload.beyond_size", "upload.interrupted", "upload.gone", "upload.hash_mismatch"),
                "upload.no_space",
            ),
        },
    )
    def patch(self, request: Request, public_id: str) -> Response:
        """The last byte finishes the upload: its hash is checked, and it becomes a submission."""
        if request.content_type != CONTENT_TYPE:
            raise PortalError("upload.content_type", f"got {request.content_type[:100] or 'nothing'}")
        upload = uploads.upload_receive(
            upload=self.upload(public_id),
            user=self.person,
            offset_bytes=_number(request, "Upload-Offset"),
            length_bytes=_content_length(request),
            stream=_body(request),
        )
        return standing(upload, 204)


def _number(request: Request, name: str) -> int:
    try:
        return parse_number(name, request.headers.get(name, ""))
    except MalformedHeader as error:
        raise PortalError("upload.malformed", str(error)) from error


def _content_length(request: Request) -> int:
    if not request.headers.get("Content-Length", ""):
        raise PortalError("upload.length_required")
    return _number(request, "Content-Length")


def _body(request: Request) -> HttpRequest:
    """Django's own request: it reads the body as a stream as long as nobody asks for all of it."""
    return request._request  # noqa: SLF001 - the framework has no public name for it
