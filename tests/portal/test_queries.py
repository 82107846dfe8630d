"""Lists cost the same number of queries for ten rows as for two hundred."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from portal.accounts.models import ApiToken, Membership, Organisation, SigningKey, User
from portal.results.models import Board, Result
from portal.submissions.models import Submission, System, Upload, UploadState
from portal.submissions.states import State
from portal.trail.models import Kind
from portal.trail.services import event_record
from tests.portal.api.world import World

FEW, MANY = 10, 200
FIGURES = ("valid_flops", "valid_flops_low", "valid_flops_high", "flops", "quality", "target_quality", "factor")
PUBLIC = (
    "/",
    "/boards/",
    "/boards/image_classification/smoke/hardware/",
    "/organisations/laboratory/",
    "/queue/",
    "/api/v1/boards",
    "/api/v1/boards/image_classification/smoke/hardware",
)
OWN = (
    "/submissions/",
    "/account/organisations/",
    "/organisations/laboratory/members/",
    "/organisations/laboratory/keys/",
    "/organisations/laboratory/tokens/",
    "/api/v1/me",
    "/api/v1/organisations",
    "/api/v1/systems?limit=200",
    "/api/v1/keys?limit=200",
    "/api/v1/submissions?limit=200",
)
DESK = (
    "/admin/submissions/submission/",
    "/admin/results/result/",
    "/admin/trail/event/",
    "/admin/accounts/organisation/",
    "/admin/accounts/user/",
    "/admin/accounts/signingkey/",
    "/admin/accounts/apitoken/",
)


def fill(world: World, board: Board, numbers: range) -> None:
    """One of everything for each number."""
    for number in numbers:
        name = f"{number:064d}"
        person = User.objects.create(email=f"{number}@example.org")
        Membership.objects.create(organisation=world.laboratory, user=person)
        other = Organisation.objects.create(name=f"Other {number}", slug=f"other-{number}")
        Membership.objects.create(organisation=other, user=world.alice)
        SigningKey.objects.create(organisation=world.laboratory, key_id=name, public_key="k", created_by=person)
        later = timezone.now() + timedelta(days=1)
        ApiToken.objects.create(organisation=world.laboratory, user=person, digest=name, expires_at=later)
        published(board, world, submitted(world, name, f"system-{number}"), number)
        event_record(kind=Kind.API_TOKEN_CREATE, subject=name, organisation=world.laboratory, actor=person)


def submitted(world: World, name: str, slug: str) -> Submission:
    """A submission that went all its way."""
    upload = Upload.objects.create(
        organisation=world.laboratory, sha256=name, size_bytes=1, expires_at=timezone.now(), state=UploadState.FINISHED
    )
    system = System.objects.create(organisation=world.laboratory, name=slug, slug=slug)
    row: Submission = Submission.objects.create(
        organisation=world.laboratory, upload=upload, system=system, bundle_sha256=name, state=State.PUBLISHED
    )
    return row


def published(board: Board, world: World, submission: Submission, number: int) -> None:
    """Its row on the board."""
    Result.objects.create(
        submission=submission,
        organisation=world.laboratory,
        system=System.objects.get(submissions=submission),
        board=board,
        bundle_id=submission.bundle_sha256,
        organisation_name=world.laboratory.name,
        organisation_slug=world.laboratory.slug,
        system_name=f"system-{number}",
        rank=number + 1,
        seconds=1.0,
        **dict.fromkeys(FIGURES, 1e9),
    )


@pytest.fixture
def counts(world: World, admin: User) -> Callable[[Client, str], int]:
    """Queries of an address; fails where it does not answer."""

    def count(client: Client, path: str) -> int:
        client.get(path)  # what is made once a process
        with CaptureQueriesContext(connection) as queries:
            assert client.get(path).status_code == 200, path
        return len(queries)

    return count


def test_no_list_costs_more_queries_for_more_rows(
    world: World, admin: User, counts: Callable[[Client, str], int]
) -> None:
    board = Board.objects.create(workload="image_classification", scale="smoke", level="hardware", listed=1)
    people = {path: Client() for path in (*PUBLIC, *OWN, *DESK)}
    for path in OWN:
        people[path].force_login(world.alice)
    for path in DESK:
        people[path].force_login(admin)
    fill(world, board, range(FEW))
    few = {path: counts(client, path) for path, client in people.items()}
    fill(world, board, range(FEW, MANY))
    many = {path: counts(client, path) for path, client in people.items()}
    assert {path: (few[path], many[path]) for path in people if many[path] > few[path]} == {}
