"""Creation: what can be refused by size, name, hash and person is refused before the first byte."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.test import Client
from django.utils import timezone

from portal.accounts.models import Membership, Role
from portal.submissions import uploads
from portal.submissions.models import Submission, Upload, UploadState
from portal.submissions.states import State
from tests.portal.api.world import TUS, World, declare, metadata, send, stored_submission

CONTENT = b"PK\x03\x04 a bundle"


def problem(response: Any) -> tuple[int, str]:
    assert response["Content-Type"] == "application/problem+json"
    assert response["Vflops-Error"] == response.json()["id"]
    assert response["Tus-Resumable"] == "1.0.0"
    return response.status_code, response.json()["id"]


def test_options_says_what_the_portal_takes_to_anybody(client: Client, world: World) -> None:
    response = client.options("/api/v1/uploads")
    assert response.status_code == 204
    assert response["Tus-Version"] == "1.0.0"
    assert response["Tus-Extension"] == "creation,expiration"
    assert response["Tus-Max-Size"] == str(uploads.MAX_SIZE_BYTES)


def test_a_creation_gives_the_address_where_it_stands_and_until_when(client: Client, world: World) -> None:
    response = declare(client, world, CONTENT, publish=b"true")
    upload = Upload.objects.get()
    assert response.status_code == 201
    assert response["Location"] == f"/api/v1/uploads/{upload.public_id}"
    assert (response["Upload-Offset"], response["Upload-Length"]) == ("0", str(len(CONTENT)))
    assert response["Upload-Expires"].endswith("GMT")
    assert response["Cache-Control"].startswith("no-store")
    assert (upload.organisation, upload.user, upload.publish) == (world.laboratory, world.alice, True)


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"sha256": None}, (400, "upload.malformed")),
        ({"filename": b"run.zip"}, (415, "upload.file_type")),
        ({"filename": None}, (415, "upload.file_type")),
        ({"publish": b"maybe"}, (400, "upload.malformed")),
        ({"organisation": b"elsewhere"}, (422, "organisation.unclear")),
    ],
)
def test_a_declaration_that_does_not_fit_is_refused(
    client: Client, world: World, changes: dict[str, bytes | None], refusal: tuple[int, str]
) -> None:
    assert problem(declare(client, world, CONTENT, **changes)) == refusal
    assert not Upload.objects.exists()


@pytest.mark.parametrize(
    ("length", "refusal"),
    [
        ("0", (422, "upload.empty")),
        (str(uploads.MAX_SIZE_BYTES + 1), (413, "upload.too_large")),
        ("many", (400, "upload.malformed")),
        ("-1", (400, "upload.malformed")),
    ],
)
def test_a_size_that_does_not_fit_is_refused(
    client: Client, world: World, length: str, refusal: tuple[int, str]
) -> None:
    headers = world.headers(**TUS, Upload_Length=length, Upload_Metadata=metadata(CONTENT))
    assert problem(client.post("/api/v1/uploads", headers=headers)) == refusal


def test_another_version_of_the_protocol_is_refused_with_ours(client: Client, world: World) -> None:
    response = client.post("/api/v1/uploads", headers=world.headers(Tus_Resumable="0.2.2"))
    assert problem(response) == (412, "upload.protocol")
    assert response["Tus-Version"] == "1.0.0"


def test_nobody_uploads_without_saying_who(client: Client, world: World) -> None:
    response = client.post("/api/v1/uploads", headers=TUS)
    assert problem(response) == (401, "token.missing")
    assert response["WWW-Authenticate"].startswith("Bearer")


def test_a_member_who_only_looks_cannot_upload(client: Client, world: World) -> None:
    Membership.objects.filter(user=world.alice).update(role=Role.MEMBER)
    assert problem(declare(client, world, CONTENT)) == (403, "permission.denied")


def test_a_person_has_a_bounded_number_of_unfinished_uploads(client: Client, world: World) -> None:
    for number in range(uploads.UNFINISHED_MAX):
        assert declare(client, world, b"%d" % number).status_code == 201
    assert problem(declare(client, world, CONTENT)) == (429, "upload.too_many")
    Upload.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert declare(client, world, CONTENT).status_code == 201


def test_a_full_disk_is_said_before_bytes_come(client: Client, world: World) -> None:
    with patch("portal.submissions.uploads.ROOM_LEFT_BYTES", 2**62):
        assert problem(declare(client, world, CONTENT)) == (507, "upload.no_space")


def test_the_same_bytes_again_give_the_same_submission_without_being_sent(client: Client, world: World) -> None:
    first = declare(client, world, CONTENT)
    submission = send(client, world, first["Location"], CONTENT)["Vflops-Submission"]
    again = declare(client, world, CONTENT)
    assert again.status_code == 200
    assert again["Vflops-Submission"] == submission
    assert again["Upload-Offset"] == str(len(CONTENT))
    assert (Upload.objects.count(), Submission.objects.count()) == (1, 1)


def test_another_organisation_with_the_same_bytes_gets_its_own_upload(client: Client, world: World) -> None:
    stored_submission(world, CONTENT, organisation=world.elsewhere)
    assert declare(client, world, CONTENT).status_code == 201


def test_what_failed_by_our_fault_is_queued_again(client: Client, world: World) -> None:
    submission = stored_submission(world, CONTENT)
    Submission.objects.update(state=State.FAILED, deadline=None)
    assert declare(client, world, CONTENT)["Vflops-Submission"] == submission.public_id
    submission.refresh_from_db()
    assert submission.state == State.QUEUED


def test_asking_for_publication_the_second_time_is_enough(client: Client, world: World) -> None:
    submission = stored_submission(world, CONTENT)
    declare(client, world, CONTENT, publish=b"true")
    submission.refresh_from_db()
    assert submission.publish_when_verified


def test_a_session_needs_the_pages_own_token(world: World) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(world.alice)
    headers = {**TUS, "Upload-Length": "5", "Upload-Metadata": metadata(b"12345")}
    assert problem(browser.post("/api/v1/uploads", headers=headers)) == (403, "request.csrf_failed")


def test_a_session_with_the_pages_own_token_uploads_for_its_organisation(world: World) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(world.alice)
    browser.cookies["csrftoken"] = "x" * 32
    headers = {
        **TUS,
        "Upload-Length": "5",
        "Upload-Metadata": metadata(b"12345", organisation=b"laboratory"),
        "X-CSRFToken": "x" * 32,
    }
    response = browser.post("/api/v1/uploads", headers=headers)
    assert response.status_code == 201
    patched = browser.patch(
        response["Location"],
        b"12345",
        content_type="application/offset+octet-stream",
        headers={**TUS, "Upload-Offset": "0", "X-CSRFToken": "x" * 32},
    )
    assert patched.status_code == 204
    assert Upload.objects.get().state == UploadState.FINISHED
