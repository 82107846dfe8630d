"""WSGI entry point of the web processes."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

from portal.bodies import whole_bodies

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")

application = whole_bodies(get_wsgi_application())
