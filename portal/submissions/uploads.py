"""Uploads: declared first, received by offset, checked at the end, then a submission. Resumable, idempotent."""

from __future__ import annotations

import errno
import shutil
from datetime import datetime, timedelta
from pathlib import Path
from typing import BinaryIO, Protocol

from django.conf import settings
from django.core.files import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from portal.accounts.models import Organisation, User
from portal.accounts.selectors import require_submitter
from portal.errors import PortalError
from portal.submissions import uploads_files
from portal.submissions.models import Submission, Upload, UploadState
from portal.submissions.services import PUBLISHABLE, submission_create, submission_publish
from portal.submissions.uploads_protocol import Declaration
from portal.trail.models import Kind
from portal.trail.services import event_record

MAX_SIZE_BYTES = 4 * 1024**3
"""Largest bundle: twenty checkpoints of ResNet-50 with its optimizer (200 MB each) fit."""

LIFETIME = timedelta(days=2)
"""How long an upload waits for its next byte: a laptop that sleeps over night goes on the next day."""

UNFINISHED_MAX = 10
"""Uploads that one person may have open: more than anybody sends at once, few enough that disks do not fill."""

RECORD_EVERY_BYTES = 8 * 1024**2
"""Bytes between two records of the offset: the most that a killed web process loses, at one flush each."""

ROOM_LEFT_BYTES = 256 * 1024**2
"""Room that uploads leave on the disk for the portal itself."""

SUFFIX = ".vflops"

DISK_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


class Stream(Protocol):
    """A request's body: ``read`` returns up to that many bytes, none at the end, and raises OSError when it broke."""

    def read(self, size: int, /) -> bytes:
        """The next bytes."""


def upload_create(*, user: User, organisation: Organisation, declaration: Declaration) -> Upload:
    """A new upload; where this organisation handed in these very bytes before, the finished upload of that time.

    Everything that can be refused by what is declared is refused here, before the first byte comes.
    """
    require_submitter(user, organisation)
    _refuse_unfit(declaration)
    earlier = submission_of_bundle(organisation, declaration.sha256)
    if earlier is not None:
        return _hand_in_again(earlier, user=user, publish=declaration.publish)
    _refuse_crowd(user, declaration)
    with transaction.atomic():
        upload = Upload.objects.create(
            organisation=organisation,
            user=user,
            filename=declaration.filename,
            size_bytes=declaration.size_bytes,
            sha256=declaration.sha256,
            publish=declaration.publish,
            expires_at=timezone.now() + LIFETIME,
        )
        _record(Kind.UPLOAD_CREATE, upload, size_bytes=upload.size_bytes)
    return upload


def _refuse_unfit(declaration: Declaration) -> None:
    if not declaration.filename.lower().endswith(SUFFIX):
        raise PortalError("upload.file_type", f"expected a name that ends in {SUFFIX}, got {declaration.filename!r}")
    if declaration.size_bytes == 0:
        raise PortalError("upload.empty")
    if declaration.size_bytes > MAX_SIZE_BYTES:
        raise PortalError("upload.too_large", f"expected at most {MAX_SIZE_BYTES} bytes, got {declaration.size_bytes}")


def _refuse_crowd(user: User, declaration: Declaration) -> None:
    open_uploads = Upload.objects.filter(user=user, state=UploadState.RECEIVING, expires_at__gt=timezone.now()).count()
    if open_uploads >= UNFINISHED_MAX:
        raise PortalError("upload.too_many", f"expected at most {UNFINISHED_MAX}, got {open_uploads}")
    folder = Path(settings.UPLOAD_DIR)
    folder.mkdir(parents=True, exist_ok=True)
    if shutil.disk_usage(folder).free < declaration.size_bytes + ROOM_LEFT_BYTES:
        raise PortalError("upload.no_space")


def submission_of_bundle(organisation: Organisation, sha256: str) -> Submission | None:
    """The submission that these bytes became in this organisation."""
    return Submission.objects.filter(organisation=organisation, bundle_sha256=sha256).select_related("upload").first()


def submission_of_upload(upload: Upload) -> Submission | None:
    """The submission that a finished upload became; of two uploads of the same bytes both became the same one."""
    if upload.state != UploadState.FINISHED:
        return None
    return submission_of_bundle(upload.organisation, upload.sha256)


def _hand_in_again(earlier: Submission, *, user: User, publish: bool) -> Upload:
    """The same bytes again: nothing is sent twice; what failed by our fault is queued again."""
    submission = submission_create(upload=earlier.upload)
    if publish and submission.state in PUBLISHABLE and not submission.publish_when_verified:
        submission_publish(submission=submission, user=user)
    return earlier.upload


def upload_receive(*, upload: Upload, user: User, offset_bytes: int, length_bytes: int, stream: Stream) -> Upload:
    """Take up to ``length_bytes`` from ``stream`` at ``offset_bytes``; with the last byte the upload is finished.

    Bytes that came before a connection broke are kept. Called with no bytes at the end, it finishes what an earlier
    call could not.
    """
    require_submitter(user, upload.organisation)
    try:
        with uploads_files.only_writer(upload.public_id):
            upload.refresh_from_db()
            if upload.state == UploadState.FINISHED and offset_bytes == upload.size_bytes and length_bytes == 0:
                return upload
            _refuse_bytes(upload, offset_bytes, length_bytes)
            _receive(upload, length_bytes, stream)
            if upload.offset_bytes == upload.size_bytes:
                _finish(upload)
    except uploads_files.Busy as error:
        raise PortalError("upload.locked") from error
    except OSError as error:
        if error.errno not in DISK_FULL:
            raise
        raise PortalError("upload.no_space", f"{upload.offset_bytes} bytes are kept") from error
    return upload


def refuse_discarded(upload: Upload) -> None:
    """Raise PortalError ``upload.gone`` for an upload whose bytes were damaged or whose time is over."""
    late = upload.state == UploadState.RECEIVING and upload.expires_at <= timezone.now()
    if late or upload.state in {UploadState.FAILED, UploadState.EXPIRED}:
        raise PortalError("upload.gone", upload.error_id)


def _refuse_bytes(upload: Upload, offset_bytes: int, length_bytes: int) -> None:
    refuse_discarded(upload)
    if offset_bytes != upload.offset_bytes:
        raise PortalError("upload.wrong_offset", f"expected {upload.offset_bytes}, got {offset_bytes}")
    if offset_bytes + length_bytes > upload.size_bytes:
        raise PortalError("upload.beyond_size", f"expected {upload.size_bytes}, got {offset_bytes + length_bytes}")


def _receive(upload: Upload, length_bytes: int, stream: Stream) -> None:
    """Write what comes, and count it in the database only once it is on the disk."""
    with uploads_files.open_at(upload.public_id, upload.offset_bytes) as file:
        left, unrecorded = length_bytes, 0
        while left:
            if unrecorded == 0:
                _refuse_full_disk()
            piece = _read(stream, min(left, uploads_files.READ_BYTES))
            if not piece:
                break
            file.write(piece)
            left -= len(piece)
            unrecorded += len(piece)
            if unrecorded >= RECORD_EVERY_BYTES:
                _count(upload, file, unrecorded)
                unrecorded = 0
        _count(upload, file, unrecorded)
    if left:
        raise PortalError("upload.interrupted", f"expected {length_bytes} bytes, got {length_bytes - left}")


def _refuse_full_disk() -> None:
    """Sizes were held against the room when they were declared; several uploads may have filled it since."""
    if shutil.disk_usage(settings.UPLOAD_DIR).free < ROOM_LEFT_BYTES:
        raise OSError(errno.ENOSPC, "what is left is the portal's own")


def _read(stream: Stream, size: int) -> bytes:
    """The next bytes; none where the connection broke, which the caller tells apart by the number that is missing."""
    try:
        return stream.read(size)
    except OSError:
        return b""


def _count(upload: Upload, file: BinaryIO, received_bytes: int) -> None:
    """Move the offset; the guard holds it against any writer that the lock could not see."""
    if received_bytes == 0:
        return
    uploads_files.make_durable(file)
    now = timezone.now()
    moved = Upload.objects.filter(pk=upload.pk, state=UploadState.RECEIVING, offset_bytes=upload.offset_bytes).update(
        offset_bytes=F("offset_bytes") + received_bytes, expires_at=now + LIFETIME
    )
    if not moved:
        raise PortalError("upload.wrong_offset", "the upload changed meanwhile")
    upload.offset_bytes += received_bytes
    upload.expires_at = now + LIFETIME


def _finish(upload: Upload) -> None:
    """Check the hash, move the file into the storage, make the submission. A second call changes nothing."""
    name = f"bundles/{upload.public_id}/{upload.sha256}{SUFFIX}"
    if not _is_stored_whole(name, upload.size_bytes):
        _check_hash(upload)
        with _Movable(uploads_files.partial_path(upload.public_id)) as whole:
            name = default_storage.save(name, whole)
    with transaction.atomic():
        finished = {"state": UploadState.FINISHED, "storage_name": name, "finished_at": timezone.now()}
        if Upload.objects.filter(pk=upload.pk, state=UploadState.RECEIVING).update(**finished):
            _record(Kind.UPLOAD_FINISH, upload, sha256=upload.sha256)
        upload.refresh_from_db()
        submission = submission_create(upload=upload)
    if submission.upload_id != upload.pk:
        default_storage.delete(name)
    uploads_files.discard(upload.public_id)


def _is_stored_whole(name: str, size_bytes: int) -> bool:
    """Whether an earlier call got as far as this; what a killed one left half copied, from disk to disk, is removed."""
    if not default_storage.exists(name):
        return False
    if default_storage.size(name) == size_bytes:
        return True
    default_storage.delete(name)
    return False


def _check_hash(upload: Upload) -> None:
    got = uploads_files.sha256_of(upload.public_id)
    if got == upload.sha256:
        return
    _end(upload, UploadState.FAILED, Kind.UPLOAD_FAIL, error_id="upload.hash_mismatch")
    raise PortalError("upload.hash_mismatch", f"expected {upload.sha256}, got {got}")


class _Movable(File):  # type: ignore[type-arg]
    """A file that a storage of local files takes by renaming, and any other by reading."""

    def __init__(self, path: Path) -> None:
        super().__init__(path.open("rb"), name=path.name)
        self._path = path

    def temporary_file_path(self) -> str:
        """Where Django's file storage finds the file to rename."""
        return str(self._path)


def uploads_expire(*, now: datetime | None = None) -> int:
    """Discard every upload whose time is over; the number of them. The sweep calls this."""
    now = now or timezone.now()
    late = Upload.objects.filter(state=UploadState.RECEIVING, expires_at__lte=now)
    return sum(_expire(upload, now) for upload in late.select_related("organisation", "user"))


def _expire(upload: Upload, now: datetime) -> bool:
    """Discard an upload whose time is over; False where it went on or ended meanwhile."""
    try:
        with uploads_files.only_writer(upload.public_id):
            upload.refresh_from_db()
            if upload.state != UploadState.RECEIVING or upload.expires_at > now:
                return False
            _end(upload, UploadState.EXPIRED, Kind.UPLOAD_EXPIRE, error_id="upload.gone")
    except uploads_files.Busy:
        return False
    return True


def _end(upload: Upload, state: UploadState, kind: Kind, *, error_id: str) -> None:
    with transaction.atomic():
        ended = Upload.objects.filter(pk=upload.pk, state=UploadState.RECEIVING).update(state=state, error_id=error_id)
        if ended:
            _record(kind, upload, error_id=error_id)
    upload.refresh_from_db()
    uploads_files.discard(upload.public_id)


def _record(kind: Kind, upload: Upload, **data: object) -> None:
    event_record(kind=kind, subject=upload.public_id, organisation=upload.organisation, actor=upload.user, data=data)
