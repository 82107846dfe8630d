"""``vflops inspect`` and ``vflops verify`` on a real bundle, and on files that are none."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from ranking.verify import verify_bundle
from runner.cli import main
from runner.errors import Exit


def test_inspect_shows_every_entry_and_document(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(bundle), "--json"]) == Exit.ACCEPTED
    shown = json.loads(capsys.readouterr().out)
    with zipfile.ZipFile(bundle) as archive:
        entries = [{"name": i.filename, "size_bytes": i.file_size} for i in archive.infolist()]
        system = json.loads(archive.read("system.json"))
    assert shown["entries"] == entries
    assert shown["system"] == system
    assert [subject["name"] for subject in shown["statement"]["subject"]] == [e["name"] for e in entries[1:]]
    assert [run["seed"] for run in shown["runs"]] == [run["seed"] for run in shown["statement"]["predicate"]["runs"]]
    assert all(run["telemetry_records"] > 0 and run["log_lines"] > 0 for run in shown["runs"])
    assert shown["findings"] == []


def test_inspect_is_readable(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(bundle)]) == Exit.ACCEPTED
    text = capsys.readouterr().out
    for part in ("All of it would be sent", "runs/4/log.txt", "Statement", "System description", "0: seed "):
        assert part in text


def test_inspect_prints_a_log_as_it_stands(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(bundle), "--log", "3"]) == Exit.ACCEPTED
    with zipfile.ZipFile(bundle) as archive:
        assert capsys.readouterr().out == archive.read("runs/3/log.txt").decode()


def test_inspect_of_a_run_that_is_not_there(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(bundle), "--log", "5"]) == Exit.USAGE
    assert "[bundle.no_such_run]" in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"", b"not a bundle", b"PK\x03\x04" + bytes(40)])
def test_inspect_of_a_file_that_is_no_bundle(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.vflops"
    path.write_bytes(content)
    assert main(["inspect", str(path)]) == Exit.ERROR
    assert "[bundle.unreadable]" in capsys.readouterr().err


def test_verify_prints_the_report_that_ranking_makes(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(bundle), "--json"]) == Exit.ACCEPTED
    assert json.loads(capsys.readouterr().out) == verify_bundle(bundle).to_document()


def test_verify_of_a_changed_bundle_ends_with_status_3(
    bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = bytearray(bundle.read_bytes())
    data[len(data) // 2] ^= 1
    path = tmp_path / "changed.vflops"
    path.write_bytes(data)
    assert main(["verify", str(path)]) == Exit.REJECTED
    assert "REJECT" in capsys.readouterr().out


def test_mlperfs_own_parser_reads_a_log_and_its_values_come_back_equal(bundle: Path, tmp_path: Path) -> None:
    from mlperf_logging.compliance_checker.mlp_parser import parse_file

    with zipfile.ZipFile(bundle) as archive:
        archive.extract("runs/2/log.txt", tmp_path)
    path = tmp_path / "runs/2/log.txt"
    parsed, failed = parse_file(str(path), ruleset="6.0.0")
    ours = [json.loads(line.removeprefix(":::MLLOG ")) for line in path.read_text().splitlines()]
    assert failed == []
    assert [(line.key, line.value["value"], line.value["metadata"]) for line in parsed] == [
        (line["key"], line["value"], line["metadata"]) for line in ours
    ]
