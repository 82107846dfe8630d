"""The Celery application: workers are started with `celery -A portal.celery worker`."""

from __future__ import annotations

import os
from typing import Any

import structlog
from celery import Celery
from celery.signals import setup_logging, task_postrun, task_prerun, worker_init
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")

app = Celery("portal")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


def prepare_broker() -> None:
    """Make the folders of the file-system broker, which makes none by itself."""
    if settings.CELERY_BROKER_URL.startswith("filesystem:"):
        for folder in ("messages", "control"):
            (settings.BROKER_DIR / folder).mkdir(parents=True, exist_ok=True)


@worker_init.connect
def prepare_worker(**_kwargs: Any) -> None:
    """A worker may be the first process of a new state folder."""
    prepare_broker()


@setup_logging.connect
def use_our_logging(**_kwargs: Any) -> None:
    """Keep Django's logging configuration: with a receiver here Celery installs none of its own."""


@task_prerun.connect
def bind_task(task_id: str, task: Any, args: list[Any], **_kwargs: Any) -> None:
    """Name the task and the row it works on in every log line of the task."""
    structlog.contextvars.bind_contextvars(task=task.name, task_id=task_id, public_id=args[0] if args else "")


@task_postrun.connect
def unbind_task(**_kwargs: Any) -> None:
    """Forget the names, so that the next task of this process starts clean."""
    structlog.contextvars.clear_contextvars()
