"""Steps that tests of the portal go through with the real services."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from portal.accounts.models import Organisation, SigningKey, User
from portal.accounts.services import PROOF_PREFIX, signing_key_register
from portal.results import tasks as results_tasks
from portal.results.models import Result
from portal.submissions import tasks
from portal.submissions.models import Submission
from portal.submissions.recording import submission_record_report
from portal.submissions.services import submission_claim, submission_publish
from tests.bundles import KEY


def public_key_of(key: Ed25519PrivateKey) -> str:
    """A public key as it is sent."""
    return base64.b64encode(key.public_key().public_bytes_raw()).decode()


def proof(key: Ed25519PrivateKey, slug: str) -> str:
    """The signature by which a key is registered for an organisation."""
    return base64.b64encode(key.sign(PROOF_PREFIX + slug.encode())).decode()


def register(organisation: Organisation, user: User, key: Ed25519PrivateKey = KEY) -> SigningKey:
    """Register ``key`` as its holder does."""
    return signing_key_register(
        organisation=organisation,
        user=user,
        public_key=public_key_of(key),
        signature=proof(key, organisation.slug),
        name="test",
    )


def verify(submission: Submission) -> Submission:
    """What a worker does with the id."""
    tasks.verify(submission.public_id)
    submission.refresh_from_db()
    return submission


def publish(submission: Submission, user: User) -> Result:
    """What the owner asks for, and what a worker then does."""
    submission_publish(submission=submission, user=user)
    results_tasks.publish(submission.public_id)
    return Result.objects.get(submission=submission)


def record(submission: Submission, document: Mapping[str, Any]) -> Submission:
    """Claim, then record ``document`` as if the verifier had written it."""
    claimed = submission_claim(public_id=submission.public_id)
    assert claimed is not None
    submission_record_report(submission=claimed, attempt=claimed.attempt, document=document)
    submission.refresh_from_db()
    return submission
