"""All static checks, one after the other; every one runs, whatever the others said."""

from __future__ import annotations

import time

from scripts.common import BIN, QUIET_THREADS, command, run

PACKAGES = ("workloads", "ranking", "runner", "portal")
CHECKS = {
    "ruff check": ["ruff", "check", "--no-cache", "."],
    "ruff format": ["ruff", "format", "--check", "--no-cache", "."],
    "import-linter": ["lint-imports", "--no-cache"],
    # B310 is ruff's S310, which asks for a reason at each place.
    "bandit": ["bandit", "--quiet", "--recursive", "--severity-level", "medium", "--skip", "B310", *PACKAGES],
    "djlint": ["djlint", "--lint", "--quiet", "templates"],
    "mypy": ["mypy"],
}


def main() -> int:
    """Prints one line a check, and the output of those that failed."""
    failed = []
    for name, words in CHECKS.items():
        started = time.monotonic()
        done = run([BIN / words[0], *words[1:]], env=QUIET_THREADS)
        verdict = "failed" if done.returncode else "ok"
        print(f"lint: {name:14} {verdict:6} {time.monotonic() - started:5.1f} s", flush=True)
        if done.returncode:
            failed.append(name)
            print(done.stdout, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    command(main)
