"""The record of a result as a document, and the columns that are projections of it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from portal.results.models import Board
from portal.submissions.models import Submission, VerificationReport

SCHEMA = "vflops-result/1"
"""A report's document with the publication beside it and the portal's own findings among the findings."""


def result_document(
    *, public_id: str, number: int, submission: Submission, report: VerificationReport, board: Board, at: datetime
) -> dict[str, Any]:
    """The whole record; names are as they were at publication, whatever happens to the rows later."""
    organisation, system = submission.organisation, submission.system
    publication = {
        "result": public_id,
        "version": number,
        "published_at": f"{at:%Y-%m-%dT%H:%M:%SZ}",
        "board": {"workload": board.workload, "scale": board.scale, "level": board.level},
        "organisation": {
            "id": organisation.public_id,
            "slug": organisation.slug,
            "name": organisation.name,
            "country": organisation.country,
        },
        "system": {"id": system.public_id, "name": system.name} if system else None,
        "report_sha256": report.sha256,
        "file_sha256": report.bundle_sha256,
    }
    findings = [*report.admission, *report.document["findings"]]
    return {**report.document, "schema": SCHEMA, "findings": findings, "publication": publication}


def projections(document: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a result that a version's document fills."""
    score, publication = document["score"], document["publication"]
    return {
        "organisation_name": publication["organisation"]["name"],
        "organisation_slug": publication["organisation"]["slug"],
        "system_name": publication["system"]["name"],
        "workload_version": document["submission"]["version"],
        "seeds": document["submission"]["seeds"],
        "valid_flops_low": score["low"],
        "valid_flops_high": score["high"],
        **{name: score[name] for name in SAME_NAME},
        **_energy(score["energy"]),
        **_device(document),
    }


SAME_NAME = (
    *("valid_flops", "flops", "cv_flops", "quality", "target_quality", "factor", "seconds", "throughput"),
    *("time_to_target_s", "epochs_to_target", "share_of_peak"),
)
"""Columns called like the score's fields."""


def _energy(energy: Mapping[str, Any] | None) -> dict[str, Any]:
    return {"energy_joules": energy["joules"], "energy_scope": energy["scope"]} if energy else {}


def _device(document: Mapping[str, Any]) -> dict[str, Any]:
    accelerator = document["accelerator"] or {}
    return {
        "accelerator": _printable(accelerator.get("canonical") or accelerator.get("name"))[:100],
        "accelerator_count": accelerator.get("count") or 0,
        "framework": _printable(document["framework"])[:60],
        "precision": document["precision"] or "",
    }


def _printable(text: str | None) -> str:
    """A name from a system description without control characters: some database columns take none of them."""
    return "".join(character for character in text or "" if character.isprintable())
