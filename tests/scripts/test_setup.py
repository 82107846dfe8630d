"""Set-up: what is done is not done again, what changed or is gone is, and failures say what a person must do."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path

import pytest

from scripts import common, setup
from scripts.common import CommandError, require_disk, require_port, unreachable
from scripts.setup import Step, perform


@pytest.fixture
def stamps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of stamps."""
    folder = tmp_path / "stamps"
    monkeypatch.setattr(setup, "STAMPS", folder)
    return folder


def test_a_step_is_done_once_for_a_key(stamps: Path) -> None:
    calls: list[str] = []
    step = Step("packages", "a", lambda: calls.append("a"))
    assert [perform(step), perform(step)] == [True, False]
    assert calls == ["a"]


def test_a_step_is_done_again_for_another_key_or_when_its_work_is_gone(stamps: Path) -> None:
    calls: list[str] = []

    def note() -> None:
        calls.append("again")

    perform(Step("packages", "a", note))
    assert perform(Step("packages", "b", note))
    assert perform(Step("packages", "b", note, there=False))
    assert len(calls) == 3


def test_a_step_that_failed_is_done_again(stamps: Path) -> None:
    def fail() -> None:
        raise CommandError("setup.no_network", "no answer", "Try again.")

    calls: list[str] = []
    with pytest.raises(CommandError):
        perform(Step("packages", "a", fail))
    assert perform(Step("packages", "a", lambda: calls.append("done")))


def test_the_digest_of_a_folder_follows_its_files(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("a {}")
    before = setup.tree_digest(tmp_path)
    assert setup.tree_digest(tmp_path) == before
    (tmp_path / "b.css").write_text("b {}")
    assert setup.tree_digest(tmp_path) != before


def test_a_port_in_use_is_said_with_another_one_to_take() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(CommandError, match=f"setup.port_in_use: port {port}(.|\n)*PORT={port + 1}"):
            require_port(port)


def test_a_free_port_passes() -> None:
    require_port(common.free_port())


def test_a_full_disk_is_said_before_anything_is_fetched(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"setup.no_disk: torch needs 1000000000.0 GB"):
        require_disk(10**18, "torch", tmp_path)


def test_without_root_the_one_line_to_run_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(CommandError, match=r"apt-get install --yes --no-install-recommends redis-server chromium"):
        common.apt_install(["redis-server", "chromium"], "the test suite")


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("NewConnectionError: Failed to establish a new connection: [Errno 101]", True),
        ("npm error code ENOTFOUND", True),
        ("E: Temporary failure resolving 'mirror'", True),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES", False),
    ],
)
def test_an_unreachable_server_is_told_from_other_failures(output: str, expected: bool) -> None:
    assert unreachable(output) is expected


def test_an_error_ends_a_command_with_two_lines_and_status_1() -> None:
    program = (
        "from scripts.common import CommandError, command\n"
        "def main():\n    raise CommandError('setup.no_disk', 'the disk is full', 'Free some room.')\n"
        "command(main)\n"
    )
    done = subprocess.run([common.PYTHON, "-c", program], cwd=common.ROOT, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr.strip()) == (1, "setup.no_disk: the disk is full\n  Free some room.")
