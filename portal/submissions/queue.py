"""Sends ids to the workers. The broker carries nothing else; what it loses, the sweep sends again."""

from __future__ import annotations

import structlog
from kombu.exceptions import ChannelError, OperationalError

from portal.celery import app, prepare_broker

logger = structlog.get_logger(__name__)

VERIFY = "submissions.verify"
PUBLISH = "results.publish"
WORKER = "worker"
"""Name of the heartbeat that a worker makes with every message."""
SWEEP = "sweep"
"""Name of the heartbeat that the sweep makes with every round."""


def send(task: str, public_id: str) -> bool:
    """Send one id now; False where the broker cannot be reached."""
    try:
        prepare_broker()
        app.send_task(task, args=[public_id], retry=False)
    except (OperationalError, ChannelError, OSError) as error:
        logger.warning("queue.unreachable", task=task, submission=public_id, error=str(error))
        return False
    return True
