"""What answers of the API hold and what its bodies take; the description of the API is made from these."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from portal.accounts.models import ApiToken, Membership, SigningKey
from portal.api import addresses
from portal.results.standing import result_of, step_with_standing
from portal.submissions.models import Submission, System
from portal.submissions.selectors import newest_report, report_findings
from portal.submissions.states import State
from portal.trail.models import Event


class ProblemSerializer(serializers.Serializer[Any]):
    """An error. Decide by ``id``: ids stay, texts do not."""

    type = serializers.CharField(help_text="urn:vflops:problem: and the id")
    title = serializers.CharField(help_text="what the id means, in the language asked for")
    status = serializers.IntegerField()
    detail = serializers.CharField(help_text="about this very case")
    id = serializers.CharField(help_text="stable id, family.name")
    action = serializers.CharField(help_text="what to do about it")
    fields_ = serializers.DictField(source="fields", required=False, help_text="for request.invalid: faults by field")

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """The last member is named ``fields``, which a serializer's own attribute occupies."""
        found = super().get_fields()
        found["fields"] = found.pop("fields_")
        found["fields"].source = None
        return found


class MembershipSerializer(serializers.ModelSerializer[Membership]):
    """An organisation that the caller acts for."""

    slug = serializers.CharField(source="organisation.slug")
    name = serializers.CharField(source="organisation.name")

    class Meta:
        model = Membership
        fields = ("slug", "name", "role")


class TokenSerializer(serializers.ModelSerializer[ApiToken]):
    """The token of the call; its secret is shown once, when it is made."""

    class Meta:
        model = ApiToken
        fields = ("name", "prefix", "created_at", "expires_at")


class PersonSerializer(serializers.Serializer[Any]):
    """A person."""

    email = serializers.EmailField()
    name = serializers.CharField()


class MeSerializer(serializers.Serializer[Any]):
    """Who calls, with which token, and for which organisations."""

    user = PersonSerializer()
    organisations = MembershipSerializer(many=True)
    token = TokenSerializer(allow_null=True)


class SystemSerializer(serializers.ModelSerializer[System]):
    """A machine of an organisation; its name comes from the signed bundles."""

    id = serializers.CharField(source="public_id")
    organisation = serializers.CharField(source="organisation.slug")

    class Meta:
        model = System
        fields = ("id", "organisation", "name", "slug", "created_at")


class KeySerializer(serializers.ModelSerializer[SigningKey]):
    """A signing key, revoked or not."""

    organisation = serializers.CharField(source="organisation.slug")

    class Meta:
        model = SigningKey
        fields = ("key_id", "name", "organisation", "public_key", "created_at", "revoked_at", "revoked_reason")


class KeyRegistrationSerializer(serializers.Serializer[Any]):
    """A public key with the proof that its private half is at hand."""

    organisation = serializers.SlugField(
        max_length=60, required=False, default="", help_text="slug; or the token's own"
    )
    name = serializers.CharField(max_length=100, required=False, default="")
    public_key = serializers.CharField(max_length=44, help_text="Ed25519, the 32 raw bytes in base64")
    signature = serializers.CharField(
        max_length=88, help_text="base64; made by the key over 'vflops-key-registration:' and the organisation's slug"
    )


class ReasonSerializer(serializers.Serializer[Any]):
    """Why something is done; it is kept and shown."""

    reason = serializers.CharField(max_length=200)


class OptionalReasonSerializer(serializers.Serializer[Any]):
    """Why something is done, where one likes to say."""

    reason = serializers.CharField(max_length=200, required=False, default="", allow_blank=True)


class FindingSerializer(serializers.Serializer[Any]):
    """What one rule says of a submission."""

    id = serializers.CharField(help_text="family.rule")
    verdict = serializers.ChoiceField(choices=("reject", "hold", "note"))
    sentence = serializers.CharField()
    place = serializers.CharField(help_text="for example runs/0/log.txt:17")
    expected = serializers.CharField()
    got = serializers.CharField()
    action = serializers.CharField(help_text="what to do about it")


class SubmissionSerializer(serializers.ModelSerializer[Submission]):
    """A submission without its findings, as lists hold it."""

    id = serializers.CharField(source="public_id")
    address = serializers.SerializerMethodField(help_text="its page")
    organisation = serializers.CharField(source="organisation.slug")
    system = serializers.SerializerMethodField(help_text="from the signed bundle; empty until it is read")
    board = serializers.SerializerMethodField(help_text="workload/scale/level; null until the bundle is read")
    state = serializers.ChoiceField(choices=State.choices)
    next_step = serializers.SerializerMethodField(help_text="what happens next, and who must act")
    result = serializers.SerializerMethodField(help_text="id of the published result")
    result_address = serializers.SerializerMethodField(help_text="the published result's page")
    valid_flops = serializers.SerializerMethodField(help_text="FLOP/s; null while there is no score")

    class Meta:
        model = Submission
        fields = (
            *("id", "address", "organisation", "system", "board", "state", "state_since", "deadline", "next_step"),
            *("publish_when_verified", "attempt", "last_error_id", "last_error", "bundle_sha256", "bundle_id"),
            *("valid_flops", "result", "result_address", "created_at"),
        )

    def get_address(self, submission: Submission) -> str:
        """The submission's page."""
        return addresses.submission_page(submission)

    def get_system(self, submission: Submission) -> str:
        """The system's name."""
        return submission.system.name if submission.system else ""

    def get_board(self, submission: Submission) -> str | None:
        """The board that it aims at."""
        return f"{submission.workload}/{submission.scale}/{submission.level}" if submission.workload else None

    def get_next_step(self, submission: Submission) -> str:
        """What happens next."""
        return str(step_with_standing(submission))

    def get_result(self, submission: Submission) -> str | None:
        """The published result."""
        result = result_of(submission)
        return result.public_id if result else None

    def get_result_address(self, submission: Submission) -> str | None:
        """The published result's page."""
        result = result_of(submission)
        return addresses.result_page(result) if result else None

    def get_valid_flops(self, submission: Submission) -> float | None:
        """The published score; the detail also has that of a submission not yet published."""
        result = result_of(submission)
        return result.valid_flops if result else None


class SubmissionDetailSerializer(SubmissionSerializer):
    """A submission with the verdict, score and findings of its newest report."""

    verdict = serializers.SerializerMethodField(help_text="accept, hold, reject; null before the first report")
    findings = serializers.SerializerMethodField()

    class Meta(SubmissionSerializer.Meta):
        fields = (*SubmissionSerializer.Meta.fields, "verdict", "findings")  # type: ignore[assignment]

    def get_verdict(self, submission: Submission) -> str | None:
        """The newest report's verdict."""
        report = newest_report(submission)
        return report.verdict if report else None

    @extend_schema_field(FindingSerializer(many=True))
    def get_findings(self, submission: Submission) -> list[dict[str, Any]]:
        """All findings of the newest report."""
        report = newest_report(submission)
        return [dict(finding) for finding in report_findings(report)] if report else []

    def get_valid_flops(self, submission: Submission) -> float | None:
        """The score as verified, published or not."""
        report = newest_report(submission)
        score = report.document["score"] if report else None
        return score["valid_flops"] if score else None


class EventSerializer(serializers.ModelSerializer[Event]):
    """One thing that happened to a submission."""

    class Meta:
        model = Event
        fields = ("at", "kind", "data")
