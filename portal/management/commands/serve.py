"""`manage.py serve`: the whole portal on one machine, until SIGTERM or Ctrl-C."""

from __future__ import annotations

import errno
import os
import signal
import socket
import threading
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from portal import supervisor
from portal.celery import prepare_broker

WEB_THREADS = 32
"""Requests served at a time by the one web process. Pages need four; an upload over a slow line holds one for as long
as it lasts, and nobody else may wait for that. Threads are started as they are needed, and end when they are idle."""
WORKERS = 1
"""Verifications at a time: each fills a core."""


class Command(BaseCommand):
    """Prepares database and static files, then supervises web server, worker and sweep."""

    help = "Serve the portal on this machine: web server, worker and sweep under one supervisor."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Where to listen and how wide."""
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
        parser.add_argument("--port", type=int, default=settings.PORT, help="port to listen on (or PORT)")
        parser.add_argument("--threads", type=int, default=WEB_THREADS, help="requests served at a time")
        parser.add_argument("--workers", type=int, default=WORKERS, help="verifications at a time")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Serve."""
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: stop.set())
        host, port = options["host"], options["port"]
        refuse_taken_port(host, port)
        prepare()
        self.stderr.write(f"Serving {settings.SITE_URL if port == settings.PORT else f'http://localhost:{port}'}")
        programs = supervisor.programs(host=host, port=port, threads=options["threads"], concurrency=options["workers"])
        environment = {**os.environ, "PORT": str(port), "DJANGO_SETTINGS_MODULE": os.environ["DJANGO_SETTINGS_MODULE"]}
        supervisor.supervise(programs, environment, stop)


def prepare() -> None:
    """What the processes expect to find: folders, tables, and static files under the names that pages use."""
    prepare_broker()
    for folder in (settings.UPLOAD_DIR, settings.MEDIA_ROOT):
        folder.mkdir(parents=True, exist_ok=True)
    call_command("migrate", interactive=False, verbosity=0)
    if not (settings.STATIC_ROOT / "staticfiles.json").is_file():
        call_command("collectstatic", interactive=False, verbosity=0)


def refuse_taken_port(host: str, port: int) -> None:
    """Say so now, in one line, where the address cannot be had; the web server would only say it in its log."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                message = f"serve.port_in_use: port {port} is in use. Stop what uses it, or choose another: PORT=8001"
                raise CommandError(message) from error
            raise CommandError(f"serve.cannot_listen: {host} port {port}: {error.strerror}") from error
