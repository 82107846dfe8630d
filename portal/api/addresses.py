"""Addresses of pages that answers of the API name, under the portal's own address."""

from __future__ import annotations

from django.conf import settings

from portal.results.models import Result
from portal.submissions.models import Submission


def submission_page(submission: Submission) -> str:
    """The submission's page."""
    return f"{settings.SITE_URL}/submissions/{submission.public_id}/"


def result_page(result: Result) -> str:
    """The result's permanent page."""
    return f"{settings.SITE_URL}/results/{result.public_id}/"
