"""What all tests share: one thread, a home folder of their own, the same hypothesis examples every time."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.live", "tests.chromium"]

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

settings.register_profile(
    "vflops",
    deadline=None,  # no test judges by the clock
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("vflops")


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty VFLOPS_HOME for every test: no test sees or leaves keys, runs or logins of the person who starts it."""
    home = tmp_path_factory.mktemp("vflops-home")
    monkeypatch.setenv("VFLOPS_HOME", str(home))
    return home
