"""Fetching where the machine gets in the way: full disks, folders that cannot be made, and Debian's packages."""

from __future__ import annotations

import dataclasses
import os
import tarfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.workloads import fashion
from workloads.datasets import debian
from workloads.datasets.download import download
from workloads.datasets.files import Progress
from workloads.datasets.search import ensure
from workloads.definition import Workload
from workloads.errors import DatasetError

FILES = {"some-images.gz": b"i" * 1000, "some-labels.gz": b"l" * 10}
"""Of a data set named as the one that has a Debian package; files that no package installed here holds."""

WORKLOAD = fashion.workload_of(FILES)


def ignore(_: Progress) -> None:
    """No progress is shown."""


def with_local_home(folder: Path, files: Mapping[str, bytes]) -> Workload:
    """The workload with a home on this machine that serves ``files``."""
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return fashion.workload_of(FILES, (f"{folder.as_uri()}/",))


def debian_tools(folder: Path, files: Mapping[str, bytes]) -> str:
    """A PATH whose ``apt-get download`` gives an archive with ``files``, and whose ``dpkg-deb -x`` unpacks it."""
    data, tools = folder / "usr/share/datasets/fashion-mnist", folder / "tools"
    for place in (data, tools):
        place.mkdir(parents=True)
    for name, content in files.items():
        (data / name).write_bytes(content)
    with tarfile.open(folder / "archive.tar", "w") as archive:
        archive.add(folder / "usr", "usr")
    programs = {
        "apt-get": f'test "$1 $2" = "download dataset-fashion-mnist" && cp {folder}/archive.tar some.deb',
        "dpkg-deb": 'test "$1" = -x && mkdir "$3" && tar -xf "$2" -C "$3"',
    }
    for name, text in programs.items():
        (tools / name).write_text(f"#!/bin/sh\n{text}\n")
        (tools / name).chmod(0o755)
    return f"{tools}{os.pathsep}{os.environ['PATH']}"


def test_a_full_disk_is_told_and_keeps_nothing_half(tmp_path: Path) -> None:
    """/dev/full is Linux's own full disk."""
    source, target = tmp_path / "source", tmp_path / "target"
    source.mkdir()
    target.mkdir()
    workload = with_local_home(source, FILES)
    file = workload.dataset.files[0]
    (target / f"{file.name}.part").symlink_to("/dev/full")
    with pytest.raises(DatasetError) as caught:
        download(file, target, ignore)
    assert caught.value.id == "data.download_failed"
    assert "No space left on device" in caught.value.got
    assert not (target / file.name).exists()


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    workload = with_local_home(tmp_path, FILES)
    (tmp_path / "a-file").touch()
    with pytest.raises(DatasetError) as caught:
        ensure(workload, tmp_path / "a-file")
    assert caught.value.id == "data.missing"
    assert "data.not_writable" in caught.value.got


def test_a_part_that_is_already_whole_is_not_fetched_again(tmp_path: Path) -> None:
    file = dataclasses.replace(WORKLOAD.dataset.files[0], urls=("file:///no/such/file",))
    (tmp_path / f"{file.name}.part").write_bytes(FILES[file.name])
    assert download(file, tmp_path, ignore).read_bytes() == FILES[file.name]


def test_a_debian_package_is_unpacked_without_being_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", debian_tools(tmp_path / "debian", FILES))
    seen: list[Progress] = []
    folder = ensure(WORKLOAD, tmp_path / "data", seen.append)
    assert folder == tmp_path / "data/fashion-mnist"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == FILES
    assert [path.name for path in folder.parent.iterdir()] == ["fashion-mnist"]
    assert (seen[0].done_bytes, seen[-1].done_bytes, seen[-1].total_bytes) == (0, 1010, 1010)


@pytest.mark.parametrize(
    ("files", "id"),
    [({"some-images.gz": b"i"}, "data.package_failed"), ({**FILES, "some-labels.gz": b"L" * 10}, "data.corrupt")],
    ids=["a file missing", "another content"],
)
def test_a_package_with_other_files_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: Mapping[str, bytes], id: str
) -> None:
    monkeypatch.setenv("PATH", debian_tools(tmp_path / "debian", files))
    with pytest.raises(DatasetError) as caught:
        debian.unpack(WORKLOAD.dataset, tmp_path / "data/fashion-mnist", ignore)
    assert caught.value.id == id
    assert list((tmp_path / "data").iterdir()) == []


def test_the_home_is_asked_where_the_package_cannot_be_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", debian_tools(tmp_path / "debian", {}))
    workload = with_local_home(tmp_path, FILES)
    folder = ensure(workload, tmp_path / "data")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == FILES
