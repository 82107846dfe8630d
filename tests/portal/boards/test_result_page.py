"""A result's page and its downloads, of a bundle that went the whole way."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable

import pytest
from django.test import Client

from portal.accounts.models import User
from portal.audit.services import result_mark, submission_decide
from portal.boards.citations import escaped
from portal.results.models import MarkKind, Result
from portal.submissions.models import Submission
from tests.portal.api.world import World
from tests.portal.reports import report
from tests.portal.scenes import publish, record, register


@pytest.fixture
def html(client: Client, result: Result) -> str:
    """The page of the honest bundle's result."""
    return client.get(f"/results/{result.public_id}/").content.decode()


def test_the_page_holds_all_runs_the_workings_and_the_evidence(html: str, result: Result) -> None:
    """What a reader needs to believe it, or not."""
    for needed in (
        "How the score comes about",
        "The runs",
        "Where the time went",
        "System and software",
        "Findings of the verification",
        "Not proven",
        result.bundle_id,
        result.submission.bundle_sha256,
        result.version.sha256,
        f"http://localhost:8000/results/{result.public_id}/",
    ):
        assert needed in html
    assert html.count('<span class="badge badge-accent">counts</span>') == 3
    assert html.count('<span class="badge">dropped</span>') == 2


def test_every_figure_has_a_chart_a_picture_and_a_table(html: str, client: Client, result: Result) -> None:
    """Without JavaScript the picture stays."""
    names = [figure.name for figure in result.version.figures.all()]
    assert {"quality", "throughput"} <= set(names)
    for name in names:
        chart = re.search(rf'<script id="figure-{name}" type="application/json">(.*?)</script>', html, re.DOTALL)
        assert chart is not None
        assert len(json.loads(chart[1])["data"]) == 5
        picture = client.get(f"/results/{result.public_id}/versions/1/{name}.svg")
        assert picture["Content-Type"] == "image/svg+xml"
        assert "sandbox" in picture["Content-Security-Policy"]
    assert html.count("The numbers as a table") == len(names)


def test_a_picture_keeps_its_policy_when_nothing_changed(client: Client, result: Result) -> None:
    """A 304 replaces what the browser has stored, the policy too."""
    address = f"/results/{result.public_id}/versions/1/quality.svg"
    first = client.get(address)
    second = client.get(address, headers={"If-None-Match": first["ETag"]})
    assert second.status_code == 304
    assert second["Content-Security-Policy"] == first["Content-Security-Policy"]


def test_the_bundle_comes_back_byte_for_byte(client: Client, result: Result, honest_bundle: bytes) -> None:
    """What was signed can be checked again."""
    response = client.get(f"/results/{result.public_id}/bundle")
    assert b"".join(response.streaming_content) == honest_bundle  # type: ignore[attr-defined]
    assert f'filename="{result.public_id}.vflops"' in response["Content-Disposition"]


def test_the_record_is_the_very_text_that_was_hashed(client: Client, result: Result) -> None:
    """Its SHA-256 is the stored one."""
    body = client.get(f"/results/{result.public_id}/versions/1/document.json").content
    assert hashlib.sha256(body).hexdigest() == result.version.sha256


def test_the_report_is_json_with_the_score(client: Client, result: Result) -> None:
    """For programs."""
    document = client.get(f"/results/{result.public_id}/report.json").json()
    assert document["score"]["valid_flops"] == result.valid_flops
    assert len(document["runs"]) == 5


def test_a_citation_names_the_permanent_address(client: Client, result: Result) -> None:
    """With author, year and digest."""
    entry = client.get(f"/results/{result.public_id}/citation.bib").content.decode()
    assert entry.startswith(f"@misc{{validflops-{result.public_id},")
    assert "author = {{Laboratory}}" in entry
    assert result.submission.bundle_sha256 in entry
    assert entry.count("{") == entry.count("}")


def test_what_tex_would_obey_is_written_out() -> None:
    """A name is no command."""
    assert escaped("A&B_C 100% {x} \\input") == r"A\&B\_C 100\% \{x\} \textbackslash{}input"


def test_an_auditors_note_is_shown_and_proves_nothing(client: Client, result: Result, auditor: User) -> None:
    """A note may be a warning; it never makes the mark audited."""
    result_mark(result=result, kind=MarkKind.NOTED, reason="the clock looks odd", auditor=auditor)
    html = client.get(f"/results/{result.public_id}/").content.decode()
    assert "the clock looks odd" in html
    assert "audited: no" in html


def test_a_hold_that_an_auditor_accepted_is_the_mark_audited(
    client: Client, world: World, make_submission: Callable[[str], Submission], auditor: User
) -> None:
    """The decision is explicit, with a reason, and in the trail."""
    register(world.laboratory, world.alice)
    held = record(make_submission("held"), report("held", verdict="hold"))
    submission_decide(submission=held, auditor=auditor, accept=True, reason="the logs explain it")
    result = publish(held, world.alice)
    assert "audited: yes" in client.get(f"/results/{result.public_id}/").content.decode()


def test_codes_are_shown_as_words_and_figures_say_what_they_measured(html: str) -> None:
    """The honest bundle has telemetry of its host alone."""
    assert "Measured: the CPU of the host" in html
    assert 'content="Test system of Laboratory: ' in html


def test_an_organisations_page_lists_its_results_and_keys(client: Client, result: Result, world: World) -> None:
    """Names and key ids, no people."""
    html = client.get("/organisations/laboratory/").content.decode()
    assert result.public_id in html
    assert world.laboratory.signing_keys.get().key_id in html
    assert "alice" not in html


@pytest.mark.parametrize("path", ["", "bundle", "report.json", "citation.bib", "versions/1/", "versions/1/quality.svg"])
def test_an_unknown_result_is_not_found(client: Client, db: None, path: str) -> None:
    """Under every address of it."""
    assert client.get(f"/results/nothinghere/{path}").status_code == 404


def test_a_version_that_does_not_exist_is_not_found(client: Client, result: Result) -> None:
    """Older ones stay, later ones are not made up."""
    assert client.get(f"/results/{result.public_id}/versions/1/").status_code == 200
    assert client.get(f"/results/{result.public_id}/versions/2/").status_code == 404
    assert client.get(f"/results/{result.public_id}/versions/0/").status_code == 404
