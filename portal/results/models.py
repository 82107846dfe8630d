"""Published results, their versions, figures and marks, and the boards that rank them."""

from __future__ import annotations

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from portal.accounts.models import Organisation
from portal.submissions.models import Submission, System
from portal.trail.fields import JSONTextField, PublicIdField


class Board(models.Model):
    """One ranking: a workload, a scale and a level. The row is what publications lock while they rank."""

    workload = models.CharField(max_length=60)
    scale = models.CharField(max_length=20)
    level = models.CharField(max_length=20)
    ranked_at = models.DateTimeField(null=True, blank=True)
    listed = models.PositiveIntegerField(default=0, help_text=_("Results on the board."))

    class Meta:
        ordering = ("workload", "scale", "level")
        constraints = (models.UniqueConstraint(fields=("workload", "scale", "level"), name="one_board_a_ranking"),)

    def __str__(self) -> str:
        return f"{self.workload}/{self.scale}/{self.level}"


class Standing(models.TextChoices):
    """Whether a result takes part in the ranking; its page stays in any case."""

    LISTED = "listed", _("listed")
    WITHDRAWN = "withdrawn", _("withdrawn")
    DISQUALIFIED = "disqualified", _("disqualified")


class Result(models.Model):
    """A published result. Columns are projections of its newest version, and its stored rank."""

    public_id = PublicIdField()
    submission = models.OneToOneField(Submission, on_delete=models.PROTECT, related_name="result")
    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="results")
    system = models.ForeignKey(System, on_delete=models.PROTECT, related_name="results")
    board = models.ForeignKey(Board, on_delete=models.PROTECT, related_name="results")
    bundle_id = models.CharField(max_length=64, unique=True)
    published_at = models.DateTimeField(default=timezone.now, editable=False)
    version_number = models.PositiveIntegerField(default=1)
    standing = models.CharField(max_length=12, choices=Standing.choices, default=Standing.LISTED)

    rank = models.PositiveIntegerField(null=True, blank=True)
    tied = models.BooleanField(default=False)
    separated = models.BooleanField(default=True, help_text=_("Its interval overlaps with no neighbour's."))

    organisation_name = models.CharField(max_length=100)
    organisation_slug = models.SlugField(max_length=60)
    system_name = models.CharField(max_length=100)
    workload_version = models.CharField(max_length=20)
    valid_flops = models.FloatField(help_text="FLOP/s")
    valid_flops_low = models.FloatField(help_text=_("Lowest of the counted runs, FLOP/s."))
    valid_flops_high = models.FloatField(help_text=_("Highest of the counted runs, FLOP/s."))
    flops = models.FloatField(help_text="FLOP/s")
    cv_flops = models.FloatField(null=True, blank=True)
    quality = models.FloatField()
    target_quality = models.FloatField()
    factor = models.FloatField()
    seconds = models.FloatField()
    throughput = models.FloatField(null=True, blank=True, help_text=_("Samples per second."))
    time_to_target_s = models.FloatField(null=True, blank=True)
    epochs_to_target = models.FloatField(null=True, blank=True)
    share_of_peak = models.FloatField(null=True, blank=True)
    energy_joules = models.FloatField(null=True, blank=True)
    energy_scope = models.CharField(max_length=20, blank=True)
    accelerator = models.CharField(max_length=100, blank=True)
    accelerator_count = models.PositiveBigIntegerField(default=0)
    framework = models.CharField(max_length=60, blank=True)
    precision = models.CharField(max_length=20, blank=True)
    seeds = models.CharField(max_length=10, blank=True)

    class Meta:
        ordering = ("-published_at", "-id")
        indexes = (
            models.Index(fields=("board", "standing", "rank")),
            models.Index(fields=("board", "valid_flops")),
            models.Index(fields=("organisation", "-published_at")),
        )

    def __str__(self) -> str:
        return self.public_id

    @property
    def version(self) -> ResultVersion:
        """The newest version."""
        return self.versions.get(number=self.version_number)


class ResultVersion(models.Model):
    """The record itself: a canonical RFC 8785 document and its SHA-256. Never updated, never deleted."""

    result = models.ForeignKey(Result, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    document = JSONTextField()
    sha256 = models.CharField(max_length=64, help_text=_("SHA-256 of the document's canonical text."))
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("number",)
        constraints = (models.UniqueConstraint(fields=("result", "number"), name="one_version_a_number"),)

    def __str__(self) -> str:
        return f"{self.result.public_id} version {self.number}"


class Figure(models.Model):
    """A stored figure of a version: what the browser draws, the static picture and the table of the same numbers."""

    version = models.ForeignKey(ResultVersion, on_delete=models.CASCADE, related_name="figures")
    name = models.SlugField(max_length=40)
    title = models.CharField(max_length=100)
    plotly = JSONTextField(help_text=_("Data and layout."))
    svg = models.TextField()
    table = JSONTextField()

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("version", "name"), name="one_figure_a_name"),)

    def __str__(self) -> str:
        return self.name


class MarkKind(models.TextChoices):
    """What a mark says of a result."""

    WITHDRAWN = "withdrawn", _("withdrawn by its organisation")
    DISQUALIFIED = "disqualified", _("disqualified")
    NOTED = "noted", _("noted")


class Mark(models.Model):
    """A statement about a published result, with its reason, shown on its page. Never updated, never deleted."""

    result = models.ForeignKey(Result, on_delete=models.PROTECT, related_name="marks")
    kind = models.CharField(max_length=12, choices=MarkKind.choices)
    reason = models.TextField()
    by = models.CharField(max_length=12, help_text=_("Public id of the person."))
    by_auditor = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("created_at", "id")

    def __str__(self) -> str:
        return f"{self.kind}: {self.reason}"
