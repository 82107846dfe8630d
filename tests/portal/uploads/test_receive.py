"""Bytes by offset: kept when a connection breaks, refused at the wrong place, and checked as a whole at the end."""

from __future__ import annotations

import errno
import hashlib
import io
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st
from pytest_django.fixtures import Settings

from portal.accounts.models import Membership, Role
from portal.errors import PortalError
from portal.submissions import uploads, uploads_files
from portal.submissions.models import Submission, Upload, UploadState
from portal.trail.models import Event, Kind
from tests.portal.api.world import BYTES, TUS, World, declare, send

CONTENT = bytes(range(256)) * 700  # three reads of 64 KiB, the last one short
MIDDLE = 100_000


def problem(response: Any) -> tuple[int, str]:
    assert response["Content-Type"] == "application/problem+json"
    return response.status_code, response.json()["id"]


class Broken(io.BytesIO):
    """A body whose connection breaks after its bytes, as Django tells of it."""

    def read(self, size: int | None = -1, /) -> bytes:
        piece = super().read(size)
        if not piece:
            raise OSError("connection lost")
        return piece


@pytest.fixture
def upload(client: Client, world: World) -> Upload:
    """A declared upload of CONTENT."""
    declare(client, world, CONTENT)
    return Upload.objects.get()


@pytest.fixture
def address(upload: Upload) -> str:
    """Its address."""
    return f"/api/v1/uploads/{upload.public_id}"


def head(client: Client, world: World, address: str) -> Any:
    return client.head(address, headers=world.headers(**TUS))


def test_the_last_byte_makes_a_submission(client: Client, world: World, address: str) -> None:
    response = send(client, world, address, CONTENT)
    submission = Submission.objects.get()
    assert response.status_code == 204
    assert response["Upload-Offset"] == str(len(CONTENT))
    assert response["Vflops-Submission"] == submission.public_id
    assert (submission.organisation, submission.user) == (world.laboratory, world.alice)
    assert submission.bundle_sha256 == hashlib.sha256(CONTENT).hexdigest()
    with default_storage.open(submission.upload.storage_name) as stored:
        assert stored.read() == CONTENT
    assert not list(Path(uploads_files.partial_path("x")).parent.iterdir())
    kinds = list(Event.objects.filter(subject=submission.upload.public_id).values_list("kind", flat=True))
    assert kinds == [Kind.UPLOAD_CREATE, Kind.UPLOAD_FINISH]


def test_pieces_go_on_where_the_portal_stands(client: Client, world: World, address: str) -> None:
    assert send(client, world, address, CONTENT[:MIDDLE])["Upload-Offset"] == str(MIDDLE)
    assert head(client, world, address)["Upload-Offset"] == str(MIDDLE)
    assert "Vflops-Submission" not in head(client, world, address)
    assert send(client, world, address, CONTENT[MIDDLE:], MIDDLE)["Vflops-Submission"]


def test_a_finished_upload_still_says_what_became_of_it(client: Client, world: World, address: str) -> None:
    submission = send(client, world, address, CONTENT)["Vflops-Submission"]
    standing = head(client, world, address)
    assert (standing["Vflops-Submission"], standing["Upload-Offset"]) == (submission, str(len(CONTENT)))
    assert "Upload-Expires" not in standing
    assert standing["Cache-Control"].startswith("no-store")
    assert send(client, world, address, b"", len(CONTENT))["Vflops-Submission"] == submission


@pytest.mark.parametrize("offset", [0, MIDDLE - 1, MIDDLE + 1, len(CONTENT)])
def test_bytes_at_another_place_are_refused(client: Client, world: World, address: str, offset: int) -> None:
    send(client, world, address, CONTENT[:MIDDLE])
    assert problem(send(client, world, address, b"x", offset)) == (409, "upload.wrong_offset")
    assert head(client, world, address)["Upload-Offset"] == str(MIDDLE)


def test_more_bytes_than_declared_are_refused(client: Client, world: World, address: str) -> None:
    assert problem(send(client, world, address, CONTENT + b"x")) == (413, "upload.beyond_size")
    assert head(client, world, address)["Upload-Offset"] == "0"


def test_other_bytes_than_declared_discard_the_upload(client: Client, world: World, upload: Upload) -> None:
    address = f"/api/v1/uploads/{upload.public_id}"
    assert problem(send(client, world, address, CONTENT[::-1])) == (460, "upload.hash_mismatch")
    upload.refresh_from_db()
    assert (upload.state, upload.error_id) == (UploadState.FAILED, "upload.hash_mismatch")
    assert not uploads_files.partial_path(upload.public_id).exists()
    assert not Submission.objects.exists()
    gone = head(client, world, address)
    assert (gone.status_code, gone["Vflops-Error"]) == (410, "upload.gone")
    assert problem(send(client, world, address, b"", len(CONTENT))) == (410, "upload.gone")
    assert declare(client, world, CONTENT).status_code == 201


def test_an_expired_upload_is_gone(client: Client, world: World, address: str) -> None:
    Upload.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert head(client, world, address).status_code == 410
    assert problem(send(client, world, address, CONTENT)) == (410, "upload.gone")


def test_every_piece_moves_the_end_of_the_time(client: Client, world: World, upload: Upload) -> None:
    Upload.objects.update(expires_at=timezone.now() + timedelta(seconds=30))
    send(client, world, f"/api/v1/uploads/{upload.public_id}", CONTENT[:MIDDLE])
    upload.refresh_from_db()
    assert upload.expires_at > timezone.now() + timedelta(hours=1)


def test_two_writers_at_once_are_one_too_many(client: Client, world: World, upload: Upload) -> None:
    address = f"/api/v1/uploads/{upload.public_id}"
    with uploads_files.only_writer(upload.public_id):
        assert problem(send(client, world, address, CONTENT)) == (423, "upload.locked")
        assert head(client, world, address).status_code == 200
    assert send(client, world, address, CONTENT).status_code == 204


@pytest.mark.parametrize(
    ("headers", "content_type", "refusal"),
    [
        ({"Upload-Offset": "0"}, "application/json", (415, "upload.content_type")),
        ({}, BYTES, (400, "upload.malformed")),
        ({"Upload-Offset": "-1"}, BYTES, (400, "upload.malformed")),
        (
            {"Upload-Offset": "0", "Content-Length": ""},
            "application/offset+octet-stream",
            (411, "upload.length_required"),
        ),
        ({"Upload-Offset": "0", "Tus-Resumable": "2.0.0"}, BYTES, (412, "upload.protocol")),
    ],
)
def test_bytes_need_their_headers(
    client: Client, world: World, address: str, headers: dict[str, str], content_type: str, refusal: tuple[int, str]
) -> None:
    sent = {**world.headers(**TUS), **headers}
    assert problem(client.patch(address, CONTENT, content_type=content_type, headers=sent)) == refusal


def test_strangers_do_not_see_an_upload(client: Client, world: World, address: str) -> None:
    secret = world.secret_of(world.charlie, world.elsewhere)
    headers = {**TUS, "Authorization": f"Bearer {secret}"}
    assert client.head(address, headers=headers).status_code == 404


def test_who_lost_the_role_cannot_go_on(client: Client, world: World, address: str) -> None:
    Membership.objects.filter(user=world.alice).update(role=Role.MEMBER)
    assert problem(send(client, world, address, CONTENT)) == (403, "permission.denied")


def receive(upload: Upload, world: World, offset: int, length: int, stream: uploads.Stream) -> Upload:
    return uploads.upload_receive(
        upload=upload, user=world.alice, offset_bytes=offset, length_bytes=length, stream=stream
    )


@pytest.mark.parametrize("stream", [io.BytesIO(CONTENT[:MIDDLE]), Broken(CONTENT[:MIDDLE])])
def test_what_came_before_a_break_is_kept(world: World, upload: Upload, stream: io.BytesIO) -> None:
    with pytest.raises(PortalError, match=r"upload\.interrupted"):
        receive(upload, world, 0, len(CONTENT), stream)
    upload.refresh_from_db()
    assert upload.offset_bytes == MIDDLE
    done = receive(upload, world, MIDDLE, len(CONTENT) - MIDDLE, io.BytesIO(CONTENT[MIDDLE:]))
    assert done.state == UploadState.FINISHED


def test_a_killed_process_loses_only_what_was_not_counted(world: World, upload: Upload) -> None:
    """Bytes on the disk behind the counted offset are what a killed process leaves; they are written anew."""
    receive(upload, world, 0, MIDDLE, io.BytesIO(CONTENT[:MIDDLE]))
    with uploads_files.partial_path(upload.public_id).open("ab") as partial:
        partial.write(b"written, but never counted")
    done = receive(upload, world, MIDDLE, len(CONTENT) - MIDDLE, io.BytesIO(CONTENT[MIDDLE:]))
    assert done.state == UploadState.FINISHED


def test_a_process_killed_between_storing_and_finishing_is_finished_by_the_next_call(
    world: World, upload: Upload
) -> None:
    with (
        patch("portal.submissions.uploads.submission_create", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        receive(upload, world, 0, len(CONTENT), io.BytesIO(CONTENT))
    upload.refresh_from_db()
    assert (upload.state, upload.offset_bytes) == (UploadState.RECEIVING, len(CONTENT))
    done = receive(upload, world, len(CONTENT), 0, io.BytesIO())
    assert done.state == UploadState.FINISHED
    assert Submission.objects.get().upload == done


def test_a_disk_that_fills_up_keeps_what_was_counted(world: World, upload: Upload) -> None:
    receive(upload, world, 0, MIDDLE, io.BytesIO(CONTENT[:MIDDLE]))
    error = OSError(errno.ENOSPC, "No space left on device")
    full = patch("portal.submissions.uploads_files.make_durable", side_effect=error)
    with full, pytest.raises(PortalError, match=r"upload\.no_space"):
        receive(upload, world, MIDDLE, 10, io.BytesIO(CONTENT[MIDDLE : MIDDLE + 10]))
    upload.refresh_from_db()
    assert upload.offset_bytes == MIDDLE


def test_the_offset_is_counted_on_the_way(world: World, upload: Upload) -> None:
    counted: list[int] = []

    class Watched(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            counted.append(Upload.objects.get().offset_bytes)
            return super().read(size)

    with patch("portal.submissions.uploads.RECORD_EVERY_BYTES", uploads_files.READ_BYTES):
        receive(upload, world, 0, len(CONTENT), Watched(CONTENT))
    assert counted == [0, uploads_files.READ_BYTES, 2 * uploads_files.READ_BYTES]


def test_two_uploads_of_the_same_bytes_become_one_submission_and_one_file(client: Client, world: World) -> None:
    first, second = declare(client, world, CONTENT), declare(client, world, CONTENT)
    assert first["Location"] != second["Location"]
    answers = [send(client, world, response["Location"], CONTENT) for response in (first, second)]
    assert answers[0]["Vflops-Submission"] == answers[1]["Vflops-Submission"]
    assert head(client, world, second["Location"])["Vflops-Submission"] == answers[0]["Vflops-Submission"]
    folders = default_storage.listdir("bundles")[0]
    assert [name for folder in folders for name in default_storage.listdir(f"bundles/{folder}")[1]] == [
        f"{hashlib.sha256(CONTENT).hexdigest()}.vflops"
    ]


def test_a_storage_elsewhere_gets_the_bytes_and_nothing_stays_here(
    client: Client, world: World, upload: Upload, settings: Settings
) -> None:
    settings.STORAGES = {**settings.STORAGES, "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"}}
    send(client, world, f"/api/v1/uploads/{upload.public_id}", CONTENT)
    with default_storage.open(Submission.objects.get().upload.storage_name) as stored:
        assert stored.read() == CONTENT
    assert not uploads_files.partial_path(upload.public_id).exists()


def test_the_sweep_removes_uploads_whose_time_is_over(client: Client, world: World, upload: Upload) -> None:
    send(client, world, f"/api/v1/uploads/{upload.public_id}", CONTENT[:MIDDLE])
    assert uploads.uploads_expire() == 0
    assert uploads.uploads_expire(now=timezone.now() + uploads.LIFETIME + timedelta(hours=1)) == 1
    upload.refresh_from_db()
    assert upload.state == UploadState.EXPIRED
    assert not uploads_files.partial_path(upload.public_id).exists()


def test_the_sweep_leaves_an_upload_that_someone_is_writing(world: World, upload: Upload) -> None:
    with uploads_files.only_writer(upload.public_id):
        assert uploads.uploads_expire(now=timezone.now() + uploads.LIFETIME + timedelta(hours=1)) == 0


@examples(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(min_size=1, max_size=4000), cuts=st.lists(st.integers(0, 4000), max_size=6))
def test_any_sequence_of_breaks_gives_the_declared_bytes(
    client: Client, world: World, content: bytes, cuts: list[int]
) -> None:
    address = declare(client, world, content)["Location"]
    upload = Upload.objects.get(public_id=address.rsplit("/", 1)[1])
    for cut in sorted(min(cut, len(content)) for cut in cuts):
        if upload.state == UploadState.RECEIVING and cut > upload.offset_bytes:
            part = Broken(content[upload.offset_bytes : cut])
            left = len(content) - upload.offset_bytes
            with suppress(PortalError):
                receive(upload, world, upload.offset_bytes, left, part)
            upload.refresh_from_db()
            assert upload.offset_bytes == cut
    if upload.state == UploadState.RECEIVING:
        left = len(content) - upload.offset_bytes
        receive(upload, world, upload.offset_bytes, left, io.BytesIO(content[upload.offset_bytes :]))
    with default_storage.open(Submission.objects.get(bundle_sha256=upload.sha256).upload.storage_name) as stored:
        assert stored.read() == content


def test_what_a_killed_process_left_half_in_the_storage_is_replaced(
    client: Client, world: World, upload: Upload
) -> None:
    """Storage and uploads on two disks: the move is a copy, and a kill in its middle leaves half of it."""
    address = f"/api/v1/uploads/{upload.public_id}"
    name = f"bundles/{upload.public_id}/{upload.sha256}.vflops"
    default_storage.save(name, ContentFile(CONTENT[:MIDDLE]))
    assert send(client, world, address, CONTENT)["Vflops-Submission"]
    with default_storage.open(Submission.objects.get().upload.storage_name) as stored:
        assert stored.read() == CONTENT


def test_uploads_leave_the_portal_its_room(
    client: Client, world: World, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several were declared while there was room for each; what came is kept."""
    send(client, world, address, CONTENT[:MIDDLE])
    with monkeypatch.context() as patched:
        patched.setattr(uploads, "ROOM_LEFT_BYTES", 2**62)
        assert problem(send(client, world, address, CONTENT[MIDDLE:], MIDDLE)) == (507, "upload.no_space")
        assert head(client, world, address)["Upload-Offset"] == str(MIDDLE)
    assert send(client, world, address, CONTENT[MIDDLE:], MIDDLE).status_code == 204
