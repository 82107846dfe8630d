"""Addresses of the portal: API and machinery as they are; pages in English bare, other languages under a prefix."""

from __future__ import annotations

from django.conf.urls.i18n import i18n_patterns
from django.contrib import admin
from django.urls import include, path

from portal import health

handler400 = "portal.api.handlers.bad_request"
handler500 = "portal.api.handlers.server_error"

urlpatterns = [
    path("health/live", health.live, name="health_live"),
    path("health/ready", health.ready, name="health_ready"),
    path("admin/", admin.site.urls),
    path("api/v1/", include("portal.api.urls")),
    *i18n_patterns(
        path("account/", include("allauth.account.urls")),
        path("", include("portal.boards.urls")),
        path("", include("portal.pages.urls")),
        prefix_default_language=False,
    ),
]
