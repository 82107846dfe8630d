"""Child processes in which bundles are opened: limits of memory, time and output hold, nothing outlives them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from pytest_django.fixtures import Settings

from portal.submissions import limited
from portal.submissions.children import ChildProblem, Limits, Watch, run_module
from portal.submissions.verifying import parse_report

LIMITS = Limits(wall_s=20.0, memory_bytes=512 * 1024**2, output_bytes=10_000)
Program = Callable[[str], str]


@pytest.fixture
def program(settings: Settings, tmp_path: Path) -> Program:
    """Writes a module where children look for modules; gives its name."""
    settings.BASE_DIR = tmp_path
    name = f"child_of_{os.getpid()}"  # told from the children of other test processes

    def write(text: str) -> str:
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(text))
        return name

    return write


def test_a_childs_output_comes_back(program: Program) -> None:
    """With its arguments as they were given."""
    module = program("import sys; print(sys.argv[1:])")
    assert run_module(module, ["a b", "c"], limits=LIMITS) == b"['a b', 'c']\n"


FAULTS = [
    ("x = bytearray(1024**3)", "verification.crashed"),
    ("import sys; sys.stdout.write('x' * 20_000)", "verification.output_too_large"),
    ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "verification.crashed"),
    ("raise RuntimeError('/secret/path')", "verification.crashed"),
    ("with open('/tmp/vflops-written', 'w') as file: file.write('x' * 100)", "verification.crashed"),
    ("import sys; sys.exit(3)", "verification.crashed"),
]


@pytest.mark.parametrize(("text", "error_id"), FAULTS)
def test_a_child_that_oversteps_is_ended_with_a_reason(program: Program, text: str, error_id: str) -> None:
    """Memory, output, a crash, an exception, a file: each ends in a stable id, never in a path of ours."""
    with pytest.raises(ChildProblem) as raised:
        run_module(program(text), [], limits=LIMITS)
    assert raised.value.id == error_id
    assert "/" not in raised.value.detail


def test_a_child_that_takes_too_long_is_killed_with_its_children(program: Program) -> None:
    """The whole group goes."""
    module = program(
        """
        import os, sys, time
        if os.fork() == 0:
            time.sleep(600)
        print(os.getpid(), flush=True)
        time.sleep(600)
        """
    )
    limits = Limits(wall_s=1.0, memory_bytes=LIMITS.memory_bytes, output_bytes=100)
    with pytest.raises(ChildProblem) as raised:
        run_module(module, [], limits=limits)
    assert raised.value.id == "verification.out_of_time"
    assert not list(_running(module))


def _running(word: str) -> Iterator[psutil.Process]:
    for process in psutil.process_iter(["cmdline", "ppid", "status"]):
        ours = word in (process.info["cmdline"] or [])
        if ours and process.info["status"] != psutil.STATUS_ZOMBIE:
            yield process


def test_what_the_watch_raises_ends_the_child(program: Program) -> None:
    """So a worker whose claim was taken over stops working."""

    def lost() -> None:
        raise ChildProblem("verification.interrupted", "taken over")

    module = program("import time; time.sleep(600)")
    with pytest.raises(ChildProblem, match="taken over"):
        run_module(module, [], limits=LIMITS, watch=Watch(act=lost, every_s=0.05))
    assert not list(_running(module))


def test_a_child_sees_nothing_of_our_environment(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """No keys, no addresses of databases."""
    monkeypatch.setenv("SECRET_KEY", "secret")
    monkeypatch.setenv("DATABASE_URL", "secret")
    output = run_module(program("import os; print(dict(os.environ))"), [], limits=LIMITS)
    assert b"secret" not in output
    assert b"'PYTHONSAFEPATH': '1'" in output


def test_a_child_dies_with_its_worker(tmp_path: Path) -> None:
    """A worker killed without warning leaves nothing behind that works on."""
    launch = [sys.executable, limited.__file__, str(512 * 1024**2), "60", sys.executable, "-c"]
    sleeper = "import os,time; print(os.getpid(), flush=True); time.sleep(600)"
    parent_text = f"import subprocess,sys; subprocess.run({[*launch, sleeper]!r})"
    parent = subprocess.Popen([sys.executable, "-c", parent_text], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    child = psutil.Process(int(parent.stdout.readline()))
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    gone, alive = psutil.wait_procs([child], timeout=20)
    assert (len(gone), alive) == (1, [])


@pytest.mark.parametrize(
    "output", [b"", b"[]", b"{}", b'{"verdict": NaN}', b"\xff", b'{"verdict": "accept"}', b"[" * 100_000]
)
def test_an_answer_that_is_no_report_is_refused(output: bytes) -> None:
    """Typed once, at the door."""
    with pytest.raises(ChildProblem) as raised:
        parse_report(output)
    assert raised.value.id == "verification.unreadable_report"
