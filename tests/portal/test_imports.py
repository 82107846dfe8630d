"""What the portal's processes load: never torch."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from django.conf import settings


@pytest.mark.parametrize("module", ["portal.wsgi", "portal.celery", "portal.submissions.tasks"])
def test_the_portal_runs_without_torch(module: str) -> None:
    """Gigabytes that no web process and no worker needs."""
    text = (
        "import os, sys, django; os.environ['DJANGO_SETTINGS_MODULE'] = 'portal.settings'; django.setup();"
        f"import {module}; from portal.celery import app; app.loader.import_default_modules();"
        "assert 'submissions.verify' in app.tasks; assert 'results.publish' in app.tasks;"
        "sys.exit('torch' in sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": str(settings.BASE_DIR)}
    assert subprocess.run([sys.executable, "-c", text], env=environment, check=False).returncode == 0
