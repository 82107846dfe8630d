"""The worker's door to verification: claim, compute outside any transaction, record."""

from __future__ import annotations

import structlog
from celery import shared_task

from portal.submissions import verifying
from portal.submissions.children import ChildProblem
from portal.submissions.queue import VERIFY, WORKER
from portal.submissions.recording import submission_record_report
from portal.submissions.services import submission_claim, submission_record_failure
from portal.trail.services import heartbeat_record

logger = structlog.get_logger(__name__)


@shared_task(name=VERIFY)
def verify(public_id: str) -> None:
    """Verify one submission, if it still waits."""
    heartbeat_record(name=WORKER)
    submission = submission_claim(public_id=public_id)
    if submission is None:
        logger.info("verification.nothing_to_claim", submission=public_id)
        return
    attempt = submission.attempt
    logger.info("verification.started", submission=public_id, attempt=attempt)
    try:
        document = verifying.verify(submission, attempt)
    except ChildProblem as problem:
        logger.warning(
            "verification.no_report", submission=public_id, attempt=attempt, id=problem.id, detail=problem.detail
        )
        submission_record_failure(submission=submission, attempt=attempt, error_id=problem.id, error=problem.detail)
        return
    report = submission_record_report(submission=submission, attempt=attempt, document=document)
    verdict = report.verdict if report else "outdated"
    logger.info("verification.recorded", submission=public_id, attempt=attempt, verdict=verdict)
