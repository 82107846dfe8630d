"""The home folder: one for all packages, and its files are replaced whole."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from runner import home
from runner.files import OWNER_ONLY, write_whole
from workloads.datasets.files import home_folder
from workloads.definition import find

LITE = find("image_classification", "lite")


@pytest.mark.parametrize("chosen", ["elsewhere", "~/mine", ""])
def test_data_is_fetched_into_the_same_home(chosen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(home.VARIABLE, chosen)
    assert home_folder(LITE.dataset).is_relative_to(home.home())


def test_a_file_is_replaced_whole_or_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    write_whole(path, b"old")
    write_whole(path, b"new", mode=OWNER_ONLY)
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new", OWNER_ONLY)

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(path, b"newer")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]
