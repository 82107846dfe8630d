"""What happens to a submission next, and who must act: said by its page, its API and the command line alike."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from portal.submissions.models import Submission
from portal.submissions.states import State

STEPS: dict[State, Promise] = {
    State.RECEIVED: _("It is sent to a worker for verification within a minute."),
    State.QUEUED: _("The next free worker verifies it."),
    State.VERIFYING: _("A worker is verifying it; the report appears here by itself."),
    State.VERIFIED: _("Look at the report, then publish or withdraw it. At the deadline it is withdrawn."),
    State.HELD: _("An auditor looks at the findings and decides. You need to do nothing."),
    State.REJECTED: _("The findings say what to change. Run again, then hand in the new bundle."),
    State.FAILED: _("The failure is ours. Send the same bundle again, and it is verified again."),
    State.PUBLISHED: _("Nothing is left to do. The result is on its board."),
    State.WITHDRAWN: _("Nothing happens any more. The bundle was taken back."),
}

PUBLICATION: Promise = _("A worker publishes it within a minute.")


def next_step(submission: Submission) -> Promise:
    """One or two sentences."""
    state = State(submission.state)
    if state is State.VERIFIED and submission.publish_when_verified:
        return PUBLICATION
    return STEPS[state]
