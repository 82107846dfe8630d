"""The portal's settings with short waits: a worker that dies is missed within seconds instead of twenty minutes."""

from __future__ import annotations

from datetime import timedelta

from portal.settings import *  # noqa: F403

LEASE = timedelta(seconds=5)
SWEEP_EVERY = timedelta(seconds=1)
