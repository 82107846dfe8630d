"""A portal as it is operated, for tests from outside: with PostgreSQL, Redis, worker, sweep, a person and a bundle."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from scripts.common import BIN, PYTHON, QUIET_THREADS, ROOT, free_port, last_lines, run
from scripts.portal_process import portal
from tests.servers import postgresql_server, redis_server

BOARD = "image_classification/smoke/hardware"


@dataclass(frozen=True, kw_only=True)
class Live:
    """A running portal and what a person of the demo organisation needs to use it."""

    address: str
    env: dict[str, str]
    supervisor: int
    email: str
    password: str
    organisation: str
    token: str

    def vflops(self, *words: str | Path) -> subprocess.Popen[str]:
        """Starts a `vflops` command of that person."""
        return subprocess.Popen(
            [str(BIN / "vflops"), *map(str, words)],
            cwd=ROOT,
            env=self.env,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def api(self, method: str, path: str, *, token: str = "") -> dict[str, Any]:
        """An answer of the API, which must be a success."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        response = httpx.request(method, f"{self.address}/api/v1/{path}", headers=headers, timeout=30)
        assert response.is_success, response.text
        return dict(response.json())

    def processes(self, *words: str) -> list[psutil.Process]:
        """Descendants of the supervisor whose command line holds all of ``words``."""
        found = psutil.Process(self.supervisor).children(recursive=True)
        return [process for process in found if all(word in command_line(process) for word in words)]


def command_line(process: psutil.Process) -> str:
    """A process's words; empty where it has just ended."""
    try:
        return " ".join(process.cmdline())
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return ""


def finish(process: subprocess.Popen[str]) -> str:
    """What a command printed; it must end with status 0."""
    output, errors = process.communicate(timeout=240)
    assert process.returncode == 0, f"{process.args!r}\n{output}\n{errors}"
    return output


def succeed(words: Sequence[str | Path], env: dict[str, str]) -> str:
    """What a program printed; it must end with status 0."""
    done = run(words, env=env)
    assert done.returncode == 0, last_lines(done.stdout, 40)
    return done.stdout


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """Everything started, the signing key registered; nothing is handed in yet."""
    folder = tmp_path_factory.mktemp("live")
    port = free_port()
    address = f"http://localhost:{port}"
    with redis_server() as redis_url, postgresql_server() as database_url:
        env = {
            **os.environ,
            **QUIET_THREADS,
            "DJANGO_SETTINGS_MODULE": "tests.end_to_end.settings",
            "DATABASE_URL": database_url,
            "REDIS_URL": redis_url,
            "VFLOPS_STATE_DIR": str(folder / "state"),
            "VFLOPS_HOME": str(folder / "home"),
            "PORT": str(port),
        }
        with portal(port, folder / "portal.log", env) as supervisor:
            made = succeed([PYTHON, "-m", "scripts.demo_account", folder / "password"], env)
            person = json.loads(made.splitlines()[-1])
            running = Live(address=address, env=env, supervisor=supervisor.pid, **person)
            finish(running.vflops("login", address, "--token", person["token"]))
            finish(running.vflops("keys", "register"))
            yield running


@pytest.fixture(scope="session")
def bundle(live: Live, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five real runs at scale smoke, packed and signed by that person."""
    path = tmp_path_factory.mktemp("bundle") / "smoke.vflops"
    finish(live.vflops("run", "image_classification", "--scale", "smoke", "--output", path))
    return path


@pytest.fixture(scope="session")
def published(live: Live, bundle: Path) -> dict[str, Any]:
    """The published submission of that bundle, as the API shows it; handing it in again changes nothing."""
    output = finish(live.vflops("submit", bundle, "--publish", "--wait", "--json"))
    (submission,) = json.loads(output)["submissions"]
    assert submission["state"] == "published"
    return dict(submission)
