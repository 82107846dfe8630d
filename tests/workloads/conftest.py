"""What the tests of workloads share: one thread, no proxies, and a real data set that is inside a Python package."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tests.workloads.tiny import TINY
from workloads.datasets.search import ensure


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums of one thread have one order; a data folder or proxy of the person who starts the tests plays no part."""
    torch.set_num_threads(1)
    monkeypatch.delenv("VFLOPS_DATA", raising=False)
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def digits() -> Path:
    """The folder with the digits, in scikit-learn."""
    return ensure(TINY)
