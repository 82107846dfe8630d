"""Reports: the document that pages read, its digest, its text, and verification that never raises."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ranking.evidence import canonical, keys
from ranking.layout import layout, with_prefix
from ranking.report import VERIFIER, Decision, document_digest, render_text
from ranking.verify import main, verify_bundle
from tests.bundles import Event, Run, make_bundle, rewrite
from tests.ranking.rules.judging import claims, ids, judged, of_run

SCORE_KEYS = (
    "valid_flops flops quality target_quality better sensitivity_n factor seconds samples flops_per_sample throughput "
    "low high all_low all_high cv_flops time_to_target_s epochs_to_target share_of_peak energy counted"
)
RUN_KEYS = (
    "index seed status valid_flops flops quality factor seconds samples time_to_target_s epochs_to_target energy "
    "useless counted curves measured phases"
)
SUBMISSION_KEYS = (
    "workload scale version level key_id organisation system_name configuration layers_changed seeds created nonce "
    "runner"
)
DOCUMENT_KEYS = (
    "schema rule_set verifier bundle file_sha256 size_bytes verdict findings submission score runs system accelerator "
    "framework precision marks"
)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_bundle(tmp_path_factory.mktemp("bundle"), accelerators=1)


@pytest.fixture(scope="module")
def document(bundle: Path) -> dict[str, Any]:
    return verify_bundle(bundle).to_document()


def numbers(value: Any) -> Iterator[float]:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from numbers(item)
    elif isinstance(value, float):
        yield value


def test_the_document_has_every_key(document: dict[str, Any]) -> None:
    assert list(document) == DOCUMENT_KEYS.split()
    assert list(document["score"]) == SCORE_KEYS.split()
    assert list(document["runs"][0]) == RUN_KEYS.split()
    assert list(document["submission"]) == SUBMISSION_KEYS.split()
    assert list(document["runs"][0]["curves"]) == ["quality", "throughput", "power", "utilisation"]


def test_the_document_is_finite_canonical_json(document: dict[str, Any]) -> None:
    assert all(math.isfinite(number) for number in numbers(document))
    assert canonical.loads(canonical.dumps(document)) == json.loads(json.dumps(document))


def test_the_document_names_what_it_was_made_of(bundle: Path, document: dict[str, Any]) -> None:
    assert document["schema"] == "vflops-report/1"
    assert document["rule_set"] == "1"
    assert document["file_sha256"] == sha256(bundle.read_bytes()).hexdigest()
    assert document["size_bytes"] == bundle.stat().st_size
    assert document["marks"] == [{"id": "signed"}]


def test_verification_is_pure(bundle: Path, document: dict[str, Any]) -> None:
    again = verify_bundle(bundle)
    assert again.to_document() == document
    assert again.digest() == document_digest(document)


def test_the_verifiers_version_is_the_distributions() -> None:
    project = Path(__file__).parents[2] / "pyproject.toml"
    assert f'version = "{VERIFIER}"' in project.read_text(encoding="utf-8")


def test_the_set_can_be_recomputed_from_its_runs(document: dict[str, Any]) -> None:
    score, counted = document["score"], [run for run in document["runs"] if run["counted"]]
    seconds, samples = (sum(run[name] for run in counted) for name in ("seconds", "samples"))
    quality = sum(run["quality"] for run in counted) / 3
    assert score["counted"] == [run["index"] for run in counted]
    assert score["flops"] == pytest.approx(samples * score["flops_per_sample"] / seconds)
    assert score["factor"] == pytest.approx((quality / score["target_quality"]) ** score["sensitivity_n"])
    assert score["valid_flops"] == pytest.approx(score["flops"] * score["factor"])
    assert score["energy"]["watts"] == pytest.approx(250.5)
    assert score["share_of_peak"] == pytest.approx(score["flops"] / 67e12)


def test_text_for_a_terminal_tells_findings_runs_and_score(bundle: Path) -> None:
    text = render_text(verify_bundle(bundle))
    assert text.endswith("\n")
    assert all(len(line) <= 110 for line in text.splitlines())
    assert "ACCEPTED: Valid FLOPS" in text
    assert "ticket.none" in text
    assert "1 x NVIDIA H200 SXM" in text


def test_text_of_a_refused_bundle_says_what_to_do(tmp_path: Path) -> None:
    text = render_text(judged(tmp_path, runs=4))
    assert "REJECTED: no score" in text
    assert "REJECT  counts.runs" in text
    assert "expected 5 runs; got 4" in text


def test_text_turns_the_ratio_round_where_lower_is_better(document: dict[str, Any]) -> None:
    lower = document | {"score": document["score"] | {"better": "lower"}}
    assert f"({lower['score']['target_quality']:.4f} / " in layout(lower)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        (0.0, "0.000 FLOPS"),
        (999.0, "999.0 FLOPS"),
        (12_345_678.0, "12.35 MFLOPS"),
        (1e18, "1.000 EFLOPS"),
        (5e21, "5000. EFLOPS"),
    ],
)
def test_figures_have_four_digits_and_a_prefix(value: float | None, text: str) -> None:
    assert with_prefix(value, "FLOPS") == text


@pytest.mark.parametrize(
    ("options", "decision"),
    [({}, Decision.ACCEPT), ({"runs": 4}, Decision.REJECT), (claims(level="system"), Decision.ACCEPT)],
)
def test_the_verdict_follows_the_most_severe_finding(
    options: dict[str, Any], decision: Decision, tmp_path: Path
) -> None:
    assert judged(tmp_path, **options).verdict is decision


def test_a_bundle_changed_afterwards_is_not_signed(tmp_path: Path) -> None:
    def tamper(files: dict[str, bytes]) -> None:
        files["runs/0/log.txt"] = files["runs/0/log.txt"].replace(b'"loss":', b'"loss":1', 1)

    report = verify_bundle(rewrite(make_bundle(tmp_path), tamper))
    assert report.verdict is Decision.REJECT
    assert report.to_document()["marks"] == []
    assert {"statement.digest", "chain.link"} <= ids(report)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"no archive at all", b"\x00" * 1_000])
def test_a_file_that_is_no_bundle_has_a_report(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.vflops"
    path.write_bytes(content)
    report = verify_bundle(path)
    document = report.to_document()
    assert report.verdict is Decision.REJECT
    assert (document["submission"], document["score"], document["runs"], document["bundle"]) == (None, None, [], None)
    assert render_text(report).endswith("REJECTED: no score\n")


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
KEYS = st.sampled_from([value for name, value in vars(keys).items() if name.isupper() and isinstance(value, str)])
EDITS = st.lists(
    st.tuples(
        st.integers(0, 4),
        st.integers(0, 150),
        st.sampled_from(["value", "metadata", "clock", "key", "drop"]),
        JSON,
        KEYS,
        st.integers(-(10**12), 10**12),
    ),
    max_size=12,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edits=EDITS)
def test_no_log_however_strange_makes_verification_raise(edits: list[Any], tmp_path: Path) -> None:
    def edit_run(run: Run) -> None:
        for index, number, what, value, key, clock_us in edits:
            if run.index == index and run.events:
                disturb(run, number % len(run.events), what, value, key, clock_us)

    report = verify_bundle(make_bundle(tmp_path, edit_run=edit_run))
    document = report.to_document()
    assert all(math.isfinite(number) for number in numbers(document))
    assert len(report.digest()) == 64
    assert render_text(report)


def disturb(run: Run, number: int, what: str, value: Any, key: str, clock_us: int) -> None:
    event: Event = run.events[number]
    if what == "drop":
        del run.events[number]
    elif what == "key":
        event.key = key
    elif what == "clock":
        event.clock_us = max(0, event.clock_us + clock_us)
    elif what == "metadata":
        event.metadata = dict.fromkeys(event.metadata, value)
    else:
        event.value = value


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    system=st.dictionaries(
        st.sampled_from(
            [
                "number_of_nodes",
                "accelerators_per_node",
                "accelerator_model_name",
                "host_processor_model_name",
                "framework",
            ]
        ),
        JSON,
    )
)
def test_no_system_however_strange_makes_verification_raise(system: dict[str, Any], tmp_path: Path) -> None:
    document = judged(tmp_path, system=system or {"x": 1}).to_document()
    assert canonical.dumps(document)


def verified(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ranking.verify", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])


def test_the_child_writes_the_document_and_ends_0_for_any_verdict(bundle: Path, tmp_path: Path) -> None:
    accepted = verified("--json", str(bundle))
    assert (accepted.returncode, accepted.stderr) == (0, "")
    assert json.loads(accepted.stdout) == verify_bundle(bundle).to_document()
    refused = tmp_path / "refused.vflops"
    refused.write_bytes(b"no bundle")
    assert main(["--json", str(refused)]) == 0


def test_the_child_ends_1_with_a_problem_where_there_is_no_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--json", str(tmp_path / "absent.vflops")]) == 1
    output = capsys.readouterr()
    assert output.out == ""
    assert json.loads(output.err)["id"] == "container.unreadable"


def test_the_child_imports_neither_torch_nor_django(bundle: Path) -> None:
    code = (
        "import sys, ranking.verify as v, pathlib; v.verify_bundle(pathlib.Path(sys.argv[1]));"
        "sys.exit(bool({'torch', 'django', 'numpy'} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", code, str(bundle)]
    assert subprocess.run(command, check=False, cwd=Path(__file__).parents[2]).returncode == 0


def test_an_aborted_run_has_figures_and_no_place_among_the_counted(tmp_path: Path) -> None:
    def abort(run: Run) -> None:
        run.find(keys.RUN_STOP)[0].metadata[keys.STATUS] = keys.ABORTED

    run = judged(tmp_path, **of_run(2, abort)).to_document()["runs"][2]
    assert (run["status"], run["useless"], run["counted"]) == ("aborted", True, False)
    assert run["curves"]["quality"]
