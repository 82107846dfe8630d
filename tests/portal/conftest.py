"""What tests of the portal share: folders of their own, alice's world, real bundles, and lifted triggers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.core.cache import cache
from django.db import connection
from pytest_django import DjangoDbBlocker
from pytest_django.fixtures import Settings

from portal.accounts.models import User
from portal.accounts.services import auditor_appoint
from portal.results.models import Result
from portal.submissions.models import Submission
from portal.trail import append_only
from tests.bundles import make_bundle
from tests.portal.api.world import World, build, stored_submission
from tests.portal.scenes import publish, register, verify


@pytest.fixture(autouse=True)
def folders(settings: Settings, tmp_path: Path) -> Path:
    """Uploads, storage and broker in a folder of this test; no count of calls is left from another."""
    settings.UPLOAD_DIR = tmp_path / "uploads"
    settings.MEDIA_ROOT = str(tmp_path / "bundles")
    cache.clear()
    return tmp_path


@pytest.fixture
def world(db: None) -> World:
    """Alice owns the laboratory, Bob is a member, Charlie a stranger with an organisation of his own."""
    return build()


@pytest.fixture
def auditor(db: None) -> User:
    """A person who may look at everything and decide."""
    return auditor_appoint(user=User.objects.create_user("audrey@example.org", name="Audrey"))


@pytest.fixture
def admin(db: None) -> User:
    """A person who may do everything in the administration."""
    return User.objects.create_superuser("root@example.org")


@pytest.fixture(scope="session")
def honest_bundle(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A bundle of five honest runs at scale smoke, signed with the tests' key."""
    return make_bundle(tmp_path_factory.mktemp("honest")).read_bytes()


@pytest.fixture
def submission(world: World, honest_bundle: bytes) -> Submission:
    """The honest bundle, received from alice, whose organisation registered the key."""
    register(world.laboratory, world.alice)
    return stored_submission(world, honest_bundle)


@pytest.fixture
def verified(submission: Submission) -> Submission:
    """The honest bundle, verified by the real verifier."""
    return verify(submission)


@pytest.fixture
def result(verified: Submission, world: World) -> Result:
    """The honest bundle, published by alice."""
    return publish(verified, world.alice)


@pytest.fixture
def append_only_lifted(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Triggers off: the one way for a test to change or clean what the portal only ever adds to."""
    with django_db_blocker.unblock():
        append_only.remove(connection)
    yield
    with django_db_blocker.unblock():
        append_only.install(connection)


@pytest.fixture
def committed_db(append_only_lifted: None, transactional_db: None) -> None:
    """A database in which transactions really commit, for tests with several connections; cleaned afterwards."""


@pytest.fixture
def make_submission(world: World) -> Callable[[str], Submission]:
    """Makes submissions of bytes that no verifier ever sees."""

    def make(name: str) -> Submission:
        return stored_submission(world, hashlib.sha256(name.encode()).digest())

    return make
