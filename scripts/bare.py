"""Runs the demo inside a bare Debian 12 made by debootstrap: nothing but python3, make, git and certificates.

The host's package configuration is taken along, so that the inside finds the package indexes as the host does.
All mounts and processes of the inside live in namespaces of their own and end with them. Standard library only.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from scripts.common import ROOT, CommandError, apt_install, command, free_port, last_lines, require_disk, run

SUITE = "bookworm"
INCLUDED = "python3,make,git,ca-certificates"
BARE_BYTES = 8_000_000_000
"""Room for the bare system (0.4 GB), the environment (2.5 GB), what pip unpacks on the way, and the demo."""

CONFIGURATION = (
    "/etc/apt",
    "/etc/hosts",
    "/etc/pip.conf",
    "/etc/resolv.conf",
    "/etc/ssl/certs",
    "/etc/xdg/pip",
    "/root/.config/pip",
    "/root/.npmrc",
    "/root/.pip",
    "/usr/etc/npmrc",
    "/usr/local/share/ca-certificates",
)
"""How the host finds and trusts its package indexes."""

VARIABLES = re.compile(
    r"(PIP|UV|NPM_CONFIG|npm_config)_\w+|VFLOPS_TORCH_INDEX|NODE_EXTRA_CA_CERTS|\w*(SSL_CERT|CA_BUNDLE)\w*"
    r"|(https?|all|no)_proxy|(HTTPS?|ALL|NO)_PROXY|GIT_SSL_CAINFO"
)
"""Names of environment variables that say the same."""

INSIDE = """
set -eu
mount --make-rprivate /
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
mount -t tmpfs tmpfs "$1/tmp"
for folder in $3; do
    mkdir -p "$1$folder"
    mount --bind "$folder" "$1$folder"
    mount -o remount,bind,ro "$1$folder"
done
exec chroot "$1" /usr/bin/env -i $2 /bin/sh -c 'cd /project && exec make demo ONCE=1 SCALE=smoke'
"""


def main() -> int:
    """Builds the system, clones the project into it, runs the demo there, removes all of it; the demo's status."""
    require_root()
    scratch = Path(os.environ.get("TMPDIR", "/var/tmp"))  # noqa: S108 - large, and emptied below
    require_disk(BARE_BYTES, "a bare Debian", scratch)
    with tempfile.TemporaryDirectory(prefix="vflops-bare-", dir=scratch) as folder:
        target = Path(folder) / "root"
        started = time.monotonic()
        must(
            [shutil.which("debootstrap") or "debootstrap", "--variant=minbase", f"--include={INCLUDED}", SUITE, target]
        )
        print(f"bare: Debian {SUITE} in {time.monotonic() - started:.0f} s", flush=True)
        take_configuration(target)
        must(["git", "clone", "--quiet", "--no-hardlinks", ROOT, target / "project"])
        return enter(target)


def require_root() -> None:
    """Raises unless root; installs debootstrap where it is missing."""
    if os.geteuid() != 0:
        raise CommandError("bare.not_root", "debootstrap and chroot need root", "Run: sudo make bare")
    if not shutil.which("debootstrap"):
        apt_install(["debootstrap"], "make bare")


def take_configuration(target: Path) -> None:
    """Copies the files of CONFIGURATION that exist here to the same places inside."""
    for path in map(Path, CONFIGURATION):
        inside = target / path.relative_to("/")
        inside.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            shutil.rmtree(inside, ignore_errors=True)
            shutil.copytree(path, inside, ignore_dangling_symlinks=True)
        elif path.is_file():
            shutil.copyfile(path, inside)


def enter(target: Path) -> int:
    """Runs the demo under chroot in new mount and process namespaces: when it ends, nothing of it is left."""
    inside = {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": "/root",
        "LANG": "C.UTF-8",
    }
    inside["PORT"] = str(free_port())  # the inside shares the network of the host
    inside |= {name: value for name, value in os.environ.items() if VARIABLES.fullmatch(name)}
    pairs = " ".join(shlex.quote(f"{name}={value}") for name, value in inside.items())
    script = INSIDE.replace("$2", pairs)
    namespaces = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--"]
    words = [*namespaces, "sh", "-c", script, "bare", str(target), "", " ".join(local_indexes())]
    return subprocess.run(words, cwd="/", check=False, stdin=subprocess.DEVNULL).returncode


def local_indexes() -> Iterator[str]:
    """Folders of this machine that pip's configuration names as sources of packages."""
    settings = run(["python3", "-m", "pip", "config", "list"]).stdout + os.environ.get("PIP_FIND_LINKS", "")
    for place in sorted(set(re.findall(r"(?:file://)?(/[\w./-]+)", settings))):
        folder = Path(place)
        if folder.is_dir():
            yield str(folder.parent if folder.name == "simple" else folder)


def must(arguments: list[str | Path]) -> None:
    """Runs a program that has to succeed."""
    done = run(arguments)
    if done.returncode:
        raise CommandError(
            "bare.failed",
            f"{arguments[0]} ended with status {done.returncode}\n{last_lines(done.stdout)}",
            "See the lines above.",
        )


if __name__ == "__main__":
    command(main)
