"""Results for tests of pages, made as in operation: bundle, upload, verification in the child, publication."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from portal.accounts.models import Organisation, User
from portal.accounts.services import PROOF_PREFIX, organisation_create, signing_key_register
from portal.results.models import Result
from portal.results.tasks import publish
from portal.submissions.models import Submission
from portal.submissions.tasks import verify
from portal.submissions.uploads import submission_of_upload, upload_create, upload_receive
from portal.submissions.uploads_protocol import Declaration
from ranking.evidence.canonical import encode64
from ranking.evidence.statement import public_bytes
from tests.bundles import KEY, make_bundle


def person(email: str = "alice@example.org") -> User:
    """Somebody who can log in."""
    return User.objects.create_user(email, "a long password", name=email.partition("@")[0].capitalize())


def organisation(owner: User, name: str, key: Ed25519PrivateKey = KEY) -> Organisation:
    """An organisation with a registered signing key."""
    made = organisation_create(user=owner, name=name)
    public = encode64(public_bytes(key))
    proof = encode64(key.sign(PROOF_PREFIX + made.slug.encode()))
    signing_key_register(organisation=made, user=owner, public_key=public, signature=proof, name="workstation")
    return made


def hand_in(owner: User, made: Organisation, bundle: Path, *, publish_later: bool = False) -> Submission:
    """The submission of a bundle that arrived whole."""
    data = bundle.read_bytes()
    declared = Declaration(
        size_bytes=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        filename=bundle.name,
        organisation=made.slug,
        publish=publish_later,
    )
    upload = upload_create(user=owner, organisation=made, declaration=declared)
    upload_receive(upload=upload, user=owner, offset_bytes=0, length_bytes=len(data), stream=io.BytesIO(data))
    submission = submission_of_upload(upload)
    assert submission is not None
    return submission


def publish_bundle(owner: User, made: Organisation, bundle: Path) -> Result:
    """The result of a bundle, through the worker's own doors."""
    submission = hand_in(owner, made, bundle, publish_later=True)
    verify(submission.public_id)
    publish(submission.public_id)
    return Result.objects.get(submission=submission)


def publish_run_set(
    owner: User,
    made: Organisation,
    folder: Path,
    *,
    number: int,
    key: Ed25519PrivateKey = KEY,
    run_seconds: float = 2.5,
    system_name: str = "Test system",
    qualities: Sequence[float] | None = None,
    **options: Any,
) -> Result:
    """A published result of an honest run set; ``number`` tells run sets apart."""
    given = {} if qualities is None else {"qualities": qualities}
    bundle = make_bundle(
        folder,
        name=f"run-set-{number}.vflops",
        nonce=hashlib.sha256(str(number).encode()).hexdigest()[:32],
        key=key,
        organisation=made.slug,
        system_name=system_name,
        run_seconds=run_seconds,
        **given,
        **options,
    )
    return publish_bundle(owner, made, bundle)
