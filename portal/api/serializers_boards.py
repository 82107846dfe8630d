"""Rows of boards and published results as the API gives them, with the unit of every figure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema_serializer
from rest_framework import serializers

from portal.api import addresses
from portal.results.models import Mark, Result, ResultVersion

UNITS: Mapping[str, str] = {
    "valid_flops": "FLOP/s",
    "valid_flops_low": "FLOP/s",
    "valid_flops_high": "FLOP/s",
    "flops": "FLOP/s",
    "quality": "of the workload's metric",
    "target_quality": "of the workload's metric",
    "factor": "1",
    "cv_flops": "1",
    "seconds": "s per run",
    "time_to_target_s": "s",
    "epochs_to_target": "epochs",
    "throughput": "samples/s",
    "share_of_peak": "1",
    "energy_joules": "J",
    "accelerator_count": "1",
    "published_at": "UTC",
}
"""Units of a row's figures; ``1`` is a pure number."""


class BoardSerializer(serializers.Serializer[Any]):
    """A board and how many results it lists."""

    workload = serializers.CharField()
    scale = serializers.CharField()
    level = serializers.CharField()
    listed = serializers.IntegerField()
    address = serializers.CharField(help_text="its page")


class BoardListSerializer(serializers.Serializer[Any]):
    """All boards that the workloads' definitions allow, also those with no result yet."""

    results = BoardSerializer(many=True)


@extend_schema_serializer(
    examples=[
        OpenApiExample(
            "First row of a board",
            value={
                "rank": 1,
                "tied": False,
                "separated": True,
                "id": "k7m2p9x4hq3t",
                "organisation": "example",
                "organisation_name": "Example Laboratory",
                "system": "one workstation",
                "valid_flops": 1.31e11,
                "valid_flops_low": 1.28e11,
                "valid_flops_high": 1.33e11,
                "flops": 1.22e11,
                "quality": 0.913,
                "target_quality": 0.9,
                "factor": 1.074,
                "seconds": 28.4,
            },
        )
    ]
)
class BoardRowSerializer(serializers.ModelSerializer[Result]):
    """A row of a board. Without a score there is no rank; ranks that overlap in their runs are not separated."""

    id = serializers.CharField(source="public_id")
    address = serializers.SerializerMethodField(help_text="the result's page")
    organisation = serializers.CharField(source="organisation_slug")
    system = serializers.CharField(source="system_name")

    class Meta:
        model = Result
        fields = (
            *("rank", "tied", "separated", "id", "address", "organisation", "organisation_name", "system"),
            *("valid_flops", "valid_flops_low", "valid_flops_high", "flops", "quality", "target_quality", "factor"),
            *("seconds", "throughput", "time_to_target_s", "epochs_to_target", "cv_flops", "share_of_peak"),
            *("energy_joules", "energy_scope", "accelerator", "accelerator_count", "framework", "precision", "seeds"),
            *("workload_version", "published_at"),
        )

    def get_address(self, result: Result) -> str:
        """The result's page."""
        return addresses.result_page(result)


class BoardDetailSerializer(serializers.Serializer[Any]):
    """A page of a board: the same rows, in the same order, as its page in the browser."""

    workload = serializers.CharField()
    scale = serializers.CharField()
    level = serializers.CharField()
    units = serializers.DictField(child=serializers.CharField(), help_text="unit of every figure in a row")
    total = serializers.IntegerField(help_text="rows under these filters, on all pages")
    page = serializers.IntegerField()
    pages = serializers.IntegerField()
    results = BoardRowSerializer(many=True)


class MarkSerializer(serializers.ModelSerializer[Mark]):
    """A statement about a published result."""

    class Meta:
        model = Mark
        fields = ("kind", "reason", "by_auditor", "created_at")


class VersionSerializer(serializers.ModelSerializer[ResultVersion]):
    """A version of a result; corrections add versions."""

    class Meta:
        model = ResultVersion
        fields = ("number", "sha256", "created_at")


class ResultSerializer(serializers.Serializer[Any]):
    """A published result: its row, its marks, its versions, and the record itself."""

    row = BoardRowSerializer()
    workload = serializers.CharField()
    scale = serializers.CharField()
    level = serializers.CharField()
    standing = serializers.CharField(help_text="listed, withdrawn or disqualified")
    marks = MarkSerializer(many=True)
    versions = VersionSerializer(many=True)
    version = serializers.IntegerField(help_text="number of the version shown")
    sha256 = serializers.CharField(help_text="of the document's RFC 8785 text")
    document = serializers.DictField(help_text="the record itself")
