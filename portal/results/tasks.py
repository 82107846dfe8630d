"""The worker's door to publication: claim, draw the figures outside any transaction, record."""

from __future__ import annotations

from typing import Any

import structlog
from celery import shared_task
from django.conf import settings
from django.utils.module_loading import import_string

from portal.errors import PortalError
from portal.results.services import publication_claim, publication_refuse, result_publish
from portal.submissions.models import Submission
from portal.submissions.queue import PUBLISH, WORKER
from portal.submissions.selectors import newest_report
from portal.trail.services import heartbeat_record

logger = structlog.get_logger(__name__)


@shared_task(name=PUBLISH)
def publish(public_id: str) -> None:
    """Publish one submission, if that is asked for."""
    heartbeat_record(name=WORKER)
    submission = publication_claim(public_id=public_id)
    if submission is None:
        logger.info("publication.nothing_to_claim", submission=public_id)
        return
    try:
        result = result_publish(submission=submission, figures=figures_of(submission))
    except PortalError as error:
        logger.warning("publication.refused", submission=public_id, id=error.id, detail=error.detail)
        publication_refuse(submission=submission, error_id=error.id, error=error.detail)
        return
    logger.info("publication.done", submission=public_id, result=result.public_id, rank=result.rank)


def figures_of(submission: Submission) -> dict[str, Any]:
    """The figures of a submission's deciding report, drawn now."""
    report = newest_report(submission)
    if report is None:
        return {}
    figures: dict[str, Any] = import_string(settings.FIGURES_BUILDER)(report.document)
    return figures
