"""Signing keys: listing, registering with a proof of possession, revoking."""

from __future__ import annotations

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from portal.accounts.models import SigningKey
from portal.accounts.services import signing_key_register, signing_key_revoke
from portal.api.base import ApiView
from portal.api.describe import KNOWN, errors, one, page_of
from portal.api.serializers import KeyRegistrationSerializer, KeySerializer, ReasonSerializer

BODY = ("request.malformed", "request.invalid", "request.media_type")

REGISTRATION = OpenApiExample(
    "A key of this machine",
    value={
        "organisation": "example",
        "name": "training node",
        "public_key": "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
        "signature": "5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM7rMYeOXAc+bRr0lv18FlbviRlUUFDjnoQCw==",
    },
    request_only=True,
)


def visible(view: ApiView) -> QuerySet[SigningKey]:
    """The keys of the organisations that this call may act for."""
    return SigningKey.objects.filter(organisation__in=view.organisations()).select_related("organisation")


class KeysView(ApiView):
    """The signing keys of the caller's organisations."""

    @extend_schema(
        operation_id="keys", summary="Signing keys", responses={200: page_of(KeySerializer), **errors(*KNOWN)}
    )
    def get(self, request: Request) -> Response:
        """Newest first, revoked ones included."""
        return self.page(visible(self), KeySerializer)

    @extend_schema(
        operation_id="key_register",
        summary="Register a signing key",
        request=KeyRegistrationSerializer,
        examples=[REGISTRATION],
        responses={
            201: one(KeySerializer),
            **errors(
                *KNOWN,
                *BODY,
                "permission.denied",
                "organisation.unclear",
                "key.malformed",
                "key.proof_failed",
                "key.already_registered",
            ),
        },
    )
    def post(self, request: Request) -> Response:
        """Register a public key. Registering the same key again changes nothing and answers the same."""
        fields = self.valid(KeyRegistrationSerializer)
        key = signing_key_register(
            organisation=self.organisation(fields.pop("organisation")), user=self.person, **fields
        )
        return Response(KeySerializer(key).data, status=201)


class KeyRevokeView(ApiView):
    """The end of a signing key."""

    @extend_schema(
        operation_id="key_revoke",
        summary="Revoke a signing key",
        request=ReasonSerializer,
        responses={
            200: one(KeySerializer),
            **errors(*KNOWN, *BODY, "permission.denied", "request.not_found", "reason.missing", "key.already_revoked"),
        },
    )
    def post(self, request: Request, key_id: str) -> Response:
        """What comes in under this key from now on is rejected; what came before stands."""
        key = self.found(visible(self), key_id=key_id)
        fields = self.valid(ReasonSerializer)
        return Response(KeySerializer(signing_key_revoke(key=key, user=self.person, **fields)).data)
