"""A portal's web process as it is operated (granian, files, SQLite), and a wire to it that breaks on demand."""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import httpx

from scripts.common import QUIET_THREADS, ROOT, free_port, run
from tests.servers import running

PREPARE = """
import json, django
django.setup()
from django.core.management import call_command
from tests.portal.api.world import build
call_command("migrate", verbosity=0)
world = build()
print(json.dumps({"secret": world.secret, "elsewhere": world.secret_of(world.charlie, world.elsewhere)}))
"""

PIECE_BYTES = 16 * 1024
THREADS = 4
"""Requests that the web process serves at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A running web process: its address, Alice's token and that of a stranger, its state folder and process id."""

    port: int
    secret: str
    elsewhere: str
    folder: Path
    pid: int

    @property
    def address(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    def api(self, method: str, path: str, **headers: str) -> httpx.Response:
        """An answer to Alice."""
        sent = {"Authorization": f"Bearer {self.secret}", **headers}
        return httpx.request(method, f"{self.address}/api/v1/{path}", headers=sent, timeout=30)


@contextmanager
def served(folder: Path, application: str = "portal.wsgi:application") -> Iterator[Served]:
    """Migrate, make the small world, serve; no worker runs, so that submissions stay received or queued."""
    port = free_port()
    env = {
        **QUIET_THREADS,
        "DJANGO_SETTINGS_MODULE": "portal.settings",
        "VFLOPS_STATE_DIR": str(folder),
        "DATABASE_URL": "",
        "REDIS_URL": "",
        "SITE_URL": f"http://127.0.0.1:{port}",
        "PYTHONPATH": str(ROOT),
    }
    (folder / "static").mkdir(parents=True)
    made = run([sys.executable, "-c", PREPARE], env=env)
    assert made.returncode == 0, made.stdout
    secrets = json.loads(made.stdout.splitlines()[-1])
    web = ["-m", "granian", "--interface", "wsgi", "--host", "127.0.0.1", "--port", str(port), "--no-ws"]
    words = [sys.executable, *web, "--blocking-threads", str(THREADS), application]
    with running(_with(env, words), ready=lambda: _answers(port)) as process:
        yield Served(port=port, folder=folder, pid=process.pid, **secrets)


def _with(env: dict[str, str], words: Sequence[str]) -> list[str]:
    return ["env", *(f"{name}={value}" for name, value in env.items()), *words]


def _answers(port: int) -> bool:
    with suppress(httpx.TransportError):
        return httpx.get(f"http://127.0.0.1:{port}/health/live", timeout=5).status_code == 200
    return False


class Wire:
    """Carries connections to a port; each of the first ones breaks after so many bytes of the caller's."""

    def __init__(self, port: int, breaks: Sequence[int]) -> None:
        """``breaks``: bytes let through by the first, second ... connection; later ones live."""
        self._port = port
        self._breaks = list(breaks)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.broken = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def mend(self) -> None:
        """Break no further connection."""
        self._breaks.clear()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                caller, _ = self._listener.accept()
                threading.Thread(target=self._carry, args=(caller,), daemon=True).start()

    def _carry(self, caller: socket.socket) -> None:
        left = self._breaks.pop(0) if self._breaks else None
        with caller, socket.create_connection(("127.0.0.1", self._port)) as portal:
            threading.Thread(target=_pour, args=(portal, caller), daemon=True).start()
            with suppress(OSError):
                while (left is None or left > 0) and (piece := caller.recv(min(PIECE_BYTES, left or PIECE_BYTES))):
                    portal.sendall(piece)
                    left = None if left is None else left - len(piece)
            self.broken += left == 0
            for end in (caller, portal):
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)


def _pour(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(PIECE_BYTES):
            sink.sendall(piece)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_RDWR)


def environment(home: Path) -> dict[str, str]:
    """What a command line of ours is started with: a home of its own, nothing of the caller's portals."""
    return {**{k: v for k, v in os.environ.items() if not k.startswith("VFLOPS_")}, "VFLOPS_HOME": str(home)}
