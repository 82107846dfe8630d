"""The whole chain on this machine: data, portal, account, five runs, submission, publication; then serves.

ONCE=1 ends by itself, with status 0 only where the row is published. SCALE=smoke is quick. PORT is the portal's.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scripts.common import (
    BIN,
    PYTHON,
    QUIET_THREADS,
    ROOT,
    STATE,
    CommandError,
    command,
    last_lines,
    require_disk,
    require_port,
    run,
    wait,
)
from scripts.portal_process import portal
from scripts.setup import STAMPS
from workloads.datasets.files import Progress
from workloads.datasets.search import ensure
from workloads.definition import find
from workloads.errors import DatasetError

WORKLOAD = "image_classification"
DEMO = STATE / "demo"
HOME = DEMO / "home"
"""VFLOPS_HOME of the demo: its key, its runs and its login stay apart from the person's own."""
DATA = STATE / "data"
DEMO_BYTES = 1_000_000_000
"""Room for the dataset (60 MB unpacked) and the bundles of a few demos (below 100 MB each)."""


@dataclass
class Stages:
    """Seconds of each stage, printed as they end."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Times what happens inside."""
        print(f"\n--- {name}", flush=True)
        started = time.monotonic()
        yield
        self.seconds[name] = time.monotonic() - started
        print(f"    {name}: {self.seconds[name]:.1f} s", flush=True)


def main() -> int:
    """Runs every stage; serves until Ctrl-C unless ONCE is set."""
    port, once = int(os.environ.get("PORT") or 8000), bool(os.environ.get("ONCE"))
    require_port(port)
    require_disk(DEMO_BYTES, "the demo")
    stages = Stages({"environment": float((STAMPS / "seconds").read_text())})
    with stages.stage("data"):
        scale = available_scale(os.environ.get("SCALE") or "lite")
    with ExitStack() as running:
        with stages.stage("portal"):
            serving = portal(port, DEMO / "portal.log", {**QUIET_THREADS, "VFLOPS_STATE_DIR": str(STATE)})
            process = running.enter_context(serving)
        address = f"http://localhost:{port}"
        with stages.stage("account and key"):
            person = make_account(address)
        with stages.stage(f"run {WORKLOAD}, {scale}, five seeds"):
            bundle = run_set(scale)
        with stages.stage("submit, verify, publish"):
            submission = submit(bundle)
        report(stages, published_row(address, submission), person)
        if not once:
            serve(process)
    return 0


def available_scale(wanted: str) -> str:
    """The scale whose dataset this machine has or can get; smoke, and a word about it, where that fails."""
    try:
        folder = find_data(wanted)
    except DatasetError as error:
        if wanted == "smoke":
            raise CommandError(error.id, error.message, error.action) from error
        print(f"    {error}\n    going on with scale smoke, whose digits come inside a package", flush=True)
        return available_scale("smoke")
    print(f"    {wanted}: {folder}", flush=True)
    return wanted


def find_data(scale: str) -> Path:
    """The folder of the dataset; Debian's package of it needs a list of packages, which a fresh machine has not."""
    workload = find(WORKLOAD, scale)
    try:
        return ensure(workload, DATA, Meter())
    except DatasetError:
        if os.geteuid() != 0 or not shutil.which("apt-get"):
            raise
        run(["apt-get", "update"])
        return ensure(workload, DATA, Meter())


class Meter:
    """Prints how far a file is, once every tenth of it."""

    def __init__(self) -> None:
        self._said = ""

    def __call__(self, progress: Progress) -> None:
        """Called often while a file is fetched."""
        words = (
            f"    {progress.file} from {progress.source}: {progress.done_bytes * 10 // max(progress.total_bytes, 1)}0 %"
        )
        if words != self._said:
            self._said = words
            print(words, flush=True)


def make_account(address: str) -> dict[str, str]:
    """A demo person and organisation in the portal; their token and signing key on this machine."""
    made = run([PYTHON, "-m", "scripts.demo_account", DEMO / "password"], env={"VFLOPS_STATE_DIR": str(STATE)})
    if made.returncode:
        raise CommandError("demo.no_account", f"no demo account\n{last_lines(made.stdout)}", "See the lines above.")
    person: dict[str, str] = json.loads(made.stdout.strip().splitlines()[-1])
    vflops("login", address, "--token", "-", stdin=person["token"])
    vflops("keys", "register")
    return person


def run_set(scale: str) -> Path:
    """The bundle of five runs: an earlier demo's where today's rules accept it, otherwise trained now."""
    kept = DEMO / f"{scale}.vflops"
    if kept.is_file() and is_accepted(kept):
        print(f"    reused: {kept.relative_to(ROOT)} (remove it to train again)", flush=True)
        return kept
    made = kept.with_suffix(".new")
    made.unlink(missing_ok=True)
    vflops("run", WORKLOAD, "--scale", scale, "--data-dir", str(DATA), "--output", str(made))
    return made.replace(kept)


def is_accepted(bundle: Path) -> bool:
    """Whether the rules of this version accept a bundle; one of an earlier recipe they do not."""
    return run([BIN / "vflops", "verify", bundle, "--json"], env=environment()).returncode == 0


def submit(bundle: Path) -> dict[str, Any]:
    """Hands the bundle in, waits for the verdict and the publication; returns the submission as the API shows it."""
    words = [str(BIN / "vflops"), "submit", str(bundle), "--publish", "--wait", "--json"]
    done = subprocess.run(
        words, cwd=ROOT, env={**os.environ, **environment()}, check=False, text=True, stdout=subprocess.PIPE
    )
    (submission,) = json.loads(done.stdout)["submissions"] if done.stdout else ({},)
    if done.returncode or submission.get("state") != "published":
        raise not_published(done.stdout)
    return dict(submission)


def published_row(address: str, submission: dict[str, Any]) -> dict[str, Any]:
    """The row as everybody reads it on the board; raises where it is not there."""
    with urllib.request.urlopen(f"{address}/api/v1/boards/{submission['board']}", timeout=30) as response:  # noqa: S310
        rows: list[dict[str, Any]] = json.load(response)["results"]
    for row in rows:
        if row["id"] == submission["result"]:
            return row
    raise CommandError(
        "demo.not_ranked",
        f"the result {submission['result']} is published and has no row on its board: it was withdrawn or disqualified",
        f"Remove {DEMO.relative_to(ROOT)}/*.vflops and call make demo again: it trains a new set.",
    )


def not_published(facts: str) -> CommandError:
    """The demo's end without its aim."""
    return CommandError("demo.not_published", f"the result is not on the board:\n{facts}", "The lines above say why.")


def report(stages: Stages, row: dict[str, Any], person: dict[str, str]) -> None:
    """Prints seconds, row and address."""
    print("\n--- done")
    for name, seconds in stages.seconds.items():
        print(f"    {seconds:8.1f} s  {name}")
    print(f"    {sum(stages.seconds.values()):8.1f} s  together\n")
    print(f"    rank {row['rank']}: {row['organisation_name']}, {row['system']}: {row['valid_flops']:.4g} Valid FLOPS")
    print(f"    {row['address']}")
    print(f"    log in as {person['email']} with the password {person['password']}")
    print(f"    commands of your own: export PATH={BIN}:$PATH", flush=True)


def serve(process: subprocess.Popen[bytes]) -> None:
    """Waits for Ctrl-C, or for the portal's own end."""
    print("\n    serving until Ctrl-C", flush=True)
    try:
        status = process.wait()
    except KeyboardInterrupt:
        print("\n    stopping", flush=True)
        return
    raise CommandError("portal.ended", f"the portal ended with status {status}", f"See {DEMO / 'portal.log'}")


def environment() -> dict[str, str]:
    """What the demo's `vflops` commands see."""
    return {**QUIET_THREADS, "VFLOPS_HOME": str(HOME)}


def vflops(*arguments: str, stdin: str = "") -> None:
    """Runs a `vflops` command with its output on the terminal; raises where it does not succeed."""
    status = stream([BIN / "vflops", *arguments], stdin=stdin)
    if status:
        raise CommandError(
            "demo.command_failed",
            f"vflops {' '.join(arguments)} ended with status {status}",
            "The lines above say why.",
        )


def stream(arguments: list[str | Path], *, stdin: str = "") -> int:
    """Runs a program with its output on the terminal."""
    with tempfile.TemporaryFile("w+") as given:
        given.write(stdin)
        given.seek(0)
        words = [str(a) for a in arguments]
        return wait(subprocess.Popen(words, cwd=ROOT, env={**os.environ, **environment()}, text=True, stdin=given))


if __name__ == "__main__":
    command(main)
