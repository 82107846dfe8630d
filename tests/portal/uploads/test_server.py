"""Uploads against the real web server, by the protocol's reference client, over a wire that breaks."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest
from tusclient.client import TusClient
from tusclient.exceptions import TusCommunicationError, TusUploadFailed

from tests.portal.api.world import TUS, metadata
from tests.portal.uploads.served import Served, Wire, served

SIZE_BYTES = 3_000_000
HEADERS_BYTES = 2_000
"""More than the headers of any request here: a break after that many bytes lies within a body."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One web process for all tests of this module."""
    with served(tmp_path_factory.mktemp("served") / "state") as running:
        yield running


def content(seed: int, size: int = SIZE_BYTES) -> bytes:
    return random.Random(seed).randbytes(size)


def facts(data: bytes) -> dict[str, str]:
    return {"filename": "run.vflops", "sha256": hashlib.sha256(data).hexdigest()}


def stored(server: Served, data: bytes) -> list[Path]:
    return list(server.folder.glob(f"bundles/bundles/*/{hashlib.sha256(data).hexdigest()}.vflops"))


@pytest.mark.parametrize("seed", range(4))
def test_the_reference_client_gets_a_file_through_a_wire_that_breaks(server: Served, tmp_path: Path, seed: int) -> None:
    data = content(seed)
    path = tmp_path / "run.vflops"
    path.write_bytes(data)
    draw = random.Random(seed)
    breaks = [10**9, *(draw.randrange(HEADERS_BYTES, SIZE_BYTES // 2) if i % 2 == 0 else 10**9 for i in range(8))]
    with Wire(server.port, breaks) as wire:
        client = TusClient(f"http://127.0.0.1:{wire.port}/api/v1/uploads", {"Authorization": f"Bearer {server.secret}"})
        uploader = client.uploader(str(path), metadata=facts(data), retries=40, retry_delay=0.05)
        uploader.upload()
        assert wire.broken >= 1
    assert uploader.offset == SIZE_BYTES
    assert [file.read_bytes() for file in stored(server, data)] == [data]


def test_the_reference_client_resumes_where_another_process_stopped(server: Served, tmp_path: Path) -> None:
    data = content(11)
    path = tmp_path / "run.vflops"
    path.write_bytes(data)
    client = TusClient(f"{server.address}/api/v1/uploads", {"Authorization": f"Bearer {server.secret}"})
    first = client.uploader(str(path), metadata=facts(data), chunk_size=1_000_000)
    first.upload(stop_at=1_000_000)
    second = client.uploader(str(path), metadata=facts(data), url=first.url, chunk_size=1_000_000)
    assert second.offset == 1_000_000
    second.upload()
    assert len(stored(server, data)) == 1


def test_the_reference_client_hears_of_damaged_bytes(server: Served, tmp_path: Path) -> None:
    path = tmp_path / "run.vflops"
    path.write_bytes(b"x" * 1000)
    client = TusClient(f"{server.address}/api/v1/uploads", {"Authorization": f"Bearer {server.secret}"})
    with pytest.raises(TusUploadFailed) as refused:
        client.uploader(str(path), metadata=facts(b"other bytes")).upload()
    assert refused.value.status_code == 460
    assert b'"upload.hash_mismatch"' in refused.value.response_content


def test_the_reference_client_hears_of_a_refused_creation(server: Served, tmp_path: Path) -> None:
    path = tmp_path / "run.zip"
    path.write_bytes(b"x")
    client = TusClient(f"{server.address}/api/v1/uploads", {"Authorization": f"Bearer {server.secret}"})
    with pytest.raises(TusCommunicationError) as refused:
        client.uploader(str(path), metadata={**facts(b"x"), "filename": "run.zip"}).upload()
    assert refused.value.status_code == 415


def test_a_large_body_is_received_in_constant_memory(server: Served) -> None:
    size = 96 * 1024**2
    piece = bytes(64 * 1024)
    digest = hashlib.sha256()
    for _ in range(size // len(piece)):
        digest.update(piece)
    declared = metadata(b"", sha256=digest.hexdigest().encode())
    created = server.api("POST", "uploads", **TUS, **{"Upload-Length": str(size), "Upload-Metadata": declared})
    before = _peak_bytes(server.pid)
    sent = httpx.patch(
        server.address + created.headers["Location"],
        headers={
            **TUS,
            "Authorization": f"Bearer {server.secret}",
            "Upload-Offset": "0",
            "Content-Length": str(size),
            "Content-Type": "application/offset+octet-stream",
        },
        content=(piece for _ in range(size // len(piece))),
        timeout=120,
    )
    assert sent.status_code == 204
    assert sent.headers["Vflops-Submission"]
    assert _peak_bytes(server.pid) - before < size // 3


def _peak_bytes(pid: int) -> int:
    """The largest resident memory so far of the web server's processes together."""
    total = 0
    for process in [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]:
        status = Path(f"/proc/{process.pid}/status").read_text()
        total += next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM"))
    return total
