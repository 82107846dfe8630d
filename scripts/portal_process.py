"""A portal started as an operator starts it: `manage.py serve`, watched until it answers, stopped with its children."""

from __future__ import annotations

import os
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from scripts.common import PYTHON, ROOT, CommandError, last_lines

READY_S = 600.0
"""Longest start of the portal: migrations and three processes take 5 s on two quiet cores, and nothing here may fail
because a machine is slow; one that hangs is told after ten minutes."""


@contextmanager
def portal(port: int, log: Path, env: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """Serves, yields when ready, and ends the supervisor, which ends its children."""
    environment = {**os.environ, **env, "PORT": str(port)}
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        process = subprocess.Popen(
            [str(PYTHON), "manage.py", "serve", "--port", str(port)],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        try:
            wait_until_ready(process, f"http://localhost:{port}/health/ready", log)
            yield process
        finally:
            stop(process)


def wait_until_ready(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    """Returns when the portal says that it is ready; raises with the end of its log where it ends or stays silent."""
    deadline = time.monotonic() + READY_S
    while not answers(address):
        if process.poll() is not None or time.monotonic() > deadline:
            raise failed(f"the portal did not become ready at {address}", log.read_text(errors="replace"))
        time.sleep(0.1)


def answers(address: str) -> bool:
    """Whether this address answers with success."""
    try:
        with urllib.request.urlopen(address, timeout=5) as response:  # noqa: S310 - an http address of our own
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def stop(process: subprocess.Popen[bytes], *, patience_s: float = 30) -> None:
    """Asks the supervisor to end; kills its process group where it does not."""
    if process.poll() is None:
        process.terminate()
    try:
        process.wait(patience_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def failed(what: str, output: str) -> CommandError:
    """An error of the portal's start, with the end of what it printed."""
    return CommandError("portal.not_started", f"{what}\n{last_lines(output)}", "See the lines above.")
