"""One real run set for all tests of the runner: the installed wheel, a hostile folder, Ctrl-C, and going on."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("runner", "workloads", "ranking")
USER = "zaphodbeeblebrox"
"""Name of the account in the story: one that stands in no text by chance."""

STOP_AT_SAMPLES = 500
"""Training samples of the second run after which it is interrupted: some are done, most are not."""


@dataclass(frozen=True, kw_only=True)
class Installed:
    """The wheel, installed into an environment of its own; ``source`` is what it was made from."""

    source: Path
    vflops: Path
    python: Path
    packages: Path


@dataclass(frozen=True, kw_only=True)
class Session:
    """What one call of the command line printed, and how it ended."""

    status: int
    events: list[dict[str, Any]]

    def of(self, kind: str) -> list[dict[str, Any]]:
        """The events of one kind."""
        return [event for event in self.events if event.get("event") == kind]

    @property
    def error(self) -> dict[str, str]:
        """The problem that ended it."""
        found: dict[str, str] = self.events[-1]["error"]
        return found


@dataclass(frozen=True, kw_only=True)
class Story:
    """A run set that was interrupted in its second run and then gone on with."""

    home: Path
    working_folder: Path
    run_folder: Path
    interrupted: Session
    resumed: Session
    log_of_whole_run: bytes
    log_of_interrupted_run: bytes
    bundle: Path
    environment: dict[str, str]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever builds the wheel or trains is made once, in one process, beside nothing else."""
    for item in items:
        if {"installed", "story"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.training)


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel built from this checkout's packages, in a virtual environment that borrows our dependencies."""
    folder = tmp_path_factory.mktemp("wheel")
    source = _copy_sources(folder / "source")
    _run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(source)], cwd=folder)
    wheel = next(folder.glob("vflops-*.whl"))
    venv.create(folder / "venv", symlinks=True)
    python = folder / "venv/bin/python"
    _run([sys.executable, "-m", "pip", "--python", str(python), "install", "-q", "--no-deps", str(wheel)], cwd=folder)
    packages = next((folder / "venv/lib").glob("python3*/site-packages"))
    (packages / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return Installed(source=source, vflops=folder / "venv/bin/vflops", python=python, packages=packages)


def _copy_sources(folder: Path) -> Path:
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    return folder


def _run(command: Sequence[str], cwd: Path) -> None:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def users_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a user's own modules of our names, each of which fails when it is imported.

    ``others`` in it shadows only ``workloads``, for whoever puts it on PYTHONPATH.
    """
    folder = tmp_path_factory.mktemp("users-folder")
    for name in ("workloads", "others/workloads"):
        (folder / name).mkdir(parents=True)
    for name in ("runner.py", "ranking.py", "workloads/__init__.py", "others/workloads/__init__.py"):
        (folder / name).write_text("raise RuntimeError('a module of the user')\n")
    return folder


@pytest.fixture(scope="session")
def story(installed: Installed, users_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Story:
    """The run set, from the folder of the user: interrupted in its second run, then gone on with to the bundle."""
    home = tmp_path_factory.mktemp("home-of-" + USER)
    environment = _environment(home)
    command = [str(installed.vflops), "run", "--json"]
    interrupted = _call(
        [*command, "image_classification", "--scale", "smoke", "--threads", "1"],
        cwd=users_folder,
        environment=environment,
        interrupt_at=lambda event: event.get("run") == 1 and event.get("samples", 0) >= STOP_AT_SAMPLES,
    )
    run_folder = Path(interrupted.of("set_started")[0]["folder"])
    logs = [(run_folder / f"runs/{index}/log.txt").read_bytes() for index in (0, 1)]
    resumed = _call([*command, "--resume", str(run_folder)], cwd=users_folder, environment=environment)
    assert resumed.of("packed"), resumed.events
    return Story(
        home=home,
        working_folder=users_folder,
        run_folder=run_folder,
        interrupted=interrupted,
        resumed=resumed,
        log_of_whole_run=logs[0],
        log_of_interrupted_run=logs[1],
        bundle=Path(resumed.of("packed")[0]["path"]),
        environment=environment,
    )


@pytest.fixture(scope="session")
def bundle(story: Story) -> Path:
    """A real bundle of a five-seed smoke run set."""
    return story.bundle


def _environment(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VFLOPS_")}
    return kept | {
        "HOME": str(home),
        "USER": USER,
        "LOGNAME": USER,
        "VFLOPS_HOME": str(home / "vflops"),
        "OMP_NUM_THREADS": "1",
        "CUDA_VISIBLE_DEVICES": "",
    }


def _call(
    command: Sequence[str],
    *,
    cwd: Path,
    environment: dict[str, str],
    interrupt_at: Callable[[dict[str, Any]], bool] | None = None,
) -> Session:
    """Call the command line and read its events; SIGINT at the first event that ``interrupt_at`` accepts."""
    events: list[dict[str, Any]] = []
    with subprocess.Popen(command, cwd=cwd, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            events.append(json.loads(line))
            if interrupt_at is not None and interrupt_at(events[-1]):
                process.send_signal(signal.SIGINT)
                interrupt_at = None
    return Session(status=process.returncode, events=events)
