"""Starts the child processes in which bundles are opened: limited memory, time and output, killed as a group."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from portal.submissions import limited

READ_BYTES = 64 * 1024
ERROR_BYTES = 64 * 1024
"""What is kept of a child's standard error: enough for its last traceback."""

EXIT_S = 10.0
"""Between the end of a child's output and its own: the interpreter's clean-up."""


class ChildProblem(Exception):
    """A child gave no usable answer; ``id`` is the error's stable id."""

    def __init__(self, error_id: str, detail: str) -> None:
        self.id = error_id
        self.detail = detail
        super().__init__(f"{error_id}: {detail}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a child may use."""

    wall_s: float
    memory_bytes: int
    output_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """What to do while a child works: ``act`` every ``every_s``; whatever it raises ends the child."""

    act: Callable[[], None]
    every_s: float


UNWATCHED = Watch(act=lambda: None, every_s=3600.0)


def run_module(module: str, arguments: Sequence[str], *, limits: Limits, watch: Watch = UNWATCHED) -> bytes:
    """Standard output of ``python -m module``. Raises ChildProblem where it was killed, crashed or said too much."""
    process = subprocess.Popen(
        _command(module, arguments, limits),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=_environment(),
        cwd="/",
        start_new_session=True,
    )
    try:
        output, errors = _collect(process, limits, watch)
        status = process.wait(timeout=EXIT_S)
    except subprocess.TimeoutExpired as error:
        raise ChildProblem("verification.out_of_time", f"more than {limits.wall_s:.0f} s") from error
    finally:
        _kill_group(process)
    if status != 0:
        raise ChildProblem("verification.crashed", _last_words(status, errors))
    return output


def _command(module: str, arguments: Sequence[str], limits: Limits) -> list[str]:
    launcher = [sys.executable, str(Path(limited.__file__)), str(limits.memory_bytes), str(int(limits.wall_s) + 1)]
    return [*launcher, sys.executable, "-m", module, *arguments]


def _environment() -> dict[str, str]:
    """Nothing of ours but the way to our code: no secrets, no user, no proxies."""
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "PYTHONSAFEPATH": "1",
        "PYTHONPATH": str(settings.BASE_DIR),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }


def _collect(process: subprocess.Popen[bytes], limits: Limits, watch: Watch) -> tuple[bytes, bytes]:
    """Both outputs until their end. Raises ChildProblem past the limits; the caller kills."""
    if process.stdout is None or process.stderr is None:
        raise AssertionError("the child was started without pipes")
    output, errors = bytearray(), bytearray()
    end = time.monotonic() + limits.wall_s
    next_act = time.monotonic() + watch.every_s
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ, output)
        selector.register(process.stderr, selectors.EVENT_READ, errors)
        while selector.get_map():
            now = time.monotonic()
            if now >= end:
                raise ChildProblem("verification.out_of_time", f"more than {limits.wall_s:.0f} s")
            if now >= next_act:
                watch.act()
                next_act = now + watch.every_s
            _read_ready(selector, min(end, next_act) - now)
            del errors[:-ERROR_BYTES]
            if len(output) > limits.output_bytes:
                raise ChildProblem("verification.output_too_large", f"more than {limits.output_bytes} bytes")
    return bytes(output), bytes(errors)


def _read_ready(selector: selectors.BaseSelector, timeout_s: float) -> None:
    for key, _events in selector.select(max(0.0, timeout_s)):
        if not _read_some(key.fd, key.data):
            selector.unregister(key.fileobj)


def _read_some(descriptor: int, into: bytearray) -> bool:
    chunk = os.read(descriptor, READ_BYTES)
    into += chunk
    return bool(chunk)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """End the child and whatever it started; the group is the child's own, so nothing else can be hit."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()


def _last_words(status: int, errors: bytes) -> str:
    """Why a child ended, for the log and the submission's page: the signal or the last line, without paths."""
    if status < 0:
        return f"ended by signal {signal.Signals(-status).name}"
    lines = errors.decode("utf-8", "replace").strip().splitlines()
    kind = lines[-1].split(":", 1)[0][:80] if lines else "no message"
    return f"exit status {status}: {kind}"
