"""The supervisor: starts, restarts with growing pauses, ends everything it started; and the port that is taken."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError

from portal.supervisor import FIRST_PAUSE_S, GOOD_LIFE_S, LONGEST_PAUSE_S, Child, Program, supervise

WAIT_S = 60.0
"""For a process to start or end on a busy machine; usual are parts of a second."""


def wait_until(condition: object, what: str) -> None:
    """Return as soon as ``condition`` holds; fail when it never does."""
    assert callable(condition)
    end = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < end, what
        threading.Event().wait(0.02)


def python(text: str, name: str = "child") -> Program:
    """A program of some lines."""
    return Program(name=name, command=[sys.executable, "-c", text])


@contextmanager
def supervised(*programs: Program) -> Iterator[None]:
    """Programs under a supervisor of their own; ended afterwards."""
    stop = threading.Event()
    thread = threading.Thread(target=supervise, args=(programs, os.environ, stop))
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(WAIT_S)
    assert not thread.is_alive()


def test_a_child_that_dies_is_started_again(tmp_path: Path) -> None:
    """As a new process."""
    pids = tmp_path / "pids"
    text = f"import os, time; open({str(pids)!r}, 'a').write(f'{{os.getpid()}}\\n'); time.sleep(600)"
    with supervised(python(text)):
        wait_until(lambda: pids.exists() and pids.read_text().endswith("\n"), "first start")
        os.kill(int(pids.read_text()), signal.SIGKILL)
        wait_until(lambda: pids.read_text().count("\n") == 2, "second start")
    assert all(not psutil.pid_exists(int(pid)) for pid in pids.read_text().split())


def test_only_parents_are_asked_to_end_and_the_rest_of_a_group_goes_with_them(tmp_path: Path) -> None:
    """A child of a child gets no SIGTERM of ours; what its parent leaves behind is killed."""
    seen = tmp_path / "seen"
    text = f"""
import os, signal, sys, time
grandchild = os.fork() == 0
def note(*_):
    open({str(seen)!r}, "a").write("grandchild " if grandchild else "parent ")
    sys.exit(0)
signal.signal(signal.SIGTERM, note)
open({str(seen)!r} + str(os.getpid()), "w").close()
time.sleep(600)
"""
    with supervised(python(text)):
        wait_until(lambda: len(list(tmp_path.glob("seen*"))) == 2, "both started")
    pids = [int(path.name.removeprefix("seen")) for path in tmp_path.glob("seen?*")]
    assert seen.read_text() == "parent "
    wait_until(lambda: not any(map(_runs, pids)), "the group is gone")


def _runs(pid: int) -> bool:
    with suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    return False


def running(child: Child) -> bool:
    """Whether the supervisor holds a process of it."""
    return child.process is not None


def live_once(child: Child, start_s: float, end_s: float) -> float:
    """Start at ``start_s``, end by itself, be missed at ``end_s``; gives the pause that follows."""
    child.tend(start_s)
    assert child.process is not None
    child.process.wait()
    child.tend(end_s)
    child.tend(end_s + child.pause_s / 2)
    assert not running(child)
    return child.pause_s


def test_pauses_grow_to_a_limit_and_start_anew_after_a_good_life() -> None:
    """A child that cannot start does not burn the machine."""
    child = Child(python("import sys; sys.exit(1)"), os.environ)
    now_s, pauses_s = 1000.0, []
    for _ in range(8):
        pauses_s.append(live_once(child, now_s, now_s))
        now_s += pauses_s[-1]
    assert pauses_s == sorted(pauses_s)
    assert (pauses_s[0], pauses_s[-1]) == (2 * FIRST_PAUSE_S, LONGEST_PAUSE_S)
    assert live_once(child, now_s, now_s + GOOD_LIFE_S) == FIRST_PAUSE_S


@contextmanager
def listening() -> Iterator[int]:
    """A port that somebody uses."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield taken.getsockname()[1]


def test_a_port_in_use_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """With what to do, before anything is started."""
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    with listening() as port, pytest.raises(CommandError, match=r"serve\.port_in_use: port \d+ is in use.*PORT="):
        call_command("serve", "--port", str(port))


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def ready(port: int) -> bool:
    """Whether a portal answers there that it is ready."""
    with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/health/ready", timeout=5) as answer:
        return bool(answer.status == 200)
    return False


def test_the_whole_portal_starts_becomes_ready_and_ends(tmp_path: Path) -> None:
    """In a new folder, by one command; SIGTERM ends web server, worker and sweep."""
    port = free_port()
    env = {"PATH": os.environ["PATH"], "VFLOPS_STATE_DIR": str(tmp_path), "PORT": str(port), "OMP_NUM_THREADS": "1"}
    with (tmp_path / "log").open("wb") as log:
        portal = subprocess.Popen(
            [sys.executable, "manage.py", "serve"], env=env, cwd=settings.BASE_DIR, stdout=log, stderr=log
        )
    try:
        wait_until(lambda: ready(port) or portal.poll() is not None, "ready")
        assert ready(port), (tmp_path / "log").read_text()
        processes = psutil.Process(portal.pid).children(recursive=True)
        portal.terminate()
        assert portal.wait(WAIT_S) == 0
        assert not [process for process in processes if _runs(process.pid)]
    finally:
        portal.kill()
        portal.wait()
