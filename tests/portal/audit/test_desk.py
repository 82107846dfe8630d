"""The auditors' desk in the administration: log, findings, report, decisions and marks; for auditors alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from portal.accounts.models import User
from portal.audit import bundle_log
from portal.audit.selectors import PAGE_LINES, log_page
from portal.results.models import Mark, Result
from portal.submissions.models import Submission
from portal.submissions.states import State
from tests.bundles import make_bundle
from tests.portal.api.world import World, stored_submission
from tests.portal.reports import report
from tests.portal.scenes import record


@pytest.fixture
def desk(client: Client, auditor: User) -> Client:
    """An auditor's browser."""
    client.force_login(auditor)
    return client


def page(name: str, *arguments: object) -> str:
    """The address of a page of the administration."""
    return reverse(f"admin:{name}", args=arguments)


def test_an_auditor_reads_the_log_of_any_submission(desk: Client, submission: Submission) -> None:
    """Line by line, as it stands in the bundle, page by page."""
    first = desk.get(page("submission_log", submission.pk)).content.decode()
    later = desk.get(page("submission_log", submission.pk), {"run": 4, "first": 3}).content.decode()
    assert ":::MLLOG" in first
    assert "&quot;seq&quot;:0" in first
    assert "&quot;seq&quot;:0," not in later


def test_what_stands_in_a_log_is_text_never_markup(desk: Client, world: World, tmp_path: Path) -> None:
    """A submitter writes the log; the desk shows it."""
    evil = b'<script>alert("x")</script>\n' + b"y" * 100_000 + b"\n\xff\xfe\n"
    bundle = make_bundle(tmp_path, edit_files=lambda files: files.update({"runs/0/log.txt": evil}))
    submission = stored_submission(world, bundle.read_bytes())
    shown = desk.get(page("submission_log", submission.pk)).content.decode()
    assert "<script>alert" not in shown
    assert "&lt;script&gt;alert" in shown
    assert len(shown) < 20_000


@pytest.mark.parametrize("query", [{"run": "x"}, {"first": "-1"}, {"first": "9" * 30}, {"run": "77"}])
def test_an_odd_address_shows_a_page(desk: Client, submission: Submission, query: dict[str, str]) -> None:
    """Never an error of ours."""
    assert desk.get(page("submission_log", submission.pk), query).status_code == 200


def test_a_bundle_that_cannot_be_read_says_so(world: World) -> None:
    """In the page's own words."""
    assert "BadZipFile" in log_page(submission=stored_submission(world, b"nonsense"), run=0, first=1).error


def test_a_log_is_read_in_pages(tmp_path: Path) -> None:
    """Each line once."""
    log = b"".join(b"line %d\n" % number for number in range(1, 2 * PAGE_LINES))
    bundle = make_bundle(tmp_path, edit_files=lambda files: files.update({"runs/1/log.txt": log}))
    first = bundle_log.page(str(bundle), 1, 1, PAGE_LINES)
    second = bundle_log.page(str(bundle), 1, 1 + PAGE_LINES, PAGE_LINES)
    texts = [line["text"] for line in (*first["lines"], *second["lines"])]
    assert texts == [f"line {number}" for number in range(1, 2 * PAGE_LINES)]
    assert (first["more"], second["more"]) == (True, False)


def test_an_auditor_reads_findings_and_the_whole_report(desk: Client, verified: Submission) -> None:
    """Of the deciding attempt."""
    shown = desk.get(page("submission_report", verified.pk)).content.decode()
    document = desk.get(page("submission_report_document", verified.pk, 1)).json()["document"]
    assert all(finding["id"] in shown for finding in document["findings"])
    assert document["score"]["valid_flops"] > 0
    assert desk.get(page("submission_report_document", verified.pk, 2)).status_code == 404


def test_an_auditor_decides_on_a_held_submission(desk: Client, submission: Submission) -> None:
    """By a form with a reason; an empty reason is asked for again, a second decision refused."""
    record(submission, report(verdict="hold"))
    address = page("submission_decide", submission.pk)
    assert desk.post(address, {"decision": "accept", "reason": ""}).status_code == 200
    assert desk.post(address, {"decision": "accept", "reason": "clocks are fine"}).status_code == 302
    submission.refresh_from_db()
    assert submission.state == State.VERIFIED
    again = desk.post(address, {"decision": "reject", "reason": "no"})
    assert "submission.not_held" in again.content.decode()


def test_an_auditor_marks_a_result_with_a_reason(desk: Client, result: Result) -> None:
    """And sees the mark and the history at the result."""
    answer = desk.post(page("result_mark", result.pk), {"kind": "disqualified", "reason": "two machines"})
    shown = desk.get(page("results_result_change", result.pk)).content.decode()
    result.refresh_from_db()
    assert answer.status_code == 302
    assert (result.standing, result.rank, Mark.objects.get().by_auditor) == ("disqualified", None, True)
    assert "two machines" in shown
    assert "result published" in shown


def test_no_mark_is_preselected_and_none_is_made_without_a_choice(desk: Client, result: Result) -> None:
    """A mark stays for ever: its kind is chosen, never left as it came."""
    address = page("result_mark", result.pk)
    assert '<option value="" selected>choose a mark</option>' in desk.get(address).content.decode()
    assert desk.post(address, {"kind": "", "reason": "two machines"}).status_code == 200
    assert not Mark.objects.exists()


LISTS = (
    "submissions_submission",
    "submissions_verificationreport",
    "results_result",
    "trail_event",
)


@pytest.mark.parametrize("name", LISTS)
def test_an_auditor_sees_every_list_and_changes_nothing_there(desk: Client, result: Result, name: str) -> None:
    """Lists to look at; no adding, no deleting."""
    assert desk.get(page(f"{name}_changelist")).status_code == 200
    assert desk.get(page(f"{name}_add")).status_code == 403


def test_an_auditor_is_no_administrator(desk: Client) -> None:
    """People and organisations are not theirs to change."""
    assert desk.get(page("accounts_user_changelist")).status_code == 403


@pytest.mark.parametrize("name", ["submission_log", "submission_report", "submission_decide"])
def test_staff_without_the_office_sees_nothing(client: Client, world: World, submission: Submission, name: str) -> None:
    """The administration's door is not the desk's."""
    world.charlie.is_staff = True
    world.charlie.save()
    client.force_login(world.charlie)
    assert client.get(page(name, submission.pk)).status_code == 403


def test_the_desk_needs_no_inline_script_or_style(desk: Client, result: Result, admin: User) -> None:
    """Under the portal's own policy, which every page carries."""
    desk.force_login(admin)
    addresses = [page("index"), page("accounts_user_changelist"), page("accounts_user_add")]
    addresses += [page(f"{name}_changelist") for name in LISTS]
    addresses += [page("submissions_submission_change", result.submission_id), page("result_mark", result.pk)]
    for address in addresses:
        answer = desk.get(address)
        text = answer.content.decode()
        assert answer.status_code == 200
        assert "unsafe" not in answer.headers["Content-Security-Policy"]
        assert "<style" not in text
        assert " style=" not in text
        assert "<script>" not in text
