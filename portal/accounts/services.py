"""Changes organisations, memberships, signing keys and API tokens."""

from __future__ import annotations

import base64
import binascii
import hashlib
import secrets
import unicodedata
from datetime import datetime, timedelta

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.text import slugify

from portal.accounts.models import ApiToken, Membership, Organisation, Role, SigningKey, User
from portal.accounts.selectors import require_owner, require_submitter, signing_key_find, token_digest
from portal.errors import PortalError
from portal.trail.models import Kind
from portal.trail.services import event_record

PROOF_PREFIX = b"vflops-key-registration:"
"""What a registration signs, followed by the organisation's slug: no signature made for anything else fits."""
TOKEN_PREFIX = "vfl_"  # noqa: S105 - the public beginning by which scanners recognise a leaked token
TOKEN_SECRET_BYTES = 32
TOKEN_SHOWN_CHARACTERS = 8
TOKEN_DAYS_MAX = 365


@transaction.atomic
def organisation_create(*, user: User, name: str, slug: str = "", country: str = "", website: str = "") -> Organisation:
    """An organisation with ``user`` as its owner."""
    name = unicodedata.normalize("NFC", " ".join(name.split()))
    slug = slug.lower() or slugify(name)
    if not slug or not name.isprintable() or len(name) > 100 or len(slug) > 60:
        raise PortalError("organisation.name_invalid", name[:100])
    organisation = Organisation(name=name, slug=slug, country=country.upper(), website=website)
    try:
        with transaction.atomic():
            organisation.save(force_insert=True)
    except IntegrityError as error:
        raise PortalError("organisation.name_taken", name) from error
    Membership.objects.create(organisation=organisation, user=user, role=Role.OWNER)
    event_record(kind=Kind.ORGANISATION_CREATE, subject=organisation.public_id, organisation=organisation, actor=user)
    return organisation


@transaction.atomic
def membership_add(*, organisation: Organisation, by: User, email: str, role: Role = Role.MEMBER) -> Membership:
    """Give the person of that address a role, or another one."""
    require_owner(by, organisation)
    person = User.objects.filter(email=email.strip().lower(), is_active=True).first()
    if person is None:
        raise PortalError("membership.unknown_person", email)
    if role is not Role.OWNER:
        _keep_an_owner(organisation, without=person)
    membership, _created = Membership.objects.update_or_create(
        organisation=organisation, user=person, defaults={"role": role}
    )
    _record_membership(Kind.MEMBERSHIP_ADD, membership, by)
    return membership


@transaction.atomic
def membership_remove(*, membership: Membership, by: User) -> None:
    """Take a person out of an organisation; everybody may leave, owners may remove others."""
    if membership.user_id != by.pk:
        require_owner(by, membership.organisation)
    _keep_an_owner(membership.organisation, without=membership.user)
    _record_membership(Kind.MEMBERSHIP_REMOVE, membership, by)
    membership.delete()


def _keep_an_owner(organisation: Organisation, *, without: User) -> None:
    Organisation.objects.select_for_update().get(pk=organisation.pk)
    owners = Membership.objects.filter(organisation=organisation, role=Role.OWNER)
    if owners.filter(user=without).exists() and not owners.exclude(user=without).exists():
        raise PortalError("membership.last_owner", organisation.name)


def _record_membership(kind: Kind, membership: Membership, by: User) -> None:
    data = {"person": membership.user.public_id, "role": membership.role}
    organisation = membership.organisation
    event_record(kind=kind, subject=organisation.public_id, organisation=organisation, actor=by, data=data)


@transaction.atomic
def signing_key_register(
    *, organisation: Organisation, user: User, public_key: str, signature: str, name: str = ""
) -> SigningKey:
    """Register an Ed25519 key whose holder signed the organisation's slug; registering it again gives the same row."""
    require_submitter(user, organisation)
    raw = _decode(public_key, size=32, error_id="key.malformed")
    _check_proof(raw, _decode(signature, size=64, error_id="key.proof_failed"), organisation.slug)
    key_id = hashlib.sha256(raw).hexdigest()
    known = signing_key_find(key_id)
    if known is not None:
        return _same_key(known, organisation)
    key = SigningKey(organisation=organisation, key_id=key_id, created_by=user, name=name.strip()[:100] or key_id[:12])
    key.public_key = base64.b64encode(raw).decode()
    try:
        with transaction.atomic():
            key.save(force_insert=True)
    except IntegrityError as error:  # somebody registered it between the look and the insert
        raise PortalError("key.already_registered", key_id) from error
    event_record(kind=Kind.SIGNING_KEY_REGISTER, subject=key_id, organisation=organisation, actor=user)
    return key


def _decode(text: str, *, size: int, error_id: str) -> bytes:
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise PortalError(error_id, "not base64") from error
    if len(raw) != size:
        raise PortalError(error_id, f"expected {size} bytes, got {len(raw)}")
    return raw


def _check_proof(public_key: bytes, signature: bytes, slug: str) -> None:
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, PROOF_PREFIX + slug.encode())
    except InvalidSignature as error:
        raise PortalError("key.proof_failed", f"signature over {(PROOF_PREFIX + slug.encode()).decode()!r}") from error


def _same_key(known: SigningKey, organisation: Organisation) -> SigningKey:
    if known.organisation_id != organisation.pk or known.revoked_at is not None:
        raise PortalError("key.already_registered", known.key_id)
    return known


@transaction.atomic
def signing_key_revoke(*, key: SigningKey, user: User, reason: str) -> SigningKey:
    """Revoke a key: what the portal receives from now on under it is rejected, what it received before stands."""
    require_owner(user, key.organisation)
    if not reason.strip():
        raise PortalError("reason.missing", "revocation of a key")
    now = timezone.now()
    fields = {"revoked_at": now, "revoked_reason": reason.strip()[:200]}
    if not SigningKey.objects.filter(pk=key.pk, revoked_at=None).update(**fields):
        raise PortalError("key.already_revoked", key.key_id)
    data = {"reason": fields["revoked_reason"]}
    event_record(
        kind=Kind.SIGNING_KEY_REVOKE, subject=key.key_id, organisation=key.organisation, actor=user, data=data, at=now
    )
    key.refresh_from_db()
    return key


@transaction.atomic
def api_token_create(*, organisation: Organisation, user: User, name: str, days: int = 90) -> tuple[ApiToken, str]:
    """A token and its secret; the secret is returned here and never again."""
    require_submitter(user, organisation)
    if not 1 <= days <= TOKEN_DAYS_MAX:
        raise PortalError("token.lifetime_invalid", f"{days} days")
    secret = TOKEN_PREFIX + secrets.token_urlsafe(TOKEN_SECRET_BYTES)
    token = ApiToken.objects.create(
        organisation=organisation,
        user=user,
        name=name.strip()[:100] or "token",
        digest=token_digest(secret),
        prefix=secret[:TOKEN_SHOWN_CHARACTERS],
        expires_at=timezone.now() + timedelta(days=days),
    )
    event_record(kind=Kind.API_TOKEN_CREATE, subject=token.public_id, organisation=organisation, actor=user)
    return token, secret


@transaction.atomic
def api_token_revoke(*, token: ApiToken, user: User) -> ApiToken:
    """End a token; its holder and the organisation's owners may. Revoking it again changes nothing."""
    if token.user_id != user.pk:
        require_owner(user, token.organisation)
    if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
        event_record(kind=Kind.API_TOKEN_REVOKE, subject=token.public_id, organisation=token.organisation, actor=user)
    token.refresh_from_db()
    return token


TOKEN_USE_RECORDED_EVERY = timedelta(minutes=10)
"""A token's last use is shown to its owner by day and hour; writing it at every request would cost a write a read."""


def api_token_touch(*, token: ApiToken, now: datetime | None = None) -> None:
    """Note that a token was used, at most once in ten minutes."""
    now = now or timezone.now()
    stale = Q(last_used_at=None) | Q(last_used_at__lte=now - TOKEN_USE_RECORDED_EVERY)
    if token.last_used_at is None or token.last_used_at <= now - TOKEN_USE_RECORDED_EVERY:
        ApiToken.objects.filter(stale, pk=token.pk).update(last_used_at=now)


@transaction.atomic
def auditor_appoint(*, user: User) -> User:
    """Let ``user`` open the auditors' desk."""
    User.objects.filter(pk=user.pk).update(is_auditor=True, is_staff=True)
    event_record(kind=Kind.AUDITOR_APPOINT, subject=user.public_id)
    user.refresh_from_db()
    return user
