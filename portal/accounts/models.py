"""People, organisations, memberships, signing keys and API tokens."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from portal.trail.fields import PublicIdField


class UserManager(BaseUserManager["User"]):
    """Makes users; addresses are stored in lower case, so that one person has one account."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        """A person who can log in."""
        user = self.model(email=email.strip().lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> User:
        """A person who may do everything in the administration."""
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, username: str | None) -> User:
        """The user of that address, however it was capitalised."""
        return self.get(email=(username or "").strip().lower())


class User(AbstractBaseUser, PermissionsMixin):
    """A person, known by e-mail address."""

    public_id = PublicIdField()
    email = models.EmailField(_("e-mail address"), unique=True)
    name = models.CharField(_("name"), max_length=100, blank=True)
    is_active = models.BooleanField(_("active"), default=True)
    is_staff = models.BooleanField(_("may open the administration"), default=False)
    is_auditor = models.BooleanField(_("auditor"), default=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    objects: ClassVar[UserManager] = UserManager()

    class Meta:
        verbose_name = _("user")
        verbose_name_plural = _("users")
        constraints = (models.UniqueConstraint(Lower("email"), name="one_account_an_address"),)

    def __str__(self) -> str:
        return self.name or self.email

    def clean(self) -> None:
        """Bring the address into the form it is stored in."""
        super().clean()
        self.email = self.email.strip().lower()

    def get_full_name(self) -> str:
        """The name to address this person by."""
        return self.name or self.email

    def get_short_name(self) -> str:
        """The name to address this person by."""
        return self.get_full_name()


class Role(models.TextChoices):
    """What a member may do: everything, hand in and publish, or look."""

    OWNER = "owner", _("owner")
    SUBMITTER = "submitter", _("submitter")
    MEMBER = "member", _("member")


SUBMITTING_ROLES = (Role.OWNER, Role.SUBMITTER)


class Organisation(models.Model):
    """Who hands in and is ranked. The name comes from here, never from a log."""

    public_id = PublicIdField()
    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(_("name"), max_length=100)
    country = models.CharField(_("country"), max_length=2, blank=True, help_text=_("ISO 3166-1 code of two letters."))
    website = models.URLField(_("website"), blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    members = models.ManyToManyField(User, through="Membership", related_name="organisations")

    class Meta:
        ordering = ("name",)
        constraints = (models.UniqueConstraint(Lower("name"), name="one_organisation_a_name"),)

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A person's role in an organisation."""

    organisation = models.ForeignKey(Organisation, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(_("role"), max_length=10, choices=Role.choices, default=Role.MEMBER)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("organisation", "user"), name="one_membership_a_person"),)

    def __str__(self) -> str:
        return f"{self.user} {self.role} {self.organisation}"


class SigningKey(models.Model):
    """An Ed25519 public key; a key belongs to one organisation for ever, also after it was revoked."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="signing_keys")
    key_id = models.CharField(max_length=64, unique=True, help_text=_("SHA-256 of the raw public key."))
    public_key = models.CharField(max_length=44, help_text=_("The 32 raw bytes in base64."))
    name = models.CharField(_("name"), max_length=100)
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    revoked_at = models.DateTimeField(null=True, blank=True)
    revoked_reason = models.CharField(_("reason"), max_length=200, blank=True)

    class Meta:
        ordering = ("created_at",)

    def __str__(self) -> str:
        return f"{self.name} {self.key_id[:12]}"


class ApiToken(models.Model):
    """Access to the API in one organisation's name. The secret is shown once; only its digest is kept."""

    public_id = PublicIdField()
    organisation = models.ForeignKey(Organisation, on_delete=models.CASCADE, related_name="api_tokens")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(_("name"), max_length=100)
    digest = models.CharField(max_length=64, unique=True, editable=False, help_text=_("SHA-256 of the secret."))
    prefix = models.CharField(
        max_length=12, editable=False, help_text=_("First characters of the secret, to recognise it by.")
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("created_at",)

    def __str__(self) -> str:
        return f"{self.name} {self.prefix}…"
