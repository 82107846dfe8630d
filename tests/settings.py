"""The portal's own settings, pointed at a folder of this test process, with a fast password hash.

The database comes from the environment as in operation: ``make test`` names its own PostgreSQL and Redis.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
from pathlib import Path

STATE = tempfile.mkdtemp(prefix="vflops-tests-")
atexit.register(shutil.rmtree, STATE, ignore_errors=True)
os.environ["VFLOPS_STATE_DIR"] = STATE
(Path(STATE) / "static").mkdir()  # whitenoise warns where it is missing, and warnings are errors here
os.environ.setdefault("LOG_LEVEL", "WARNING")
os.environ.setdefault("SECRET_KEY", "a key that signs nothing but the cookies of tests")

if worker := os.environ.get("PYTEST_XDIST_WORKER"):
    # A Redis database for each process of the tests: one empties its cache without emptying the others'.
    os.environ["REDIS_URL"] = re.sub(r"/0$", f"/{int(worker.removeprefix('gw')) + 1}", os.environ.get("REDIS_URL", ""))

from portal.settings import *  # noqa: E402,F403 - the state folder must be known before the settings are read

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
"""People of tests are made by the hundred; the real hash takes 0.2 s each by design."""

EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"

STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}  # noqa: F405
"""Without a manifest, so that pages render before collectstatic has run."""
