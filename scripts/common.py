"""What the commands share: places, errors with an id, child processes, ports, packages. Standard library only."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
BIN = VENV / "bin"
PYTHON = BIN / "python"
STATE = ROOT / "var"
"""Where the embedded portal and the demo keep what they make; ignored by git."""

QUIET_THREADS = {"OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE", "PYTHONUNBUFFERED": "1"}
"""One thread a process: two spinning OpenMP threads beside a busy process make a training step several times slower."""


class CommandError(Exception):
    """A condition that a person must change: stable id, what is wrong, what to do."""

    def __init__(self, id: str, what: str, action: str) -> None:
        super().__init__(f"{id}: {what}\n  {action}")
        self.id = id


def command(main: Callable[[], int]) -> NoReturn:
    """Runs ``main`` and ends the process: an error becomes two lines and status 1, Ctrl-C and SIGTERM status 130.

    A shell that starts a command in the background lets it ignore SIGINT, and so all its children; here nobody does.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    try:
        sys.exit(main())
    except CommandError as error:
        print(f"\n{error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        sys.exit(130)


def run(
    arguments: Sequence[str | Path], *, env: Mapping[str, str] | None = None, cwd: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    """Runs a program to its end and returns its output, standard error included; the caller judges its status."""
    return subprocess.run(
        [str(a) for a in arguments],
        env={**os.environ, **(env or {})},
        cwd=cwd,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def wait(process: subprocess.Popen[str]) -> int:
    """A child's status. Interrupted, it lets the child end in order before it passes the interruption on."""
    try:
        return process.wait()
    except KeyboardInterrupt:
        end_in_order(process)
        raise


def end_in_order(process: subprocess.Popen[str]) -> None:
    """Ends a child: by the Ctrl-C that a terminal has sent it too, else by SIGINT, at last by SIGKILL."""
    for number, patience_s in ((None, 2.0), (signal.SIGINT, 30.0)):
        if number is not None:
            process.send_signal(number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(patience_s)
            return
    process.kill()
    process.wait()


def last_lines(text: str, count: int = 12) -> str:
    """The end of a program's output, indented, as an error shows it."""
    return "\n".join("  | " + line for line in text.strip().splitlines()[-count:])


def free_port() -> int:
    """A TCP port that nothing listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def require_port(port: int) -> None:
    """Raises where something already listens on ``port``."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise CommandError(
                "setup.port_in_use",
                f"port {port} of this machine cannot be used ({error.strerror})",
                f"Stop what listens there, or choose another port: make ... PORT={port + 1}",
            ) from error


def require_disk(needed_bytes: int, what: str, place: Path = ROOT) -> None:
    """Raises where the disk that holds ``place`` has less room than ``what`` needs."""
    free = shutil.disk_usage(place).free
    if free < needed_bytes:
        raise CommandError(
            "setup.no_disk",
            f"{what} needs {needed_bytes / 1e9:.1f} GB and {place} has {free / 1e9:.1f} GB left",
            "Free some room there, or clone to a larger disk.",
        )


def apt_install(packages: Sequence[str], why: str) -> None:
    """Installs Debian packages as root; raises with the one line to run where this is not root or not Debian."""
    line = "apt-get install --yes --no-install-recommends " + shlex.join(packages)
    if not shutil.which("apt-get") or os.geteuid() != 0:
        sudo = "sudo " if shutil.which("apt-get") else "(as root, or with this system's own package manager) "
        raise CommandError("setup.package_missing", f"{why} needs {', '.join(packages)}", f"Run: {sudo}{line}")
    print(f"installing {', '.join(packages)}", flush=True)
    for arguments in (["apt-get", "update"], line.split()):
        done = run(arguments, env={"DEBIAN_FRONTEND": "noninteractive"})
        if done.returncode:
            raise CommandError(
                "setup.no_network" if unreachable(done.stdout) else "setup.apt_failed",
                f"{shlex.join(arguments)} ended with status {done.returncode}\n{last_lines(done.stdout)}",
                "Mend what the lines above name, then run the same command again.",
            )


def unreachable(output: str) -> bool:
    """Whether a package client's output says that its server could not be reached."""
    signs = (
        "Temporary failure",
        "Could not resolve",
        "Could not connect",
        "NewConnectionError",
        "NameResolutionError",
        "Network is unreachable",
        "Connection refused",
        "Failed to establish a new connection",
        "ENOTFOUND",
        "EAI_AGAIN",
        "ECONNREFUSED",
        "Max retries exceeded",
    )
    return any(sign in output for sign in signs)
