"""The small world, and folders of each test's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.cache import cache
from pytest_django.fixtures import Settings

from tests.portal.api.world import World, build


@pytest.fixture(autouse=True)
def folders(settings: Settings, tmp_path: Path) -> Path:
    """Uploads and storage in a folder of this test; no count of calls is left from another."""
    settings.UPLOAD_DIR = tmp_path / "uploads"
    settings.MEDIA_ROOT = str(tmp_path / "bundles")
    cache.clear()
    return tmp_path


@pytest.fixture
def world(db: None) -> World:
    """An organisation with its people."""
    return build()
