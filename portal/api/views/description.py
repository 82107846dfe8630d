"""The API's own description, and the answer at addresses that it does not have."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiYamlRenderer
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from portal.api.base import PublicView
from portal.api.permissions import Everybody
from portal.api.throttling import AddressThrottle


class SchemaView(SpectacularAPIView):
    """OpenAPI 3, as YAML or JSON."""

    authentication_classes = ()
    permission_classes = (Everybody,)
    throttle_classes = (AddressThrottle,)
    renderer_classes = (OpenApiJsonRenderer, OpenApiYamlRenderer)  # type: ignore[assignment]


@extend_schema(exclude=True)
class NothingView(PublicView):
    """Any address under the API that is none."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Whatever the method: not found."""
        raise Http404

    def get(self, request: Request, rest: str) -> Response:
        """Never reached; it makes the method known."""
        raise Http404

    post = put = patch = delete = get
