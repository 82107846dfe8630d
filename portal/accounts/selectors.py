"""Who belongs where, who may do what, and which token or key is which."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from portal.accounts.models import SUBMITTING_ROLES, ApiToken, Membership, Organisation, Role, SigningKey
from portal.errors import PortalError


def organisations_visible_to(user: Any) -> QuerySet[Organisation]:
    """The organisations whose inner pages ``user`` may open: the own ones, for auditors all."""
    if not user.is_authenticated:
        return Organisation.objects.none()
    if user.is_superuser or user.is_auditor:
        return Organisation.objects.all()
    return Organisation.objects.filter(memberships__user=user)


def organisations_to_submit_for(user: Any) -> QuerySet[Organisation]:
    """The organisations in whose name ``user`` may hand in."""
    if not user.is_authenticated:
        return Organisation.objects.none()
    return Organisation.objects.filter(memberships__user=user, memberships__role__in=SUBMITTING_ROLES)


def role_in(user: Any, organisation: Organisation) -> Role | None:
    """The role of ``user`` in ``organisation``; None for strangers."""
    if not user.is_authenticated:
        return None
    role = Membership.objects.filter(user=user, organisation=organisation).values_list("role", flat=True).first()
    return Role(role) if role else None


def may_submit(user: Any, organisation: Organisation) -> bool:
    """Whether ``user`` may hand in and publish for ``organisation``."""
    return role_in(user, organisation) in SUBMITTING_ROLES


def may_manage(user: Any, organisation: Organisation) -> bool:
    """Whether ``user`` may change members, keys and the organisation's own data."""
    return role_in(user, organisation) is Role.OWNER


def require_submitter(user: Any, organisation: Organisation) -> None:
    """Raise PortalError ``permission.denied`` unless ``user`` may hand in for ``organisation``."""
    if not may_submit(user, organisation):
        raise PortalError("permission.denied", "owner or submitter needed")


def require_owner(user: Any, organisation: Organisation) -> None:
    """Raise PortalError ``permission.denied`` unless ``user`` owns ``organisation``."""
    if not may_manage(user, organisation):
        raise PortalError("permission.denied", "owner needed")


def token_digest(secret: str) -> str:
    """What is kept of a token's secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def api_token_find(secret: str) -> ApiToken | None:
    """The token of that secret, in whatever condition it is: expired and revoked ones are told apart by the caller."""
    return ApiToken.objects.select_related("user", "organisation").filter(digest=token_digest(secret)).first()


def api_token_condition(token: ApiToken, *, now: datetime | None = None) -> str:
    """``valid``, ``revoked``, ``expired`` or ``orphaned`` (its person is gone or no longer a member)."""
    if token.revoked_at is not None:
        return "revoked"
    if token.expires_at <= (now or timezone.now()):
        return "expired"
    if not token.user.is_active or role_in(token.user, token.organisation) is None:
        return "orphaned"
    return "valid"


def signing_key_find(key_id: str) -> SigningKey | None:
    """The registered key of that id, revoked or not, of any organisation."""
    return SigningKey.objects.select_related("organisation").filter(key_id=key_id).first()
