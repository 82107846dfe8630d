"""Who may call an operation; what nobody allowed is denied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rest_framework.permissions import AllowAny, BasePermission, IsAuthenticated
from rest_framework.request import Request

if TYPE_CHECKING:  # the framework's views import this module, named in the settings
    from rest_framework.views import APIView


class DenyAll(BasePermission):
    """The default: a view that names no permission answers nobody."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Nobody."""
        return False


class KnownPeople(IsAuthenticated):
    """Holders of a valid token, and people who are logged in; which rows they see is decided by the querysets."""


class Everybody(AllowAny):
    """Published things."""
