"""The portal's web application as it is operated, but for its patience with senders that fall silent."""

from __future__ import annotations

from portal.bodies import WATCH
from portal.wsgi import application

__all__ = ["application"]

WATCH.silence_s = 1.0
