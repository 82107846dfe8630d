"""Reading the machine: processors as the kernel lists them, capacities as descriptions write them."""

from __future__ import annotations

import pytest

from runner.system import hardware
from runner.telemetry.unavailable import unavailable

TWO_PACKAGES = """processor\t: 0
model name\t: Intel(R) Xeon(R) Gold 6248
physical id\t: 0

processor\t: 1
model name\t: Intel(R) Xeon(R) Gold 6248
physical id\t: 1
"""
ARM = """processor\t: 0
BogoMIPS\t: 50.00
CPU implementer\t: 0x41
"""


def test_packages_are_counted_by_their_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("psutil.cpu_count", lambda logical=True: 80 if logical else 40)
    found = hardware.processors(TWO_PACKAGES)
    assert found.model == "Intel(R) Xeon(R) Gold 6248"
    assert (found.packages, found.cores_each, found.threads_each) == (2, 20, 40)


def test_a_kernel_that_names_no_model_is_said_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("psutil.cpu_count", lambda logical=True: 4 if logical else None)
    found = hardware.processors(ARM)
    assert found.model == unavailable("the kernel names no model")
    assert found.packages == 1
    assert found.cores_each == unavailable("the kernel does not tell cores from threads")


@pytest.mark.parametrize(
    ("size_bytes", "text"), [(0, "0 GB"), (25_276_059_648, "25 GB"), (141 * 10**9, "141 GB"), (2 * 10**12, "2000 GB")]
)
def test_capacities_are_whole_decimal_gigabytes(size_bytes: int, text: str) -> None:
    assert hardware.capacity(size_bytes) == text
