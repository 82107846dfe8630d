"""Runs one run of a set in a child process: starts it, passes its events on, and says how it ended."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from runner import children, events
from runner.errors import Exit, Interrupted, Problem, RunnerError
from runner.events import Failed, Listener, RunStarted
from runner.run_folder import RunFolder

GRACE_S = 60.0
"""How long a child that was told to stop may take: an evaluation or a compilation may be under way."""

OUTPUT_LINES = 3
OUTPUT_TAIL_BYTES = 4096


def run_one(folder: RunFolder, index: int, uuids: Sequence[str], listener: Listener) -> None:
    """Train run ``index`` to its end; raises Interrupted, or what the child met."""
    folder.begin_run(index)
    listener.tell(RunStarted(run=index, seed=folder.plan.seeds[index]))
    with _child(folder, index, uuids) as (process, lines):
        failed = _follow(process, lines, listener)
        status = process.wait()
    if failed is not None:
        raise _failure(failed, folder, index)
    if status == Exit.INTERRUPTED:
        raise Interrupted("run.interrupted", "The run was told to stop.")
    if status:
        raise _crash(status, folder, index)


@contextmanager
def _child(folder: RunFolder, index: int, uuids: Sequence[str]) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The child, in a session of its own so that a terminal's Ctrl-C reaches it through us alone, and its events."""
    read, write = os.pipe()
    try:
        with folder.output_path(index).open("wb") as output:
            process = subprocess.Popen(
                children.command("runner.worker", [str(folder.path), str(index), str(write), *uuids]),
                env=children.environment(),
                pass_fds=(write,),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
    finally:
        os.close(write)
    try:
        yield process, read
    finally:
        os.close(read)
        _end(process)


def _follow(process: subprocess.Popen[bytes], descriptor: int, listener: Listener) -> Problem | None:
    """Pass events on until the child closes its end; on Ctrl-C tell it to stop, and wait until it has."""
    failed: Problem | None = None
    with os.fdopen(os.dup(descriptor), "rb") as lines:
        try:
            for line in lines:
                event = events.load(line)
                listener.tell(event)
                failed = event.problem if isinstance(event, Failed) else failed
        except KeyboardInterrupt:
            _end(process)
            raise Interrupted("run.interrupted", "Stopped by you.") from None
    return failed


def _end(process: subprocess.Popen[bytes]) -> None:
    """Leave no child behind: tell it to stop, and end it where it does not, or where the user insists."""
    if process.poll() is not None:
        return
    process.send_signal(signal.SIGINT)
    try:
        process.wait(GRACE_S)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _failure(problem: Problem, folder: RunFolder, index: int) -> RunnerError:
    return RunnerError(
        problem.id,
        problem.message,
        place=problem.place or f"run {index + 1}",
        expected=problem.expected,
        got=problem.got,
        action=" ".join(filter(None, [problem.action, go_on(folder)])),
    )


def _crash(status: int, folder: RunFolder, index: int) -> RunnerError:
    how = signal.Signals(-status).name if status < 0 else f"status {status}"
    return RunnerError(
        "run.crashed",
        f"The process of run {index + 1} ended by itself ({how}).",
        place=folder.output_path(index),
        got=_tail(folder.output_path(index)),
        action=("Out of memory? Try a smaller --global-batch-size. " if how == "SIGKILL" else "") + go_on(folder),
    )


def go_on(folder: RunFolder) -> str:
    """How a user continues this run set."""
    return f"Go on with: vflops run --resume {shlex.quote(str(folder.path))}"


def _tail(path: Path) -> str:
    text = path.read_bytes()[-OUTPUT_TAIL_BYTES:].decode("utf-8", "replace")
    return " / ".join(text.strip().splitlines()[-OUTPUT_LINES:])
