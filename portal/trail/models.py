"""The trail: one row for everything that happened, written in the transaction in which it happened."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from portal.trail.fields import JSONTextField


class Kind(models.TextChoices):
    """What can happen, as ``<entity>:<verb>``."""

    ORGANISATION_CREATE = "organisation:create", _("organisation created")
    MEMBERSHIP_ADD = "membership:add", _("member added")
    MEMBERSHIP_REMOVE = "membership:remove", _("member removed")
    SIGNING_KEY_REGISTER = "signing_key:register", _("signing key registered")
    SIGNING_KEY_REVOKE = "signing_key:revoke", _("signing key revoked")
    API_TOKEN_CREATE = "api_token:create", _("API token made")
    API_TOKEN_REVOKE = "api_token:revoke", _("API token revoked")
    AUDITOR_APPOINT = "auditor:appoint", _("auditor appointed")
    UPLOAD_CREATE = "upload:create", _("upload started")
    UPLOAD_FINISH = "upload:finish", _("upload finished")
    UPLOAD_FAIL = "upload:fail", _("upload failed")
    UPLOAD_EXPIRE = "upload:expire", _("upload expired")
    SUBMISSION_RECEIVE = "submission:receive", _("received")
    SUBMISSION_QUEUE = "submission:queue", _("queued for verification")
    SUBMISSION_CLAIM = "submission:claim", _("verification started")
    SUBMISSION_LOSE = "submission:lose", _("verification interrupted")
    SUBMISSION_VERIFY = "submission:verify", _("verified")
    SUBMISSION_HOLD = "submission:hold", _("held for review")
    SUBMISSION_REJECT = "submission:reject", _("rejected")
    SUBMISSION_FAIL = "submission:fail", _("verification failed")
    SUBMISSION_WITHDRAW = "submission:withdraw", _("withdrawn")
    SUBMISSION_REQUEST_PUBLICATION = "submission:request_publication", _("publication requested")
    SUBMISSION_PUBLISH = "submission:publish", _("published")
    RESULT_PUBLISH = "result:publish", _("result published")
    RESULT_MARK = "result:mark", _("result marked")


class Event(models.Model):
    """One thing that happened. Never updated, never deleted: triggers of the database refuse.

    People and things are named by public id, so that nothing here keeps a row alive or holds a name or an address.
    """

    at = models.DateTimeField()
    kind = models.CharField(max_length=40, choices=Kind.choices)
    subject = models.CharField(max_length=64, help_text=_("Public id of the row it happened to."))
    organisation = models.CharField(max_length=12, blank=True, help_text=_("Public id of the organisation concerned."))
    actor = models.CharField(
        max_length=12, blank=True, help_text=_("Public id of the person; empty for the portal itself.")
    )
    data = JSONTextField(default=dict)

    class Meta:
        ordering = ("at", "id")
        indexes = (models.Index(fields=("subject", "at")), models.Index(fields=("organisation", "at")))

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M:%S} {self.kind} {self.subject}"


class Heartbeat(models.Model):
    """When a process of the portal last did its round; the one row a process keeps writing over."""

    name = models.CharField(max_length=40, unique=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} {self.at:%Y-%m-%d %H:%M:%S}"
