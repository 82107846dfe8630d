"""Writes requirements.lock (hashed) and package-lock.json again; neither names an index, a registry or a path."""

from __future__ import annotations

import shutil

from scripts.common import BIN, CommandError, command, last_lines, run

PYTHON_LOCK = [
    *("pip", "compile", "requirements.txt", "--output-file", "requirements.lock", "--upgrade", "--quiet"),
    *("--generate-hashes", "--universal", "--python-version", "3.11"),
    *("--no-header", "--no-annotate", "--no-emit-index-url", "--no-emit-find-links"),
]
NPM_LOCK = ["install", "--package-lock-only", "--ignore-scripts", "--omit-lockfile-registry-resolved"]


def main() -> int:
    """Resolves both lists anew."""
    for program, words in ((str(BIN / "uv"), PYTHON_LOCK), (shutil.which("npm") or str(BIN / "npm"), NPM_LOCK)):
        done = run([program, *words])
        if done.returncode:
            raise CommandError(
                "setup.lock_failed",
                f"{program} ended with status {done.returncode}\n{last_lines(done.stdout)}",
                "See the lines above.",
            )
    return 0


if __name__ == "__main__":
    command(main)
