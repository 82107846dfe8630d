"""Redis and PostgreSQL of the tests' own, on free ports, in a temporary folder; never the machine's."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from scripts.common import CommandError, free_port, last_lines

READY_S = 30.0
"""How long a server may take to answer; a second is usual, a loaded machine needs several."""


@contextmanager
def redis_server() -> Iterator[str]:
    """A running Redis that keeps nothing; yields its URL."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="vflops-redis-") as folder:
        arguments = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder]
        with running(arguments, ready=lambda: answers(["redis-cli", "-p", str(port), "ping"])):
            yield f"redis://127.0.0.1:{port}/0"


@contextmanager
def postgresql_server() -> Iterator[str]:
    """A running PostgreSQL with an empty database ``vflops``; yields its URL.

    It refuses to run as root, so it then runs as the user ``postgres`` (``nobody`` where there is none), in a folder
    that this user owns. Nothing is synchronised to disk: the data lives as long as the tests.
    """
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="vflops-postgresql-", ignore_cleanup_errors=True) as folder:
        prefix = as_unprivileged(Path(folder))
        programs, data = postgresql_programs(), Path(folder) / "data"
        initdb = [
            programs / "initdb",
            "-D",
            data,
            "-U",
            "vflops",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C",
            "--no-sync",
        ]
        finished([*prefix, *map(str, initdb)])
        options = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "listen_addresses=127.0.0.1"]
        server = [str(programs / "postgres"), "-D", str(data), "-p", str(port), "-k", folder]
        server += [word for option in options for word in ("-c", option)]
        client = ["-h", "127.0.0.1", "-p", str(port), "-U", "vflops"]
        with running([*prefix, *server], ready=lambda: answers([str(programs / "pg_isready"), *client])):
            finished([str(programs / "createdb"), *client, "vflops"])
            yield f"postgresql://vflops@127.0.0.1:{port}/vflops"


def postgresql_programs() -> Path:
    """The folder of the newest installed PostgreSQL's programs; Debian keeps it off PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parent.parent.name))
    if found:
        return found[-1].parent
    if on_path := shutil.which("initdb"):
        return Path(on_path).parent
    raise CommandError("tests.no_postgresql", "no PostgreSQL is installed", "Run: apt-get install postgresql")


def as_unprivileged(folder: Path) -> list[str]:
    """Words to put before a command so that it runs as an ordinary user who owns ``folder``; none unless root."""
    if os.geteuid() != 0:
        return []
    user = next(u for u in pwd.getpwall() if u.pw_name in {"postgres", "nobody"})
    os.chown(folder, user.pw_uid, user.pw_gid)
    ids = [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
    return ["setpriv", *ids, "env", f"HOME={folder}"]


@contextmanager
def running(arguments: Sequence[str], *, ready: Callable[[], bool]) -> Iterator[subprocess.Popen[bytes]]:
    """A server process from its first answer on; it is stopped at the end whatever happened in between.

    Its own session keeps a Ctrl-C in the terminal away from it, so that it outlives the tests that use it.
    """
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            arguments, cwd="/", stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
        try:
            deadline = time.monotonic() + READY_S
            while not ready():
                if process.poll() is not None or time.monotonic() > deadline:
                    output.seek(0)
                    raise CommandError(
                        "tests.server_failed",
                        f"{arguments[0]} did not answer\n{last_lines(output.read().decode(errors='replace'))}",
                        "See the lines above.",
                    )
                time.sleep(0.05)
            yield process
        finally:
            stop(process)


def stop(process: subprocess.Popen[bytes], *, patience_s: float = 20) -> None:
    """Ends a server by SIGINT (PostgreSQL's fast shutdown), and by SIGKILL where it does not end."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    try:
        process.wait(patience_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def answers(arguments: Sequence[str]) -> bool:
    """Whether a client's one question to its server succeeds."""
    return subprocess.run(arguments, check=False, capture_output=True, timeout=READY_S).returncode == 0


def finished(arguments: Sequence[str]) -> None:
    """Runs a program that must succeed."""
    done = subprocess.run(arguments, cwd="/", check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        what = f"{arguments[-1]} ended with status {done.returncode}\n{last_lines(done.stdout)}"
        raise CommandError("tests.server_failed", what, "See the lines above.")
