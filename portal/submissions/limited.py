"""Runs one program under limits: `python limited.py MEMORY_BYTES CPU_S PROGRAM ...`.

A small program of its own, because limits that are set between fork and exec of a process with threads can hang it.
It imports nothing of the portal and becomes the program it was asked to run.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys

OPEN_FILES = 64
"""A verification reads one bundle; modules are opened one after the other."""

PR_SET_PDEATHSIG = 1
"""Linux: get this signal when the parent dies, so that a killed worker leaves no child behind."""


def main(memory_bytes: int, cpu_s: int, command: list[str]) -> None:
    """Lower the limits of this process for good, then turn into ``command``."""
    limits = {
        resource.RLIMIT_AS: memory_bytes,
        resource.RLIMIT_CPU: cpu_s,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: OPEN_FILES,
    }
    for kind, limit in limits.items():
        resource.setrlimit(kind, (limit, limit))
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.execv(command[0], command)  # noqa: S606 - a list, no shell


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
