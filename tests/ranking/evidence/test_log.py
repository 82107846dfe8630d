"""The log: what the writer writes is what the parser and MLPerf's own tools read, and nothing else is accepted."""

from __future__ import annotations

import json
import resource
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mlperf_logging.compliance_checker import mlp_parser

from ranking.evidence import canonical, keys
from ranking.evidence.chain import genesis, next_head
from ranking.evidence.clock import Moment
from ranking.evidence.errors import FAULTS_LISTED, EvidenceError, Faults
from ranking.evidence.lines import MOST_FAULTY
from ranking.evidence.log import PREFIX, LogParser, LogWriter, parse_log
from tests.bundles import NONCE, make_bundle

GENESIS = genesis(NONCE, 0, 7)


@pytest.fixture
def log(tmp_path: Path) -> Iterator[LogWriter]:
    """A log whose clock stands still."""
    with LogWriter(tmp_path / "log.txt", nonce=NONCE, index=0, seed=7, clock=lambda: Moment(1_000, 2_000)) as writer:
        yield writer


def write_three(log: LogWriter) -> None:
    """A short log."""
    log.write(keys.BEGIN, {"format": 1}, namespace=keys.NAMESPACE)
    log.write(keys.EVAL_ACCURACY, 0.75, metadata={keys.EPOCH_NUM: 1.0, keys.LOSS: 0.5})
    log.write(keys.RUN_STOP, event_type=keys.INTERVAL_END, metadata={keys.STATUS: keys.SUCCESS})


def ids(data: bytes, *, start: str | None = GENESIS) -> list[str]:
    """Ids of the findings that a log gives."""
    return [found.id for found in parse_log(data, start=start)[1]]


def line(**changes: object) -> bytes:
    """A first line with some of its fields changed; None takes a field away."""
    fields = {
        "event_type": "POINT_IN_TIME",
        "key": "seed",
        "metadata": {"file": "a", "lineno": 0, "seq": 0, "clock_us": 0, "prev": GENESIS},
        "namespace": "",
        "time_ms": 0,
        "value": 1,
    }
    fields.update(changes)
    return PREFIX + canonical.dumps({k: v for k, v in fields.items() if v is not None}) + b"\n"


def metadata(**changes: object) -> bytes:
    """A first line with some fields of its metadata changed; None takes one away."""
    fields = {"file": "a", "lineno": 0, "seq": 0, "clock_us": 0, "prev": GENESIS, **changes}
    return line(metadata={k: v for k, v in fields.items() if v is not None})


def test_lines_come_back_as_they_were_written(log: LogWriter, tmp_path: Path) -> None:
    write_three(log)
    lines, findings = parse_log((tmp_path / "log.txt").read_bytes(), start=GENESIS)
    assert findings == []
    assert [(each.key, each.value, each.number, each.seq) for each in lines] == [
        ("begin", {"format": 1}, 1, 0),
        ("eval_accuracy", 0.75, 2, 1),
        ("run_stop", None, 3, 2),
    ]
    assert lines[1].metadata == {"epoch_num": 1, "loss": 0.5}
    assert (lines[0].namespace, lines[1].namespace, lines[2].event_type) == ("vflops", "", "INTERVAL_END")
    assert {(each.time_ms, each.clock_us) for each in lines} == {(1_000, 2_000)}


def test_the_head_is_the_digest_of_the_last_line(log: LogWriter, tmp_path: Path) -> None:
    assert log.head == GENESIS
    write_three(log)
    assert log.head == next_head((tmp_path / "log.txt").read_bytes().splitlines()[-1])


def test_every_line_is_on_the_file_as_soon_as_it_is_written(log: LogWriter, tmp_path: Path) -> None:
    log.write(keys.SEED, 7)
    assert (tmp_path / "log.txt").read_bytes().endswith(b'"value":7}\n')


def test_a_log_is_never_written_over(log: LogWriter, tmp_path: Path) -> None:
    with pytest.raises(FileExistsError):
        LogWriter(tmp_path / "log.txt", nonce=NONCE, index=0, seed=7)
    assert log.head == GENESIS


def test_a_value_that_json_cannot_say_leaves_the_log_whole(log: LogWriter, tmp_path: Path) -> None:
    write_three(log)
    before = (tmp_path / "log.txt").read_bytes()
    with pytest.raises(EvidenceError) as caught:
        log.write(keys.EVAL_ACCURACY, float("nan"))
    assert caught.value.finding.id == "schema.not_finite"
    assert (tmp_path / "log.txt").read_bytes() == before


def test_a_full_disk_leaves_the_log_whole(log: LogWriter, tmp_path: Path) -> None:
    log.write(keys.SEED, 7)
    before, head = (tmp_path / "log.txt").read_bytes(), log.head
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 20, limits[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            log.write(keys.SEED, 8)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert ((tmp_path / "log.txt").read_bytes(), log.head) == (before, head)
    log.write(keys.SEED, 9)
    assert parse_log((tmp_path / "log.txt").read_bytes(), start=GENESIS)[1] == []


def test_mlperf_s_own_parser_reads_the_same_values(tmp_path: Path) -> None:
    with ZipFile(make_bundle(tmp_path, runs=1)) as archive:
        archive.extract("runs/0/log.txt", tmp_path)
        ours, findings = parse_log(archive.read("runs/0/log.txt"))
    for ruleset in ("0.7.0", "5.1.0", "6.1.0"):
        theirs, failed = mlp_parser.parse_file(str(tmp_path / "runs/0/log.txt"), ruleset=ruleset)
        assert failed == []
        assert [(each.key, each.value["value"], each.timestamp) for each in theirs] == [
            (each.key, each.value, each.time_ms) for each in ours
        ]
        assert all(each.value["metadata"].keys() >= {"file", "lineno"} for each in theirs)
        for their, our in zip(theirs, ours, strict=True):
            assert our.metadata.items() <= their.value["metadata"].items()
    assert findings == []


@given(st.lists(st.integers(0, 5_000), max_size=6))
def test_how_a_log_is_cut_into_chunks_does_not_matter(cuts: list[int]) -> None:
    data = line() + line() + PREFIX + b"x\n"
    places = sorted({0, len(data), *(cut % len(data) for cut in cuts)})
    chunks = [data[a:b] for a, b in pairwise(places)]
    assert parse_log(chunks, start=GENESIS) == parse_log(data, start=GENESIS)


@pytest.mark.parametrize(
    ("change", "id"),
    [
        (lambda data: data.replace(b'"value":0.75', b'"value":0.85'), "chain.link"),
        (lambda data: data[data.index(b"\n") + 1 :], "chain.link"),
        (lambda data: b"".join(data.splitlines(keepends=True)[::2]), "chain.sequence"),
        (lambda data: data.replace(b'"seq":1', b'"seq":5'), "chain.sequence"),
        (lambda data: data.replace(b"\n", b"\r\n"), "schema.line_ending"),
        (lambda data: data[:-1], "schema.line_ending"),
        (lambda data: b"\xef\xbb\xbf" + data, "schema.log_prefix"),
        (lambda data: b"\n" + data, "schema.log_prefix"),
        (lambda data: data + b"note\n", "schema.log_prefix"),
        (lambda data: data + b"\x00", "schema.log_prefix"),
        (lambda data: data.replace(b":::MLLOG ", b":::MLLOG  "), "schema.not_canonical"),
        (lambda data: data.replace(b'"value":0.75', b'"value":0.750'), "schema.not_canonical"),
        (lambda data: data.replace(b'"value":0.75', b'"value":NaN'), "schema.not_finite"),
        (lambda data: data.replace(b'"value":0.75', b'"value":1,"value":2'), "schema.duplicate_key"),
        (lambda data: data.replace(b'"value":0.75', b'"value":"\xff"'), "schema.not_utf8"),
        (lambda data: data.replace(b'"value":0.75', b'"value":"\x00"'), "schema.not_json"),
        (lambda data: data.replace(b'"value":0.75', b'"value":' + b"[" * 10_000), "schema.too_deep"),
        (lambda data: data.replace(b'"value":0.75', b'"value":12345678901234567890'), "schema.number_range"),
        (lambda _: b"", "schema.empty"),
    ],
)
def test_a_changed_log_is_refused(log: LogWriter, tmp_path: Path, change: Callable[[bytes], bytes], id: str) -> None:
    write_three(log)
    assert id in ids(change((tmp_path / "log.txt").read_bytes()))


def test_another_run_s_log_does_not_fit(log: LogWriter, tmp_path: Path) -> None:
    write_three(log)
    data = (tmp_path / "log.txt").read_bytes()
    assert ids(data, start=genesis(NONCE, 1, 7)) == ["chain.link"]
    assert ids(data, start=None) == []


@pytest.mark.parametrize(
    "data",
    [
        line(value=None),
        line(key=None),
        line(time_ms=None),
        line(extra=1),
        line(key=5),
        line(key="x" * 201),
        line(key="tab\t"),
        line(event_type="SOMETIME"),
        line(event_type=["POINT_IN_TIME"]),
        line(namespace="other"),
        line(time_ms="0"),
        line(time_ms=0.5),
        line(time_ms=-1),
        line(time_ms=True),
        line(metadata=[]),
        metadata(seq=None),
        metadata(prev=None),
        metadata(file=None),
        metadata(lineno=None),
        metadata(clock_us=None),
        metadata(seq="0"),
        metadata(clock_us=1.5),
        metadata(prev="A" * 64),
        metadata(prev="0" * 63),
        metadata(prev="\u0660" * 64),
        metadata(lineno=False),
        PREFIX + b"[]\n",
        PREFIX + b"7\n",
        PREFIX + b"null\n",
    ],
)
def test_a_line_of_another_form_is_left_out_with_a_finding(data: bytes) -> None:
    lines, findings = parse_log(data, start=GENESIS)
    assert lines == ()
    assert [found.id for found in findings] == ["schema.field"]
    assert findings[0].place.startswith("log.txt:1")


def test_reading_goes_on_after_a_faulty_line(log: LogWriter, tmp_path: Path) -> None:
    write_three(log)
    first, second, third = (tmp_path / "log.txt").read_bytes().splitlines(keepends=True)
    lines, findings = parse_log(first + second.replace(b'"key":"eval_accuracy"', b'"key":7') + third, start=GENESIS)
    assert [each.key for each in lines] == ["begin", "run_stop"]
    assert [(found.id, found.place) for found in findings] == [
        ("schema.field", "log.txt:2"),
        ("chain.link", "log.txt:3"),
    ]


def test_a_log_of_nothing_but_faults_gives_a_short_report() -> None:
    findings = parse_log(b"rubbish\n" * 10_000)[1]
    assert len(findings) == FAULTS_LISTED + 1
    assert (findings[-1].id, findings[-1].place) == ("schema.many_faults", "schema.log_prefix")
    assert findings[-1].got == "9980 more"


@pytest.mark.parametrize("ending", [b"", b"\n", b"\n" + line()])
def test_a_line_of_100_mb_is_refused_without_being_held(ending: bytes) -> None:
    def chunks() -> Iterator[bytes]:
        yield line()
        yield PREFIX + b'{"value":"'
        for _ in range(100):
            yield b"x" * 1_000_000
        yield ending

    tracemalloc.start()
    lines, findings = parse_log(chunks(), start=GENESIS)
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes < 8_000_000
    assert ("schema.line_too_long", "log.txt:2") in [(found.id, found.place) for found in findings]
    assert len(lines) == (2 if ending.startswith(b"\n:") else 1)


def test_a_long_line_within_one_chunk_is_refused_too() -> None:
    assert ids(line() + line(value="x" * (1 << 20)))[0] == "schema.line_too_long"


def test_lines_are_plain_json_behind_the_prefix(log: LogWriter, tmp_path: Path) -> None:
    write_three(log)
    for raw in (tmp_path / "log.txt").read_text().splitlines():
        assert json.loads(raw.removeprefix(PREFIX.decode()))["metadata"]["file"] == "vflops"


def test_a_line_of_many_values_is_refused_unread() -> None:
    assert ids(line() + line(value=[[]] * 500))[0] == "schema.too_many_values"


def test_a_systems_name_may_have_commas() -> None:
    assert "schema.too_many_values" not in ids(line(value=", ".join("x" * 60)))


def test_a_file_of_nothing_but_faults_is_not_read_to_its_end() -> None:
    faults = Faults()
    parser = LogParser("log.txt", faults, start=None)
    for _ in range(3):
        parser.feed(b"\n" * MOST_FAULTY)
    parser.close()
    assert parser.number == MOST_FAULTY + 1
    assert parser.head is None
    assert ("schema.many_faults", f"log.txt:{MOST_FAULTY + 1}") in [(f.id, f.place) for f in faults.listed()]
