"""Archives of every hostile kind: each refused with its own finding, none of them able to stop the reader."""

from __future__ import annotations

import io
import os
import struct
import subprocess
import tracemalloc
import zipfile
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ranking.evidence import canonical, container, names
from ranking.evidence.bundle import read_bundle, seal_bundle, write_bundle
from ranking.evidence.container import Member
from ranking.evidence.errors import MOST_LISTED, EvidenceError
from ranking.evidence.limits import Limits
from ranking.evidence.model import RunSetEvidence
from ranking.findings import Finding
from tests.bundles import KEY, TINY, Run, entries_of, make_bundle, rewrite
from tests.ranking.evidence.test_checkpoint import PICKLE


def tiny(folder: Path, **changes: Any) -> Path:
    """A bundle of one run with two evaluations."""
    return make_bundle(folder, **{"runs": 1, "workload": TINY, "run_seconds": 0.3, **changes})


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of an honest bundle of one run."""
    return tiny(tmp_path_factory.mktemp("honest")).read_bytes()


@pytest.fixture
def bundle(tmp_path: Path, honest: bytes) -> Path:
    """The same bundle as a file that a test may change."""
    path = tmp_path / "bundle.vflops"
    path.write_bytes(honest)
    return path


def read(path: Path, data: bytes) -> tuple[RunSetEvidence, list[Finding]]:
    path.write_bytes(data)
    return read_bundle(path)


def ids(path: Path, data: bytes | None = None) -> list[str]:
    """Ids of the findings of a bundle, given as bytes or as it lies there."""
    return [found.id for found in (read_bundle(path) if data is None else read(path, data))[1]]


def archive(path: Path, infos: Sequence[tuple[str | zipfile.ZipInfo, bytes]], compression: int = 0) -> bytes:
    """What Python's own module writes: no container of ours, but a ZIP like any other."""
    with zipfile.ZipFile(path, "w", compression) as written:
        for info, data in infos:
            written.writestr(info, data)
    return path.read_bytes()


def test_an_honest_bundle_has_no_findings_and_gives_all_its_evidence(tmp_path: Path) -> None:
    path = make_bundle(tmp_path)
    evidence, findings = read_bundle(path)
    assert findings == []
    assert evidence.file_sha256 == sha256(path.read_bytes()).hexdigest()
    assert evidence.size_bytes == path.stat().st_size
    assert evidence.system is not None
    assert evidence.system["system_name"] == "Test system"
    assert evidence.statement is not None
    assert evidence.bundle_id == evidence.statement.bundle_id
    assert [run.index for run in evidence.runs] == [0, 1, 2, 3, 4]
    assert len({run.log_sha256 for run in evidence.runs}) == 5
    for run, claim in zip(evidence.runs, evidence.statement.predicate.runs, strict=True):
        assert run.seed == claim.seed
        assert run.lines[0].key == "begin"
        assert run.lines[-1].key == "end"
        assert run.telemetry[-1].head == claim.telemetry_head
        assert [c.name for c in run.checkpoints] == [names.checkpoint_name(run.index, n) for n in range(1, 13)]


def test_python_and_unzip_read_a_bundle(bundle: Path) -> None:
    with zipfile.ZipFile(bundle) as opened:
        assert opened.testzip() is None
        assert opened.namelist()[:3] == ["statement.dsse.json", "system.json", "runs/0/log.txt"]
        assert all(info.compress_type == zipfile.ZIP_STORED for info in opened.infolist())
    subprocess.run(["unzip", "-tq", bundle], check=True, capture_output=True)


def test_the_same_entries_give_the_same_bytes(bundle: Path, honest: bytes) -> None:
    rewrite(bundle, lambda _: None)
    assert bundle.read_bytes() == honest


def test_the_same_run_set_gives_the_same_bundle(tmp_path: Path, honest: bytes) -> None:
    assert tiny(tmp_path).read_bytes() == honest


# What surrounds the entries.


@pytest.mark.parametrize("tail", [b"\x00", b"\n", b"PK\x05\x06" + bytes(18), b"x" * 70_000])
def test_trailing_bytes_are_refused(bundle: Path, honest: bytes, tail: bytes) -> None:
    evidence, findings = read(bundle, honest + tail)
    assert [found.id for found in findings] == ["container.trailing_bytes"]
    assert evidence.file_sha256 == sha256(honest + tail).hexdigest()


def test_bytes_in_front_are_refused(bundle: Path, honest: bytes) -> None:
    assert ids(bundle, b"#!/bin/sh\n" + honest) == ["container.not_zip"]


@pytest.mark.parametrize("data", [b"PK\x05\x06" + bytes(18), b"BZh91AY", b'{"a":1}', b"\x1f\x8b" + bytes(40)])
def test_another_kind_of_file_is_refused(bundle: Path, data: bytes) -> None:
    assert ids(bundle, data) == ["container.not_zip"]


def test_an_archive_cut_short_anywhere_is_refused(bundle: Path, honest: bytes) -> None:
    for length in (*range(60), *range(60, len(honest) - 120, 197), *range(len(honest) - 120, len(honest))):
        assert ids(bundle, honest[:length])[-1] == "container.truncated", length


def test_a_file_that_is_not_there_gives_a_finding(tmp_path: Path) -> None:
    evidence, findings = read_bundle(tmp_path / "missing.vflops")
    assert [found.id for found in findings] == ["container.unreadable"]
    assert (evidence.statement, evidence.runs, evidence.file_sha256) == (None, (), "")


def test_a_folder_gives_a_finding(tmp_path: Path) -> None:
    assert ids(tmp_path) == ["container.unreadable"]


def test_a_comment_is_refused(bundle: Path) -> None:
    with zipfile.ZipFile(bundle, "a") as opened:
        opened.comment = b"hello"
    assert "container.not_canonical" in ids(bundle)


def test_what_other_programs_write_is_refused_though_the_contents_are_right(bundle: Path) -> None:
    found = ids(bundle, archive(bundle, list(entries_of(bundle).items())))
    assert set(found) == {"container.not_canonical"}


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert ids(tmp_path / "pipe") == ["container.unreadable"]


def test_a_name_that_no_file_can_have_gives_a_finding() -> None:
    assert ids(Path("a\x00b")) == ["container.unreadable"]


# Entries.


def test_a_zip_bomb_is_refused_unopened(bundle: Path) -> None:
    entries = entries_of(bundle)
    entries["runs/0/log.txt"] = bytes(50_000_000)
    data = archive(bundle, list(entries.items()), zipfile.ZIP_DEFLATED)
    tracemalloc.start()
    assert ids(bundle, data) == ["container.compressed"]
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes < 4_000_000


def with_sizes(honest: bytes, stored: int, size: int) -> bytes:
    """The bundle whose first entry states other sizes."""
    return honest[:18] + struct.pack("<2I", stored, size) + honest[26:]


@pytest.mark.parametrize(
    ("sizes", "id"),
    [
        ((0x7FFFFFFF, 0x7FFFFFFF), "container.entry_too_large"),
        ((0xFFFFFFFF, 0xFFFFFFFF), "container.entry_too_large"),
        ((1_000_000, 1_000_000), "container.truncated"),
        ((100, 200), "container.not_canonical"),
        ((0, 0), "container.not_canonical"),
        ((100, 100), "container.not_canonical"),
    ],
)
def test_sizes_that_lie_are_refused(bundle: Path, honest: bytes, sizes: tuple[int, int], id: str) -> None:
    assert id in ids(bundle, with_sizes(honest, *sizes))


def test_a_streamed_entry_is_refused(bundle: Path, honest: bytes) -> None:
    assert ids(bundle, honest[:6] + b"\x08\x00" + honest[8:]) == ["container.not_canonical"]


def test_an_encrypted_entry_is_refused(bundle: Path, honest: bytes) -> None:
    assert ids(bundle, honest[:6] + b"\x01\x00" + honest[8:]) == ["container.not_canonical"]


@pytest.mark.parametrize(
    "name",
    [
        "../evil.txt",
        "runs/../../evil.txt",
        "runs/./log.txt",
        "/etc/passwd",
        "C:evil.txt",
        "runs\\0\\log.txt",
        "runs//0/log.txt",
        "runs/0/",
        "",
        "a\x00b",
        "a\nb",
        "System.json",
        "r\u00e9sum\u00e9.txt",
        "a b",
        "x" * 40_000 + "/..",
    ],
)
def test_unsafe_names_are_refused(bundle: Path, name: str) -> None:
    members = [*entries_of(bundle).items(), (name, b"x")]
    assert "container.unsafe_name" in ids(bundle, raw([(n.encode("utf-8"), data) for n, data in members]))


def raw(entries: Sequence[tuple[bytes, bytes]]) -> bytes:
    """A container of ours with any names."""
    written, members = io.BytesIO(), []
    for name, data in entries:
        member = Member(name=name, crc=crc32(data), size_bytes=len(data), offset=written.tell())
        written.write(container.local_header(member) + data)
        members.append(member)
    written.write(container.directory(members, written.tell()))
    return written.getvalue()


@pytest.mark.parametrize("name", ["evil.txt", "ticket.json", "receipts/1.json", "source/a.py", "answer/a", "runs/0/x"])
def test_entries_that_format_1_does_not_know_are_refused(bundle: Path, name: str) -> None:
    rewrite(bundle, lambda files: files.update({name: b"x"}))
    assert ids(bundle) == ["container.unexpected_entry"]


def test_an_entry_that_the_statement_does_not_name_is_refused(bundle: Path, honest: bytes) -> None:
    rewrite(bundle, lambda files: files.update({"runs/0/checkpoints/00003.safetensors": b"x"}))
    assert ids(bundle) == ["container.unexpected_entry"]


def test_a_file_of_an_unknown_name_is_not_signed(tmp_path: Path) -> None:
    evidence, _ = read_bundle(tiny(tmp_path))
    assert evidence.statement is not None
    with pytest.raises(EvidenceError, match=r"container\.unexpected_entry"):
        seal_bundle(tmp_path / "x", predicate=evidence.statement.predicate, files=[("notes.txt", b"")], private_key=KEY)


def test_thousands_of_unknown_entries_give_a_short_report(bundle: Path) -> None:
    unknown = [(b"unknown/%d" % number, b"") for number in range(3_000)]
    data = raw([*((name.encode(), data) for name, data in entries_of(bundle).items()), *unknown])
    findings = read(bundle, data)[1]
    assert len(findings) == MOST_LISTED + 1
    assert (findings[-1].id, findings[-1].got) == ("schema.many_faults", "2500 more")


@pytest.mark.parametrize("name", ["system.json", "runs/0/log.txt", "statement.dsse.json"])
def test_a_second_entry_of_one_name_is_refused(bundle: Path, name: str) -> None:
    entries = entries_of(bundle)
    twice = [(n.encode(), data) for n, data in entries.items()]
    assert "container.duplicate_name" in ids(bundle, raw([*twice, (name.encode(), entries[name])]))


@pytest.mark.parametrize(
    "name",
    ["system.json", "runs/0/log.txt", "runs/0/telemetry.jsonl", "runs/0/checkpoints/00002.safetensors"],
)
def test_a_missing_entry_is_named(bundle: Path, name: str) -> None:
    rewrite(bundle, lambda files: files.__delitem__(name))
    findings = read_bundle(bundle)[1]
    assert [(found.id, found.place) for found in findings] == [("container.missing_entry", name)]


@pytest.mark.parametrize("name", ["system.json", "runs/0/telemetry.jsonl", "runs/0/checkpoints/00001.safetensors"])
def test_an_entry_that_was_never_signed_is_missing_too(tmp_path: Path, name: str) -> None:
    path = tiny(tmp_path, edit_files=lambda files: files.__delitem__(name))
    assert ids(path) == ["container.missing_entry"]


def test_a_bundle_without_statement_gives_no_runs(bundle: Path) -> None:
    rewrite(bundle, lambda files: files.__delitem__("statement.dsse.json"))
    evidence, findings = read_bundle(bundle)
    assert {found.id for found in findings} == {"container.order", "container.missing_entry"}
    assert (evidence.statement, evidence.runs) == (None, ())
    assert evidence.system is not None


def test_entries_in_another_order_are_refused(bundle: Path) -> None:
    def swap(files: dict[str, bytes]) -> None:
        files["system.json"] = files.pop("system.json")

    rewrite(bundle, swap)
    assert ids(bundle) == ["container.order"]


@pytest.mark.parametrize("mode", [0o120777, 0o120644])
def test_a_symbolic_link_is_refused(bundle: Path, honest: bytes, mode: int) -> None:
    at = honest.index(container.CENTRAL_SIGNATURE) + 38
    data = honest[:at] + struct.pack("<I", mode << 16) + honest[at + 4 :]
    assert "container.link" in ids(bundle, data)


@pytest.mark.parametrize("mode", [0o100755, 0o060644, 0o040755, 0o010644, 0o104755])
def test_other_modes_are_refused(bundle: Path, honest: bytes, mode: int) -> None:
    at = honest.index(container.CENTRAL_SIGNATURE) + 38
    assert ids(bundle, honest[:at] + struct.pack("<I", mode << 16) + honest[at + 4 :]) == ["container.not_canonical"]


# Contents.


@pytest.mark.parametrize("name", ["system.json", "runs/0/log.txt", "runs/0/checkpoints/00001.safetensors"])
def test_contents_that_were_not_signed_are_refused(bundle: Path, name: str) -> None:
    rewrite(bundle, lambda files: files.update({name: files[name].replace(b"0", b"1", 1)}))
    assert "statement.digest" in ids(bundle)


def test_a_checksum_that_is_wrong_is_refused(bundle: Path, honest: bytes) -> None:
    at = honest.index(b'{"accelerator')
    assert "container.checksum" in ids(bundle, honest[:at] + b"[" + honest[at + 1 :])


@pytest.mark.parametrize("data", [PICKLE, b"", b"PK\x03\x04"])
def test_a_pickle_among_the_checkpoints_is_refused_though_it_is_signed(tmp_path: Path, data: bytes) -> None:
    name = "runs/0/checkpoints/00001.safetensors"
    path = tiny(tmp_path, edit_files=lambda files: files.update({name: data}))
    evidence, findings = read_bundle(path)
    assert "container.not_safetensors" in [found.id for found in findings]
    assert len(evidence.runs[0].checkpoints) == 1


@pytest.mark.parametrize(
    ("data", "id"),
    [
        (b"[" * 10_000, "schema.too_deep"),
        (b'{"a":1,"a":2}', "schema.duplicate_key"),
        (b'{"a":NaN}', "schema.not_finite"),
        (b"\xff", "schema.not_utf8"),
        (b"[]", "schema.field"),
        (b"", "schema.not_json"),
        (b'{"a": 1}', "schema.not_canonical"),
    ],
)
def test_a_system_description_of_another_form_is_refused(tmp_path: Path, data: bytes, id: str) -> None:
    path = tiny(tmp_path, edit_files=lambda files: files.update({"system.json": data}))
    evidence, findings = read_bundle(path)
    assert [found.id for found in findings] == [id]
    assert evidence.system is None
    assert len(evidence.runs) == 1


def test_a_log_that_was_changed_before_it_was_signed_breaks_its_chain(tmp_path: Path) -> None:
    def better(files: dict[str, bytes]) -> None:
        files["runs/0/log.txt"] = files["runs/0/log.txt"].replace(b'"value":0.95}', b'"value":0.99}')

    assert ids(tiny(tmp_path, edit_files=better)) == ["chain.link"]


def test_a_last_line_that_was_changed_breaks_the_chain(tmp_path: Path) -> None:
    def calmer(files: dict[str, bytes]) -> None:
        files["runs/0/log.txt"] = files["runs/0/log.txt"].replace(b'"load_average":[1,', b'"load_average":[0,')

    assert ids(tiny(tmp_path, edit_files=calmer)) == ["chain.head"]


def test_a_run_that_was_bound_to_another_seed_does_not_fit(tmp_path: Path) -> None:
    def rebind(run: Run) -> None:
        run.bound_seed += 1

    assert ids(tiny(tmp_path, edit_run=rebind)) == ["chain.link", "chain.link"]


def test_logs_of_two_runs_do_not_change_places(tmp_path: Path) -> None:
    def swap(files: dict[str, bytes]) -> None:
        files["runs/0/log.txt"], files["runs/1/log.txt"] = files["runs/1/log.txt"], files["runs/0/log.txt"]

    found = ids(tiny(tmp_path, runs=2, edit_files=swap))
    assert sorted(found) == ["chain.head", "chain.head", "chain.link", "chain.link"]


def test_a_log_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    def foreign(files: dict[str, bytes]) -> None:
        files["runs/0/log.txt"] += ":::MLLOG \u4e2d".encode("gb18030") + b"\n"

    found = ids(tiny(tmp_path, edit_files=foreign))
    assert "schema.not_utf8" in found


def test_a_log_line_of_100_mb_is_refused_by_its_entry_s_size(tmp_path: Path) -> None:
    huge = tmp_path / "huge"
    with huge.open("wb") as stream:
        stream.truncate(100_000_000)
    evidence, _ = read_bundle(tiny(tmp_path))
    assert evidence.statement is not None
    files: list[tuple[str, Path | bytes]] = [("system.json", b"{}"), ("runs/0/log.txt", huge)]
    path = tmp_path / "huge.vflops"
    seal_bundle(path, predicate=evidence.statement.predicate, files=files, private_key=KEY)
    assert ids(path) == ["container.entry_too_large"]


def test_a_log_line_of_30_mb_within_the_limit_is_refused_without_being_held(tmp_path: Path) -> None:
    def long_line(files: dict[str, bytes]) -> None:
        files["runs/0/log.txt"] += b"x" * 30_000_000 + b"\n"

    path = tiny(tmp_path, edit_files=long_line)
    tracemalloc.start()
    found = ids(path)
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found == ["schema.line_too_long"]
    assert peak_bytes < 10_000_000


# Limits.


@pytest.mark.parametrize(
    ("limits", "id"),
    [
        (Limits(file_bytes=1_000), "container.too_large"),
        (Limits(entries=3), "container.too_many_entries"),
        (Limits(statement_bytes=100), "container.entry_too_large"),
        (Limits(system_bytes=100), "container.entry_too_large"),
        (Limits(log_bytes=100), "container.entry_too_large"),
        (Limits(telemetry_bytes=100), "container.entry_too_large"),
        (Limits(text_bytes=7_000), "container.entry_too_large"),
        (Limits(checkpoint_bytes=10), "container.entry_too_large"),
    ],
)
def test_each_limit_holds(bundle: Path, limits: Limits, id: str) -> None:
    assert [found.id for found in read_bundle(bundle, limits)[1]] == [id]


# Writing.


def test_a_bundle_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "a.vflops"
    path.write_bytes(b"old")
    with pytest.raises(FileNotFoundError):
        write_bundle(path, [("system.json", b"{}"), ("runs/0/log.txt", tmp_path / "missing")])
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.vflops"]


def test_a_file_that_lies_on_the_disk_is_packed_as_it_is(tmp_path: Path) -> None:
    source = tmp_path / "log"
    source.write_bytes(b"x" * 3_000_001)
    write_bundle(tmp_path / "a.zip", [("runs/0/log.txt", source)])
    assert entries_of(tmp_path / "a.zip") == {"runs/0/log.txt": source.read_bytes()}


def test_sizes_beyond_32_bits_are_written_as_zip64(tmp_path: Path) -> None:
    """The headers of a 5 GB entry, in front of which a sparse file stands for its data."""
    size_bytes = 5 << 30
    member = Member(name=b"runs/0/log.txt", crc=7, size_bytes=size_bytes, offset=0)
    far = Member(name=b"system.json", crc=0, size_bytes=0, offset=len(container.local_header(member)) + size_bytes)
    path = tmp_path / "large.zip"
    with path.open("wb") as stream:
        stream.write(container.local_header(member))
        stream.seek(far.offset)
        stream.write(container.local_header(far))
        stream.write(container.directory([member, far], stream.tell()))
    with zipfile.ZipFile(path) as opened:
        first, second = opened.infolist()
        assert (first.file_size, first.compress_size, first.CRC) == (size_bytes, size_bytes, 7)
        assert (second.header_offset, second.file_size) == (far.offset, 0)
        assert opened.read("system.json") == b""


@pytest.mark.long
def test_an_entry_beyond_32_bits_is_read(tmp_path: Path) -> None:
    source, path = tmp_path / "sparse", tmp_path / "large.zip"
    with source.open("wb") as stream:
        stream.truncate((4 << 30) + 1)
    write_bundle(
        path, [("runs/0/checkpoints/00001.safetensors", source), ("runs/0/checkpoints/00002.safetensors", b"")]
    )
    found = ids(path)
    assert {"container.not_canonical", "container.checksum", "container.truncated"}.isdisjoint(found)
    assert found.count("container.not_safetensors") == 2


# Anything.


@given(st.binary(max_size=300))
def test_any_bytes_give_findings_and_never_an_error(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.vflops"
    assert ids(path, data)
    assert ids(path, b"PK\x03\x04" + data)


@given(st.lists(st.tuples(st.sampled_from(["statement.dsse.json", "system.json", "runs/0/log.txt"]), st.binary())))
def test_any_contents_give_findings_and_never_an_error(
    tmp_path_factory: pytest.TempPathFactory, entries: list[tuple[str, bytes]]
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.vflops"
    assert ids(path, raw([(name.encode(), data) for name, data in entries]))


@given(
    start=st.integers(0, 20_000),
    length=st.integers(0, 60),
    other=st.binary(max_size=60) | st.sampled_from([b"[" * 50, b'"', b"\\", b"1e999", b"NaN", b"\r\n", b"PK\x03\x04"]),
)
def test_any_stretch_that_is_replaced_gives_a_finding(
    tmp_path_factory: pytest.TempPathFactory, honest: bytes, start: int, length: int, other: bytes
) -> None:
    start %= len(honest)
    changed = honest[:start] + other + honest[start + length :]
    found = ids(tmp_path_factory.getbasetemp() / "any.vflops", changed)
    assert bool(found) == (changed != honest)


@settings(max_examples=25)
@given(data=st.data())
def test_any_system_description_comes_back(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    system = data.draw(st.dictionaries(st.text("abc"), st.integers(-5, 5) | st.text("xyz")))
    folder = tmp_path_factory.getbasetemp()
    evidence, findings = read_bundle(tiny(folder, system=system))
    assert (evidence.system, findings) == (system, [])
    assert canonical.dumps(evidence.system) == entries_of(folder / "run-set.vflops")["system.json"]
