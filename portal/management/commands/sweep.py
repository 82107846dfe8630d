"""`manage.py sweep`: rounds over everything that waits, in a process of its own that needs no broker."""

from __future__ import annotations

import signal
import threading
from argparse import ArgumentParser
from typing import Any

import structlog
from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import InterfaceError, OperationalError, close_old_connections

from portal.submissions.sweeping import sweep

logger = structlog.get_logger(__name__)


class Command(BaseCommand):
    """Sweeps until SIGTERM or Ctrl-C; with --once a single round."""

    help = "End leases and deadlines, send waiting submissions again, expire uploads."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """One round or many."""
        parser.add_argument("--once", action="store_true", help="one round, then end")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Sweep."""
        if options["once"]:
            self.stdout.write(str(sweep()))
            return
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        while not stop.is_set():
            one_round()
            stop.wait(settings.SWEEP_EVERY.total_seconds())


def one_round() -> None:
    """One round; a database that is away is waited for, since the next round does all that this one left."""
    close_old_connections()
    try:
        done = sweep()
    except (OperationalError, InterfaceError) as error:
        logger.exception("sweep.database_unavailable", error=str(error))
        return
    logger.debug("sweep.round", **{name: getattr(done, name) for name in done.__slots__})
