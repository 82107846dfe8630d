"""A real portal's web process for the command line, and a way to call the command line as a user does."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from runner.cli import main
from runner.client import Portal
from runner.commands.register_key import register
from runner.keys import SigningKey
from tests import bundles
from tests.portal.uploads.served import Served, served


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One web process for all tests of the client; no worker runs."""
    with served(tmp_path_factory.mktemp("served") / "state") as running:
        yield running


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What one call printed, and how it ended."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """The JSON on standard output."""
        found: dict[str, Any] = json.loads(self.out)
        return found

    @property
    def error_id(self) -> str:
        """The id of the error that ended the call."""
        return str(self.document["error"]["id"])


MakeFile = Callable[..., Path]
MakeBundle = Callable[..., Path]


class CommandLine:
    """Calls ``vflops`` in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *words: str | Path) -> Said:
        """The call's output and exit status."""
        self._capsys.readouterr()
        status = main([str(word) for word in words])
        captured = self._capsys.readouterr()
        return Said(status=status, out=captured.out, err=captured.err)


@pytest.fixture
def vflops(capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """The command line, with a home of this test's own."""
    return CommandLine(capsys)


@pytest.fixture
def logged_in(vflops: CommandLine, server: Served) -> CommandLine:
    """The command line after Alice's login; the key of the tests' bundles is her laboratory's."""
    assert vflops("login", server.address, "--token", server.secret).status == 0
    with Portal(server.address, server.secret) as portal:
        register(portal, SigningKey("tests", Path(), bundles.KEY), "laboratory")
    return vflops


@pytest.fixture
def make_file(tmp_path: Path, request: pytest.FixtureRequest) -> MakeFile:
    """Makes files of random bytes, other ones in every test."""

    def make(name: str = "run.vflops", size: int = 200_000) -> Path:
        path = tmp_path / name
        path.write_bytes(random.Random(f"{request.node.nodeid} {name}").randbytes(size))
        return path

    return make


@pytest.fixture
def make_bundle(tmp_path: Path, request: pytest.FixtureRequest) -> MakeBundle:
    """Makes signed bundles of one run each, other ones in every test; ``options`` are those of the factory."""

    def make(name: str = "run.vflops", **options: Any) -> Path:
        nonce = hashlib.md5(f"{request.node.nodeid} {name}".encode(), usedforsecurity=False).hexdigest()
        return bundles.make_bundle(tmp_path, name=name, workload=bundles.TINY, runs=1, nonce=nonce, **options)

    return make
