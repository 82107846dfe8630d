"""Verified submissions for tests of the API: their report is recorded as a worker would, without verifying anew."""

from __future__ import annotations

import pytest

from portal.submissions.models import Submission
from tests.portal.reports import report
from tests.portal.scenes import record


@pytest.fixture
def verified(submission: Submission) -> Submission:
    """The honest bundle with an accepting report."""
    return record(submission, report())
