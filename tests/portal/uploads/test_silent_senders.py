"""Peers that fall silent hold neither the web server's threads nor their own uploads."""

from __future__ import annotations

import hashlib
import random
import socket
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress

import httpx
import pytest

from tests.portal.api.world import BYTES, TUS, metadata
from tests.portal.uploads.served import THREADS, Served, served

DATA = b"x" * 1000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One web process that waits a second for the next bytes."""
    folder = tmp_path_factory.mktemp("served") / "state"
    with served(folder, "tests.portal.uploads.impatient:application") as running:
        yield running


def silent(server: Served, method: str, path: str, headers: Mapping[str, str], begin: bytes) -> socket.socket:
    """A request that announces 1000 bytes and sends a few."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {len(DATA)}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    connection.sendall("\r\n".join([*lines, "", ""]).encode() + begin)
    return connection


def wait_for_end(connection: socket.socket) -> None:
    """Until an answer or the end comes; TimeoutError where the connection stays as it is."""
    connection.recv(65536)


def declared(server: Served, content: bytes) -> str:
    """The address of a new upload."""
    headers = {**TUS, "Upload-Length": str(len(content)), "Upload-Metadata": metadata(content)}
    return server.api("POST", "uploads", **headers).headers["Location"]


def test_uploads_that_fall_silent_end_and_can_be_gone_on_with(server: Served) -> None:
    """As many as there are threads; a laptop that went to sleep resumes the next day."""
    contents = [DATA[:-1] + bytes([number]) for number in range(THREADS)]
    addresses = [declared(server, content) for content in contents]
    sent = {**TUS, "Authorization": f"Bearer {server.secret}", "Upload-Offset": "0", "Content-Type": BYTES}
    with ExitStack() as open_ones:
        stalled = [open_ones.enter_context(silent(server, "PATCH", path, sent, DATA[:10])) for path in addresses]
        for connection in stalled:
            wait_for_end(connection)
    for address, content in zip(addresses, contents, strict=True):
        offset = server.api("HEAD", address.removeprefix("/api/v1/"), **TUS).headers["Upload-Offset"]
        headers = {**sent, "Upload-Offset": offset}
        rest = httpx.patch(server.address + address, content=content[int(offset) :], headers=headers, timeout=60)
        assert (rest.status_code, bool(rest.headers["Vflops-Submission"])) == (204, True)
        assert list(server.folder.glob(f"bundles/bundles/*/{hashlib.sha256(content).hexdigest()}.vflops"))


def test_forms_that_nobody_sends_on_end_too(server: Served) -> None:
    """Anonymous ones: nobody can hold the portal by opening connections."""
    token = "a" * 32
    form = {"Cookie": f"csrftoken={token}", "Content-Type": "application/x-www-form-urlencoded"}
    form["Origin"] = server.address
    with ExitStack() as open_ones:
        stalled = [
            open_ones.enter_context(silent(server, "POST", "/account/login/", form, b"login=a"))
            for _ in range(2 * THREADS)
        ]
        for connection in stalled:
            wait_for_end(connection)
        assert httpx.get(f"{server.address}/health/live", timeout=60).status_code == 200


def test_downloads_that_nobody_takes_end_too(server: Served) -> None:
    """More of them than there are threads; each bundle is larger than what the kernel holds for a peer."""
    content = random.Random(1).randbytes(16_000_000)
    sent = {**TUS, "Authorization": f"Bearer {server.secret}", "Upload-Offset": "0", "Content-Type": BYTES}
    answer = httpx.patch(server.address + declared(server, content), content=content, headers=sent, timeout=60)
    path = f"/api/v1/submissions/{answer.headers['Vflops-Submission']}/bundle"
    ask = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {server.secret}\r\n\r\n".encode()
    with ExitStack() as open_ones:
        for _ in range(THREADS):
            taker = open_ones.enter_context(socket.socket())
            taker.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            taker.connect(("127.0.0.1", server.port))
            taker.sendall(ask)
            taker.settimeout(60)
            assert taker.recv(12) == b"HTTP/1.1 200"
        assert wait_until_alive(server)


def wait_until_alive(server: Served) -> bool:
    """Whether the portal answers again; a request that waited in the queue for too long may be cut off itself."""
    for _ in range(20):
        with suppress(httpx.TransportError):
            return httpx.get(f"{server.address}/health/live", timeout=60).status_code == 200
    return False
