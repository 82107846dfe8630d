"""``vflops inspect`` on damaged and hostile bundles: what is wrong, what can still be read, never a surprise."""

from __future__ import annotations

import json
import shlex
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.evidence import canonical, names
from ranking.evidence.canonical import encode64
from runner import contents
from runner.cli import main
from runner.entries import LIMITS, read_entries, statement_of
from runner.errors import Exit, RunnerError
from tests.bundles import KEY, TINY, entries_of, make_bundle, rewrite

Shown = dict[str, Any]


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A sound bundle, small."""
    return make_bundle(tmp_path, workload=TINY)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a sound bundle, small."""
    return make_bundle(tmp_path_factory.mktemp("sound"), workload=TINY).read_bytes()


def inspected(path: Path, capsys: pytest.CaptureFixture[str]) -> Shown:
    assert main(["inspect", str(path), "--json"]) == Exit.ACCEPTED
    found: Shown = json.loads(capsys.readouterr().out)
    return found


def ids(shown: Shown) -> set[str]:
    return {found["id"] for found in shown["findings"]}


def readable(path: Path) -> str | None:
    """The id of the one error that a file may meet; None where it is shown. Anything else fails the test."""
    try:
        assert contents.render(contents.contents_of(path))
    except RunnerError as error:
        return error.problem.id
    return None


@given(place=st.integers(0, 10**6), flip=st.integers(1, 255))
def test_a_changed_byte_is_shown_with_all_else(
    place: int, flip: int, sound: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    data = bytearray(sound)
    data[place % len(data)] ^= flip
    path = tmp_path_factory.getbasetemp() / "changed.vflops"
    path.write_bytes(data)
    assert readable(path) in (None, "bundle.unreadable")


@given(length=st.integers(0, 10**6))
def test_a_bundle_that_was_cut_is_shown_as_far_as_it_goes(
    length: int, sound: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "cut.vflops"
    path.write_bytes(sound[: length % len(sound)])
    assert readable(path) in (None, "bundle.unreadable")


def test_a_changed_log_is_told_and_everything_else_is_shown(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = names.log_name(3)
    whole = inspected(bundle, capsys)
    data = bundle.read_bytes()
    at = data.index(entries_of(bundle)[log]) + 100
    bundle.write_bytes(data[:at] + b"X" + data[at + 1 :])
    shown = inspected(bundle, capsys)
    assert ids(shown) >= {"container.checksum", "statement.digest"}
    assert {found["place"] for found in shown["findings"] if found["id"] == "container.checksum"} == {log}
    for part in ("entries", "statement", "signatures", "system"):
        assert shown[part] == whole[part]
    assert main(["inspect", str(bundle)]) == Exit.ACCEPTED
    assert f"container.checksum  {log}: expected" in capsys.readouterr().out
    assert main(["inspect", str(bundle), "--log", "3"]) == Exit.ACCEPTED
    assert "X" in capsys.readouterr().out


def replaced(content: bytes) -> Callable[[dict[str, bytes]], None]:
    return lambda files: files.update({names.STATEMENT: content})


@pytest.mark.parametrize(
    "envelope",
    [
        b"",
        b"[]",
        b"null",
        b"7",
        b"{}",
        b"\xff",
        b"[" * 100_000,
        canonical.dumps({"payload": 7, "payloadType": "x", "signatures": {}}),
        canonical.dumps({"payload": encode64(b"[]"), "payloadType": "x", "signatures": []}),
        canonical.dumps({"payload": encode64(b'{"subject":7}'), "payloadType": "x", "signatures": None}),
        canonical.dumps({"payload": "not base64", "payloadType": "x", "signatures": [1]}),
    ],
)
def test_a_statement_of_any_kind_is_shown_or_told(
    envelope: bytes, bundle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    system = json.loads(entries_of(bundle)[names.SYSTEM])
    shown = inspected(rewrite(bundle, replaced(envelope)), capsys)
    assert shown["system"] == system
    assert shown["bundle"] is None
    assert shown["findings"]
    assert main(["inspect", str(bundle)]) == Exit.ACCEPTED
    assert "without a readable statement" in capsys.readouterr().out


def test_a_system_description_that_is_no_json_is_told(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rewrite(bundle, lambda files: files.update({names.SYSTEM: b"\x1b[2J"}))
    assert inspected(bundle, capsys)["system"] is None
    assert main(["inspect", str(bundle)]) == Exit.ACCEPTED
    assert "cannot be read" in capsys.readouterr().out


def test_nothing_is_inflated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bomb.vflops"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(names.STATEMENT, bytes(10_000_000))
        archive.writestr(names.SYSTEM, b"{}")
    assert main(["inspect", str(path), "--json"]) == Exit.ERROR
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["id"] == "bundle.unreadable"
    assert "container.compressed" in error["got"]


def test_what_is_too_large_for_the_verifier_is_not_held(bundle: Path) -> None:
    rewrite(bundle, replaced(bytes(LIMITS.statement_bytes + 1)))
    opened = read_entries(bundle, (names.STATEMENT, names.SYSTEM))
    assert names.STATEMENT not in opened.contents
    assert names.SYSTEM in opened.contents


def test_what_a_terminal_would_obey_is_written_out(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    description = canonical.dumps({"system_name": "a\x9b2J\u202eb"})
    rewrite(bundle, lambda files: files.update({names.SYSTEM: description, "runs/0/\x1b[2J": b""}))
    assert main(["inspect", str(bundle)]) == Exit.ACCEPTED
    text = capsys.readouterr().out
    assert all(c.isprintable() or c == "\n" for c in text)
    assert r"a\x9b2J\u202eb" in text


def test_telemetry_is_printed_as_it_stands(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(bundle), "--telemetry", "4"]) == Exit.ACCEPTED
    assert capsys.readouterr().out.encode() == entries_of(bundle)[names.telemetry_name(4)]
    assert main(["inspect", str(bundle), "--telemetry", "5"]) == Exit.USAGE
    assert "[bundle.no_such_run]" in capsys.readouterr().err


def test_a_folder_is_told(tmp_path: Path) -> None:
    assert readable(tmp_path) == "bundle.unreadable"


def test_the_command_that_is_suggested_can_be_pasted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "it's a file; rm -rf.vflops"
    path.write_bytes(b"no bundle")
    assert main(["inspect", str(path), "--json"]) == Exit.ERROR
    action = json.loads(capsys.readouterr().out)["error"]["action"]
    assert shlex.split(action[action.index("vflops") :]) == ["vflops", "verify", str(path)]


def test_a_statement_is_found_without_reading_further(bundle: Path) -> None:
    data = bundle.read_bytes()
    bundle.write_bytes(data[: data.index(names.SYSTEM.encode()) + 20])
    assert statement_of(bundle).bundle_id
    assert statement_of(bundle).predicate.public_key == encode64(KEY.public_key().public_bytes_raw())
