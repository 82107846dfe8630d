"""Finding and fetching data files: order of the places, damage, resume, and what a user is told when nothing works."""

from __future__ import annotations

import hashlib
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.workloads.tiny import make_task
from workloads.datasets import debian, files
from workloads.datasets.download import download
from workloads.datasets.files import Progress, candidates
from workloads.datasets.search import ensure, locate
from workloads.definition import DataFile, Dataset, Workload, find
from workloads.errors import DatasetError
from workloads.image_classification.train import train
from workloads.recording import SilentRecorder

LITE = find("image_classification", "lite")
REFERENCE = find("image_classification", "reference")
SMOKE = find("image_classification", "smoke")
CONTENT = bytes(range(256)) * 2_000


@dataclass
class Mirror:
    """A web server of one file; ``ranges`` notes what was asked for."""

    content: bytes = CONTENT
    cut_bytes: int | None = None
    honours_ranges: bool = True
    ranges: list[str | None] = field(default_factory=list)
    url: str = ""


@pytest.fixture
def mirror() -> Iterator[Mirror]:
    """The server, on a free port of this machine."""
    state = Mirror()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.headers.get("Range")
            state.ranges.append(wanted)
            start = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted and state.honours_ranges else 0
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(state.content) - start))
            self.end_headers()
            self.wfile.write(state.content[start : state.cut_bytes])

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_address[1]}/data.bin"
    yield state
    server.shutdown()
    thread.join()
    server.server_close()


def data_file(*urls: str, content: bytes = CONTENT) -> DataFile:
    """The pinned file of ``content``."""
    return DataFile(
        name="data.bin", sha256=hashlib.sha256(content).hexdigest(), size_bytes=len(content), urls=tuple(urls)
    )


def workload_of(*data_files: DataFile, name: str = "made-up") -> Workload:
    """A workload whose data set consists of these files."""
    dataset = Dataset(name=name, title="Made up", train_samples=1, eval_samples=1, licence="none", files=data_files)
    return replace(SMOKE, dataset=dataset)


def error_of(call: object, *arguments: object) -> DatasetError:
    """The DatasetError that the call raises."""
    assert callable(call)
    with pytest.raises(DatasetError) as caught:
        call(*arguments)
    return caught.value


def ignore(_: Progress) -> None:
    """No progress is shown."""


def closed_address() -> str:
    """An address at which nothing answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/data.bin"


def test_a_download_reports_progress_and_ends_at_the_pinned_bytes(mirror: Mirror, tmp_path: Path) -> None:
    seen: list[Progress] = []
    path = download(data_file(mirror.url), tmp_path, seen.append)
    assert path.read_bytes() == CONTENT
    done = [progress.done_bytes for progress in seen]
    assert done == sorted(done)
    assert seen[-1] == Progress(mirror.url, "data.bin", len(CONTENT), len(CONTENT))
    assert [p.name for p in tmp_path.iterdir()] == ["data.bin"]


def test_a_download_goes_on_where_it_stopped(mirror: Mirror, tmp_path: Path) -> None:
    mirror.cut_bytes = 100_000
    failed = error_of(download, data_file(mirror.url), tmp_path, ignore)
    assert failed.id == "data.download_failed"
    assert (tmp_path / "data.bin.part").stat().st_size == 100_000
    mirror.cut_bytes = None
    assert download(data_file(mirror.url), tmp_path, ignore).read_bytes() == CONTENT
    assert mirror.ranges == [None, "bytes=100000-"]


def test_a_server_without_ranges_is_read_from_the_start(mirror: Mirror, tmp_path: Path) -> None:
    mirror.honours_ranges = False
    (tmp_path / "data.bin.part").write_bytes(b"x" * 1000)
    assert download(data_file(mirror.url), tmp_path, ignore).read_bytes() == CONTENT


def test_the_second_home_is_asked_when_the_first_does_not_answer(mirror: Mirror, tmp_path: Path) -> None:
    assert download(data_file(closed_address(), mirror.url), tmp_path, ignore).read_bytes() == CONTENT


@pytest.mark.parametrize("served", [CONTENT[:-1] + b"!", CONTENT + b"more"], ids=["a changed byte", "too long"])
def test_wrong_bytes_are_refused_and_not_kept(mirror: Mirror, tmp_path: Path, served: bytes) -> None:
    mirror.content = served
    failed = error_of(download, data_file(mirror.url), tmp_path, ignore)
    assert failed.id == "data.corrupt"
    assert list(tmp_path.iterdir()) == []


def test_an_offline_machine_is_told_what_was_tried_and_what_to_do(tmp_path: Path) -> None:
    failed = error_of(ensure, workload_of(data_file(closed_address())), tmp_path, ignore)
    assert failed.id == "data.missing"
    assert "data.download_failed" in failed.got
    assert "VFLOPS_DATA" in failed.action
    assert "data.bin" in failed.expected


def test_a_data_set_is_fetched_once(mirror: Mirror, tmp_path: Path) -> None:
    workload = workload_of(data_file(mirror.url))
    assert locate(workload, tmp_path) is None
    assert ensure(workload, tmp_path, ignore) == tmp_path / "made-up"
    assert ensure(workload, tmp_path, ignore) == locate(workload, tmp_path)
    assert len(mirror.ranges) == 1


@pytest.mark.parametrize("inside", ["", "made-up"], ids=["the folder itself", "a folder for the data set"])
def test_the_folder_named_in_the_environment_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: str
) -> None:
    monkeypatch.setenv(files.VARIABLE, str(tmp_path))
    folder = tmp_path / inside
    folder.mkdir(exist_ok=True)
    (folder / "data.bin").write_bytes(CONTENT)
    assert locate(workload_of(data_file())) == folder


def test_places_are_tried_in_the_documented_order(
    tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(files.VARIABLE, str(tmp_path))
    name = LITE.dataset.name
    expected = (tmp_path / name, tmp_path, files.SYSTEM_FOLDER / name, own_home / "data" / name)
    assert candidates(LITE.dataset, None) == expected


def test_a_damaged_file_is_named_with_both_digests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(files.VARIABLE, str(tmp_path))
    damaged = CONTENT[:-1] + b"!"
    (tmp_path / "data.bin").write_bytes(damaged)
    failed = error_of(locate, workload_of(data_file()))
    assert (failed.id, failed.place) == ("data.corrupt", str(tmp_path / "data.bin"))
    assert failed.expected == f"SHA-256 {hashlib.sha256(CONTENT).hexdigest()}"
    assert failed.got == f"SHA-256 {hashlib.sha256(damaged).hexdigest()}"


def test_a_truncated_file_is_told_by_its_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(files.VARIABLE, str(tmp_path))
    (tmp_path / "data.bin").write_bytes(CONTENT[:10])
    failed = error_of(locate, workload_of(data_file()))
    assert (failed.expected, failed.got) == (f"{len(CONTENT)} bytes", "10 bytes")


def test_digits_come_inside_a_python_package() -> None:
    folder = locate(SMOKE)
    assert folder is not None
    assert folder.parts[-3:] == ("sklearn", "datasets", "data")


def test_a_debian_package_is_used_only_where_its_tools_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert not debian.available(LITE.dataset)
    assert not debian.available(SMOKE.dataset)


def test_a_package_that_cannot_be_fetched_is_an_error_with_its_own_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    failed = error_of(debian.unpack, LITE.dataset, tmp_path / "fashion-mnist", ignore)
    assert failed.id == "data.package_failed"
    assert not (tmp_path / "fashion-mnist").exists()


def test_the_reference_scale_says_that_its_reader_is_missing(tmp_path: Path) -> None:
    failed = error_of(train, make_task(tmp_path, tmp_path, workload=REFERENCE), SilentRecorder())
    assert failed.id == "data.not_available"
    assert "ImageNet" in failed.message
    assert error_of(locate, REFERENCE).id == "data.not_available"
