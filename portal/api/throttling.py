"""How often one person, or one address, may call. Counts live in the cache that all web processes share."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

from portal.accounts.security import caller_address

if TYPE_CHECKING:
    from django.http import HttpRequest
    from rest_framework.views import APIView


class PersonThrottle(SimpleRateThrottle):
    """A known person: five looks a second for minutes on end are no person's and no polite program's need."""

    scope = "person"
    rate = "600/min"

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        """One count a person, whatever token is used."""
        return f"throttle:{self.scope}:{request.user.pk}" if request.user.is_authenticated else None


class AddressThrottle(SimpleRateThrottle):
    """Everybody else, by network address; several people may share one."""

    scope = "address"
    rate = "300/min"

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        """One count an address."""
        if request.user.is_authenticated:
            return None
        address = caller_address(cast("HttpRequest", request))
        return f"throttle:{self.scope}:{address}"


class CreationThrottle(PersonThrottle):
    """What makes rows and files: far more than a run set a minute."""

    scope = "creation"
    rate: ClassVar[str] = "60/min"  # type: ignore[misc]
