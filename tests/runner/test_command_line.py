"""The command line: errors in words with stable ids, JSON for programs, and meaningful exit statuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import runner.commands.list
from runner import children, home
from runner.cli import COMMANDS, main
from runner.errors import Exit
from tests.runner.conftest import PACKAGES, ROOT


def error_of(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    found: dict[str, str] = json.loads(capsys.readouterr().out.splitlines()[-1])["error"]
    return found


@pytest.mark.parametrize(
    ("arguments", "id"),
    [
        ([], "usage.arguments"),
        (["nonsense"], "usage.arguments"),
        (["run", "--scale", "tiny"], "usage.arguments"),
        (["run", "image_classification", "--threads", "many"], "usage.arguments"),
        (["run"], "usage.workload"),
        (["run", "nothing"], "usage.workload"),
        (["run", "image_classification", "--resume", "somewhere"], "usage.resume"),
        (["run", "--resume", "somewhere", "--compile"], "usage.resume"),
        (["run", "--resume", "/nonexistent"], "resume.no_run_set"),
        (["run", "image_classification", "--output", "/etc/hostname"], "output.exists"),
        (["run", "image_classification", "--output", "/nonexistent/x.vflops"], "output.no_folder"),
        (["verify", "/nonexistent"], "bundle.missing"),
        (["inspect", "/nonexistent"], "bundle.missing"),
        (["keys", "show", "nobody"], "keyfile.missing"),
    ],
)
def test_a_bad_command_ends_with_status_2_and_a_stable_id(
    arguments: list[str], id: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments, "--json"]) == Exit.USAGE
    assert error_of(capsys)["id"] == id


def test_people_read_what_where_expected_got_and_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["run", "image_classification", "--scale", "smoke", "--global-batch-size", "100000"])
    text = capsys.readouterr().err
    assert status == Exit.USAGE
    assert text.startswith("error: ")
    for part in ("[level.global_batch_size]", "where:", "expected:", "got:       100000", "to do:"):
        assert part in text


def test_an_unexpected_error_goes_to_a_file_and_never_to_the_screen(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise ZeroDivisionError("the cause")

    monkeypatch.setattr(runner.commands.list, "registry", broken)
    assert main(["list"]) == Exit.ERROR
    shown = capsys.readouterr().err
    assert "[internal.unexpected]" in shown
    assert "Traceback" not in shown
    (log,) = home.logs_folder().iterdir()
    assert str(log) in shown
    assert "Traceback" in log.read_text()
    assert "the cause" in log.read_text()


def test_every_command_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    for command in COMMANDS:
        with pytest.raises(SystemExit) as end:
            main([command, "--help"])
        assert end.value.code == 0
    assert capsys.readouterr().out.count("usage: vflops") == len(COMMANDS)


def test_the_command_line_starts_without_torch_or_django() -> None:
    code = (
        "import sys; from runner.cli import build_parser; build_parser();"
        "sys.exit(bool({'torch', 'django'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_a_reader_that_leaves_early_is_no_error() -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "runner", "list"]
    done = subprocess.run(command, cwd=ROOT, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert done.stderr == ""
    assert done.returncode == 141


def test_children_find_this_installation_from_any_folder(tmp_path: Path) -> None:
    for name in PACKAGES:
        (tmp_path / f"{name}.py").write_text("raise RuntimeError")
    code = "import runner, ranking, workloads; print(runner.__file__)"
    command = [*children.command("runner.torch_probe")[:2], "-c", code]
    done = subprocess.run(command, cwd=tmp_path, env=children.environment(), capture_output=True, text=True, check=True)
    assert Path(done.stdout.strip()) == ROOT / "runner/__init__.py"


@pytest.mark.parametrize(("set_by_user", "expected"), [(None, "PASSIVE"), ("ACTIVE", "ACTIVE")])
def test_threads_of_children_wait_passively_unless_the_user_says_otherwise(
    set_by_user: str | None, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    if set_by_user is not None:
        monkeypatch.setenv("OMP_WAIT_POLICY", set_by_user)
    assert children.environment()["OMP_WAIT_POLICY"] == expected
    assert children.environment()["PYTHONSAFEPATH"] == "1"
