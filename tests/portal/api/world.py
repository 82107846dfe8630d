"""A small world for tests of API and uploads: an organisation with its people and tokens, and a stranger."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.test import Client
from django.utils import timezone

from portal.accounts.models import ApiToken, Membership, Organisation, Role, User
from portal.accounts.services import api_token_create, organisation_create
from portal.submissions.models import Submission, Upload, UploadState
from portal.submissions.services import submission_claim, submission_create

TUS = {"Tus-Resumable": "1.0.0"}
BYTES = "application/offset+octet-stream"


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Alice owns the laboratory, Bob is a member that only looks, Charlie owns another organisation."""

    alice: User
    bob: User
    charlie: User
    laboratory: Organisation
    elsewhere: Organisation
    token: ApiToken
    secret: str

    def headers(self, **more: str) -> dict[str, str]:
        """Alice's token as a header, and others."""
        return {"Authorization": f"Bearer {self.secret}", **{k.replace("_", "-"): v for k, v in more.items()}}

    def secret_of(self, user: User, organisation: Organisation) -> str:
        """A fresh token of somebody."""
        return api_token_create(organisation=organisation, user=user, name="test")[1]


def build() -> World:
    """The world, in the database of the running test."""
    alice, bob, charlie = (User.objects.create_user(f"{name}@example.org") for name in ("alice", "bob", "charlie"))
    laboratory = organisation_create(user=alice, name="Laboratory")
    elsewhere = organisation_create(user=charlie, name="Elsewhere")
    Membership.objects.create(organisation=laboratory, user=bob, role=Role.MEMBER)
    token, secret = api_token_create(organisation=laboratory, user=alice, name="test")
    return World(
        alice=alice, bob=bob, charlie=charlie, laboratory=laboratory, elsewhere=elsewhere, token=token, secret=secret
    )


def metadata(content: bytes, **changes: bytes | None) -> str:
    """Upload-Metadata of ``content``; ``None`` leaves a key out."""
    values: Mapping[str, bytes | None] = {
        "filename": b"run.vflops",
        "sha256": hashlib.sha256(content).hexdigest().encode(),
        **changes,
    }
    return ",".join(f"{k} {base64.b64encode(v).decode()}" for k, v in values.items() if v is not None)


def declare(client: Client, world: World, content: bytes, **changes: bytes | None) -> Any:
    """POST a creation with Alice's token."""
    headers = world.headers(**TUS, Upload_Length=str(len(content)), Upload_Metadata=metadata(content, **changes))
    return client.post("/api/v1/uploads", headers=headers)


def send(client: Client, world: World, address: str, content: bytes, offset: int = 0) -> Any:
    """PATCH bytes with Alice's token."""
    headers = world.headers(**TUS, Upload_Offset=str(offset), Content_Type=BYTES, Content_Length=str(len(content)))
    return client.patch(address, content, content_type=BYTES, headers=headers)


def stored_submission(
    world: World, content: bytes = b"a bundle", organisation: Organisation | None = None
) -> Submission:
    """A submission of a finished upload, whose bytes lie in the storage."""
    organisation = organisation or world.laboratory
    sha256 = hashlib.sha256(content).hexdigest()
    upload = Upload.objects.create(
        organisation=organisation,
        user=world.alice,
        filename="run.vflops",
        size_bytes=len(content),
        offset_bytes=len(content),
        sha256=sha256,
        state=UploadState.FINISHED,
        storage_name=default_storage.save(f"bundles/{sha256}.vflops", ContentFile(content)),
        expires_at=timezone.now() + timedelta(days=1),
    )
    return submission_create(upload=upload)


def claimed(submission: Submission) -> Submission:
    """The submission, taken up by a worker."""
    found = submission_claim(public_id=submission.public_id)
    assert found is not None
    return found
