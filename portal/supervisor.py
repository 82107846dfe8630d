"""Keeps the portal's processes running: starts each in its own process group, restarts what dies, stops them all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import structlog

logger = structlog.get_logger(__name__)

LOOK_EVERY_S = 0.2
FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0
"""Pauses before a restart double from the first to the longest: a child that cannot start does not burn the machine."""
GOOD_LIFE_S = 60.0
"""A child that lived this long had a good start; its next pause is the first one again."""
PATIENCE_S = 20.0
"""For a child to end by itself: a web request, or the warm end of a worker. Work that is cut off is claimed again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One kind of process: its name in the logs and its command."""

    name: str
    command: Sequence[str]


@dataclass(slots=True)
class Child:
    """A program as it runs: its process, and when to start the next one."""

    program: Program
    environment: Mapping[str, str]
    process: subprocess.Popen[bytes] | None = None
    started_s: float = 0.0
    start_again_s: float = 0.0
    pause_s: float = field(default=FIRST_PAUSE_S)

    def tend(self, now_s: float) -> None:
        """Start the process where it does not run and its pause is over."""
        if self.process is None and now_s >= self.start_again_s:
            self._start(now_s)
        elif self.process is not None and self.process.poll() is not None:
            self._lost(self.process, now_s)

    def _start(self, now_s: float) -> None:
        self.process = subprocess.Popen(
            list(self.program.command), env=dict(self.environment), stdin=subprocess.DEVNULL, start_new_session=True
        )
        self.started_s = now_s
        logger.info("supervisor.started", program=self.program.name, pid=self.process.pid)

    def _lost(self, process: subprocess.Popen[bytes], now_s: float) -> None:
        """Note the end, remove what is left of the group, and set the pause."""
        lived_s = now_s - self.started_s
        self.pause_s = FIRST_PAUSE_S if lived_s >= GOOD_LIFE_S else min(2 * self.pause_s, LONGEST_PAUSE_S)
        self.start_again_s = now_s + self.pause_s
        _kill_group(process)
        self.process = None
        logger.error(
            "supervisor.child_ended",
            program=self.program.name,
            status=process.returncode,
            lived_s=round(lived_s, 1),
            restart_in_s=self.pause_s,
        )

    def ask_to_end(self) -> None:
        """SIGTERM to the parent alone: it ends its own children, and a signal to all of them could hang it."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()

    def wait_for_end(self, until_s: float) -> None:
        """Wait until ``until_s``, then kill the group."""
        if self.process is None:
            return
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(max(0.0, until_s - time.monotonic()))
        _kill_group(self.process)
        self.process.wait()
        logger.info("supervisor.stopped", program=self.program.name, status=self.process.returncode)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """End what is left of a child's own group; the group bears its pid, so nothing else can be hit."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def supervise(programs: Sequence[Program], environment: Mapping[str, str], stop: threading.Event) -> None:
    """Run ``programs`` until ``stop`` is set, then end them in order."""
    children = [Child(program, environment) for program in programs]
    try:
        while not stop.is_set():
            for child in children:
                child.tend(time.monotonic())
            stop.wait(LOOK_EVERY_S)
    finally:
        for child in children:
            child.ask_to_end()
        until_s = time.monotonic() + PATIENCE_S
        for child in children:
            child.wait_for_end(until_s)


def programs(*, host: str, port: int, threads: int, concurrency: int) -> tuple[Program, ...]:
    """Web server, worker and sweep of one machine."""
    python = sys.executable
    web = [python, "-m", "granian", "--interface", "wsgi", "--host", host, "--port", str(port), "--no-ws"]
    web += ["--log-level", "error"]  # it warns of the many threads, most of which wait for slow peers
    worker = [python, "-m", "celery", "-q", "-A", "portal.celery", "worker", "--concurrency", str(concurrency)]
    return (
        Program(name="web", command=[*web, "--blocking-threads", str(threads), "portal.wsgi:application"]),
        Program(name="sweep", command=[python, "manage.py", "sweep"]),
        Program(name="worker", command=[*worker, "--without-gossip", "--without-mingle", "--loglevel", "INFO"]),
    )
