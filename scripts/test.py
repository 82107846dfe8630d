"""All tests: makes sure that their programs are there, starts a Redis and a PostgreSQL, runs the parts in turn."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from scripts.common import PYTHON, QUIET_THREADS, ROOT, apt_install, command, end_in_order
from tests.servers import postgresql_server, redis_server

PROGRAMS = {
    "redis-server": ("/usr/bin/redis-server", "/usr/local/bin/redis-server"),
    "postgresql": ("/usr/lib/postgresql/*/bin/initdb", "/usr/local/bin/initdb"),
    "chromium": ("/usr/bin/chromium",),
    "fonts-wqy-microhei": ("/usr/share/fonts/truetype/wqy/*",),
}
"""Debian package: files of which one shows that it, or what it stands for, is installed."""

COUNTED = re.compile(r"(\d+) (passed|failed|error|errors|skipped|deselected|xfailed|xpassed)\b")


@dataclass(frozen=True)
class Part:
    """One call of pytest: what it is called, where, which marks, on how many processes, with what environment."""

    name: str
    paths: tuple[str, ...]
    marks: str
    processes: int = 2
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Row:
    """What became of one part: success, seconds, and pytest's counts by word."""

    name: str
    good: bool
    seconds: float
    counts: Counter[str]


def parts(*, long: bool, services: Mapping[str, str]) -> Iterable[Part]:
    """The parts in order: cheap ones first; training and browser alone on the machine."""
    unit = ("tests/workloads", "tests/ranking", "tests/runner", "tests/scripts")
    browser = ("tests/end_to_end", "tests/browser")
    if long:
        yield Part("long", ("tests",), "long", 1, services)
        return
    yield Part("unit", unit, "not long and not training")
    yield Part("training", unit, "training and not long", 1)
    yield Part("portal on PostgreSQL", ("tests/portal",), "not long", 2, services)
    yield Part("portal on SQLite", ("tests/portal",), "sqlite and not long", 2)
    yield Part("browser and end to end", browser, "not long", 1, services)


def main() -> int:
    """Runs everything and prints a table; 0 only where lint and every test passed."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--long", action="store_true", help="only the tests marked long")
    long = arguments.parse_args().long
    install_programs()
    rows: list[Row] = []
    if not long:
        rows.append(timed("lint", [str(PYTHON), "-m", "scripts.lint"], {}))
    with redis_server() as redis_url, postgresql_server() as database_url:
        services = {"REDIS_URL": redis_url, "DATABASE_URL": database_url}
        rows += [run_part(part) for part in parts(long=long, services=services)]
    return summary(rows)


def install_programs() -> None:
    """Installs what is missing of PROGRAMS, or raises with the one line to run."""
    missing = [name for name, files in PROGRAMS.items() if not any(exists(pattern) for pattern in files)]
    if missing:
        apt_install(missing, "the test suite")
    if not shutil.which("setpriv") and os.geteuid() == 0:
        apt_install(["util-linux"], "PostgreSQL, which refuses to run as root,")


def exists(pattern: str) -> bool:
    """Whether any file matches an absolute pattern."""
    return any(Path("/").glob(pattern.lstrip("/")))


def run_part(part: Part) -> Row:
    """Runs one part of the tests."""
    paths = [p for p in part.paths if (ROOT / p).is_dir()]
    distribution = ["-n", str(part.processes), "--dist", "loadgroup"] if part.processes > 1 else ["-n", "0"]
    words = [str(PYTHON), "-m", "pytest", "--quiet", *distribution, "-m", part.marks, *paths]
    return timed(part.name, words, part.env)


def timed(name: str, words: list[str], env: Mapping[str, str]) -> Row:
    """Runs a program with its output passed on; returns name, success, seconds and pytest's counts."""
    print(f"\n=== {name}", flush=True)
    started = time.monotonic()
    last = ""
    environment = {**{k: v for k, v in os.environ.items() if k not in {"DATABASE_URL", "REDIS_URL"}}, **QUIET_THREADS}
    process = subprocess.Popen(words, cwd=ROOT, env={**environment, **env}, text=True, stdout=subprocess.PIPE)
    try:
        for line in process.stdout or ():
            sys.stdout.write(line)
            sys.stdout.flush()
            last = line.strip() or last
    except KeyboardInterrupt:
        end_in_order(process)
        raise
    status = process.wait()
    counts = Counter({word: int(number) for number, word in COUNTED.findall(last)})
    return Row(name, status == 0, time.monotonic() - started, counts)


def summary(rows: list[Row]) -> int:
    """Prints the table and the total, and returns the exit status."""
    print("\n=== summary")
    for row in rows:
        tests = f"{row.counts['passed']:5} passed" if row.counts else ""
        print(f"{row.name:24} {'ok' if row.good else 'FAILED':7} {row.seconds:6.0f} s {tests}")
    passed = sum(row.counts["passed"] for row in rows)
    failed = sum(row.counts[word] for row in rows for word in ("failed", "error", "errors"))
    print(f"total {sum(row.seconds for row in rows):.0f} s")
    print(f"{passed} passed, {failed} failed", flush=True)
    return 0 if all(row.good for row in rows) else 1


if __name__ == "__main__":
    command(main)
