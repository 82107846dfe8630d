"""The installed wheel beside modules of a user that have the names of ours."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from ranking.evidence.bundle import read_bundle
from runner.errors import Exit
from runner.system.source import source_digest
from tests.runner.conftest import PACKAGES, Installed, Story


def call(command: Sequence[str | Path], folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **variables}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_it_trains_with_its_own_source_from_such_a_folder(story: Story, installed: Installed) -> None:
    evidence, _ = read_bundle(story.bundle)
    assert evidence.statement is not None
    assert evidence.statement.predicate.runner.source_digest == source_digest(installed.source)


def test_it_lists_the_workloads_from_such_a_folder(installed: Installed, users_folder: Path) -> None:
    done = call([installed.vflops, "list", "--json"], users_folder)
    assert "image_classification/smoke/1" in {entry["id"] for entry in json.loads(done.stdout)["workloads"]}


def test_it_holds_the_three_packages_and_nothing_of_the_portal(installed: Installed) -> None:
    ours = {path.name for path in installed.packages.iterdir() if (path / "__init__.py").exists()}
    assert ours & {*PACKAGES, "portal", "tests"} == set(PACKAGES)
    assert (installed.packages / "workloads/image_classification/train.py").exists()


@pytest.mark.parametrize("arguments", [["doctor"], ["list"], ["run", "image_classification"]])
def test_it_refuses_to_work_with_packages_of_another_folder(
    arguments: list[str], installed: Installed, users_folder: Path
) -> None:
    done = call([installed.vflops, *arguments, "--json"], users_folder, PYTHONPATH=str(users_folder / "others"))
    assert done.returncode == Exit.ERROR
    assert "install.shadowed" in done.stdout
    assert done.stderr == ""
