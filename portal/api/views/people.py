"""Who calls, for which organisations, with which systems."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from portal.accounts.models import Membership
from portal.api.base import ApiView
from portal.api.describe import KNOWN, errors, list_of, one, page_of
from portal.api.serializers import MembershipSerializer, MeSerializer, SystemSerializer
from portal.submissions.models import System


class MeView(ApiView):
    """Who the caller is."""

    @extend_schema(operation_id="me", summary="Who calls", responses={200: one(MeSerializer), **errors(*KNOWN)})
    def get(self, request: Request) -> Response:
        """The person, the organisations that this call may act for, and the token with its end."""
        me: dict[str, Any] = {"user": self.person, "organisations": memberships(self), "token": self.token}
        return Response(MeSerializer(me).data)


def memberships(view: ApiView) -> QuerySet[Membership]:
    """The caller's roles, narrowed to a token's organisation."""
    rows = Membership.objects.filter(user=view.person).select_related("organisation").order_by("organisation__slug")
    return view.scoped(rows)


class OrganisationsView(ApiView):
    """The caller's organisations."""

    @extend_schema(
        operation_id="organisations",
        summary="Your organisations",
        responses={200: list_of(MembershipSerializer), **errors(*KNOWN)},
    )
    def get(self, request: Request) -> Response:
        """Every organisation that this call may act for, with the caller's role; all of them, without pages."""
        return Response({"results": MembershipSerializer(memberships(self), many=True).data})


class SystemsView(ApiView):
    """The systems of the caller's organisations."""

    @extend_schema(
        operation_id="systems",
        summary="Systems of your organisations",
        responses={200: page_of(SystemSerializer), **errors(*KNOWN)},
    )
    def get(self, request: Request) -> Response:
        """Newest first. A system appears when a bundle that names it was verified."""
        rows = System.objects.all().visible_to(self.person).select_related("organisation")
        return self.page(self.scoped(rows), SystemSerializer)
