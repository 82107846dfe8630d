"""Systems, uploads, submissions and their verification reports."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from portal.accounts.models import Organisation, User
from portal.submissions.states import State
from portal.trail.fields import JSONTextField, PublicIdField


class Visible(models.QuerySet[Any]):
    """Rows that belong to an organisation: auditors see all, others those of organisations they are members of."""

    def visible_to(self, user: Any) -> Self:
        """The rows that ``user`` may read."""
        if not user.is_authenticated:
            return self.none()
        if user.is_superuser or user.is_auditor:
            return self
        return self.filter(organisation__memberships__user=user)


class System(models.Model):
    """A machine, or a cluster, of an organisation, by the name its owner gave it."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="systems")
    public_id = PublicIdField()
    name = models.CharField(_("name"), max_length=100)
    slug = models.SlugField(max_length=100)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects: ClassVar[models.Manager[System]] = Visible.as_manager()

    class Meta:
        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=("organisation", "slug"), name="one_system_a_slug"),)

    def __str__(self) -> str:
        return self.name


class UploadState(models.TextChoices):
    """Where an upload stands."""

    RECEIVING = "receiving", _("receiving")
    FINISHED = "finished", _("finished")
    FAILED = "failed", _("failed")
    EXPIRED = "expired", _("expired")


class Upload(models.Model):
    """A bundle on its way in: size and SHA-256 are declared first, bytes follow by offset."""

    public_id = PublicIdField()
    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="uploads")
    user = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="uploads")
    filename = models.CharField(max_length=200, blank=True)
    size_bytes = models.BigIntegerField()
    sha256 = models.CharField(
        max_length=64, help_text=_("As declared; held against the bytes when the last one arrived.")
    )
    offset_bytes = models.BigIntegerField(default=0)
    state = models.CharField(max_length=10, choices=UploadState.choices, default=UploadState.RECEIVING)
    error_id = models.CharField(max_length=60, blank=True)
    publish = models.BooleanField(default=False, help_text=_("Publish as soon as the bundle is verified."))
    storage_name = models.CharField(
        max_length=200, blank=True, help_text=_("Name in the default storage, once finished.")
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[models.Manager[Upload]] = Visible.as_manager()

    class Meta:
        indexes = (models.Index(fields=("state", "expires_at")),)
        constraints = (
            models.CheckConstraint(
                condition=models.Q(offset_bytes__gte=0, offset_bytes__lte=models.F("size_bytes")),
                name="offset_within_size",
            ),
        )

    def __str__(self) -> str:
        return f"{self.public_id} {self.offset_bytes}/{self.size_bytes}"


class Submission(models.Model):
    """One bundle on its way through verification. Moves only through ``submissions.services``."""

    public_id = PublicIdField()
    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="submissions")
    user = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="submissions")
    system = models.ForeignKey(System, null=True, blank=True, on_delete=models.PROTECT, related_name="submissions")
    upload = models.OneToOneField(Upload, on_delete=models.PROTECT, related_name="submission")
    bundle_sha256 = models.CharField(max_length=64, help_text=_("SHA-256 of the file."))
    bundle_id = models.CharField(max_length=64, blank=True, help_text=_("SHA-256 of the statement, once verified."))
    workload = models.CharField(max_length=64, blank=True)
    scale = models.CharField(max_length=20, blank=True)
    level = models.CharField(max_length=20, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.RECEIVED)
    state_since = models.DateTimeField(default=timezone.now)
    deadline = models.DateTimeField(null=True, blank=True)
    attempt = models.PositiveIntegerField(default=0, help_text=_("Verifications begun."))
    attempts_allowed = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True, help_text=_("When its id was last sent to the workers."))
    publish_when_verified = models.BooleanField(default=False)
    publish_asked_at = models.DateTimeField(null=True, blank=True, help_text=_("When publication was last asked for."))
    publish_attempt = models.PositiveIntegerField(
        default=0, help_text=_("Publications begun since it was last asked for.")
    )
    last_error_id = models.CharField(max_length=60, blank=True)
    last_error = models.TextField(blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects: ClassVar[models.Manager[Submission]] = Visible.as_manager()

    class Meta:
        ordering = ("-created_at", "-id")
        indexes = (models.Index(fields=("state", "state_since")), models.Index(fields=("organisation", "-created_at")))
        constraints = (
            models.UniqueConstraint(fields=("organisation", "bundle_sha256"), name="one_submission_a_bundle"),
            models.CheckConstraint(condition=models.Q(state__in=State.values), name="known_state"),
        )

    def __str__(self) -> str:
        return self.public_id


class VerificationReport(models.Model):
    """What one verification found. Never updated, never deleted.

    ``document`` is the verifier's report as it came; ``admission`` holds the findings that only the portal can make,
    about the key and the organisation; ``verdict`` is over both.
    """

    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="reports")
    attempt = models.PositiveIntegerField()
    rule_set = models.CharField(max_length=20)
    verifier = models.CharField(max_length=40)
    bundle_id = models.CharField(max_length=64, blank=True)
    bundle_sha256 = models.CharField(max_length=64)
    verdict = models.CharField(max_length=10)
    document = JSONTextField()
    sha256 = models.CharField(max_length=64, help_text=_("SHA-256 of the document's canonical text."))
    admission = JSONTextField(default=list)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("attempt",)
        constraints = (models.UniqueConstraint(fields=("submission", "attempt"), name="one_report_an_attempt"),)

    def __str__(self) -> str:
        return f"{self.submission.public_id} attempt {self.attempt}: {self.verdict}"
