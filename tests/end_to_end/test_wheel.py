"""The wheel alone: built, installed into an environment of its own, used from a folder with treacherous names."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from scripts.common import PYTHON, QUIET_THREADS, ROOT, run
from tests.live import succeed

pytestmark = pytest.mark.end_to_end

PACKAGES = ("workloads", "ranking", "runner")
Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    for name in PACKAGES:
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    done = run([PYTHON, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder], cwd=source)
    assert done.returncode == 0, done.stdout
    (built,) = folder.glob("vflops-*.whl")
    return built


@pytest.fixture(scope="session")
def vflops(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Command:
    """The installed command, started in a folder that has a runner.py, a ranking.py and a workloads/ of its own.

    Third-party packages come from the environment of the tests; its own editable install is not among them, since a
    folder named in a .pth file has its own .pth files ignored.
    """
    place = tmp_path_factory.mktemp("installed")
    venv.create(place / "env", with_pip=False)
    python = place / "env/bin/python"
    succeed([PYTHON, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel], {})
    packages = f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
    (place / "env" / packages / "third_party.pth").write_text(sysconfig.get_path("purelib") + "\n")
    folder = place / "folder of a user"
    (folder / "workloads").mkdir(parents=True)
    for name in ("runner.py", "ranking.py", "workloads/__init__.py"):
        (folder / name).write_text("raise SystemExit('a file of the user was imported')\n")

    def call(*words: str) -> subprocess.CompletedProcess[str]:
        env = {**os.environ, **QUIET_THREADS, "VFLOPS_HOME": str(place / "home")}
        return subprocess.run(
            [place / "env/bin/vflops", *words], cwd=folder, env=env, text=True, check=False, capture_output=True
        )

    return call


def test_the_wheel_holds_three_packages(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        folders = {name.split("/")[0] for name in archive.namelist() if ".dist-info/" not in name}
    assert folders == set(PACKAGES)


def test_the_installed_command_is_well(vflops: Command) -> None:
    done = vflops("doctor", "--json")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_installed_command_trains_and_verifies_beside_files_of_the_same_names(
    vflops: Command, tmp_path: Path
) -> None:
    bundle = tmp_path / "own.vflops"
    trained = vflops("run", "image_classification", "--scale", "smoke", "--output", str(bundle))
    assert trained.returncode == 0, trained.stdout + trained.stderr
    verified = vflops("verify", "--json", str(bundle))
    assert json.loads(verified.stdout)["verdict"] == "accept"
