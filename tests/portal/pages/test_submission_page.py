"""A submission's page: state, findings, history, news by itself, publish and withdraw."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.test import Client

from portal.accounts.models import User
from portal.audit.services import result_mark
from portal.boards import paging
from portal.results.models import MarkKind, Result, Standing
from portal.submissions.models import Submission
from portal.submissions.services import submission_claim, submission_record_failure
from portal.submissions.states import State
from tests.portal.api.world import World
from tests.portal.reports import report
from tests.portal.scenes import publish, record, register

Maker = Callable[[str], Submission]


@pytest.fixture
def alice(client: Client, world: World) -> Client:
    """The owner's browser; her organisation registered its key."""
    register(world.laboratory, world.alice)
    client.force_login(world.alice)
    return client


def page(browser: Client, submission: Submission) -> str:
    """The page's HTML."""
    response = browser.get(f"/submissions/{submission.public_id}/")
    assert response.status_code == 200
    return response.content.decode()


def test_a_waiting_submission_shows_since_when_its_place_and_its_deadline(
    alice: Client, make_submission: Maker
) -> None:
    """The second in the queue is the second."""
    make_submission("first")
    html = page(alice, make_submission("second"))
    for name in ("Since", "What comes next", "Place in the queue", "Deadline of this state"):
        assert name in html
    assert re.search(r"Place in the queue</dt>\s*<dd>2</dd>", html)


def test_findings_say_where_what_was_expected_and_what_to_do(alice: Client, make_submission: Maker) -> None:
    """Each with its stable id."""
    submission = record(make_submission("a"), report("a", verdict="reject"))
    html = page(alice, submission)
    for text in (
        "Rejected",
        "The runs differ.",
        "at most 5 %",
        "Run again on a quiet machine.",
        "repeatability.cv_flops",
    ):
        assert text in html


def test_a_failure_of_ours_shows_its_error_and_what_to_do(alice: Client, make_submission: Maker) -> None:
    """No failure without a reason."""
    submission = make_submission("a")
    claimed = submission_claim(public_id=submission.public_id)
    assert claimed is not None
    submission_record_failure(submission=claimed, attempt=1, error_id="verification.crashed", error="signal 9")
    html = page(alice, claimed)
    assert "verification.crashed: signal 9" in html
    assert "The verifier ended without a report." in html


def test_the_history_comes_from_the_trail(alice: Client, make_submission: Maker) -> None:
    """In its order."""
    html = page(alice, record(make_submission("a"), report("a")))
    history = html.partition('class="history"')[2].partition("</ol>")[0]
    kinds = [word for word in ("received", "verification started", "verified") if word in history]
    assert kinds == ["received", "verification started", "verified"]


def seen(html: str) -> str:
    """The address at which the page asks for news."""
    found = re.search(r'hx-get="([^"]+)"', html.partition('id="live"')[2])
    assert found is not None
    return found[1].replace("&amp;", "&")


def test_no_news_is_an_empty_answer(alice: Client, make_submission: Maker) -> None:
    """So that nothing on the page moves."""
    submission = make_submission("a")
    address = seen(page(alice, submission))
    assert alice.get(address).status_code == 204
    record(submission, report("a"))
    news = alice.get(address)
    assert news.status_code == 200
    assert "Verified" in news.content.decode()
    assert "<html" not in news.content.decode()


def test_the_page_stops_asking_at_a_final_state(alice: Client, make_submission: Maker) -> None:
    """Rejected stays rejected."""
    html = page(alice, record(make_submission("a"), report("a", verdict="reject")))
    assert "hx-trigger" not in html.partition('id="live"')[2]


def test_the_owner_publishes_by_a_form(alice: Client, make_submission: Maker) -> None:
    """It asks; a worker does."""
    submission = record(make_submission("a"), report("a"))
    answer = alice.post(f"/submissions/{submission.public_id}/publish/", follow=True)
    assert "Publication is asked for." in answer.content.decode()
    submission.refresh_from_db()
    assert submission.publish_when_verified


def test_publishing_is_not_done_by_following_a_link(alice: Client, make_submission: Maker) -> None:
    """Only by POST."""
    submission = record(make_submission("a"), report("a"))
    assert alice.get(f"/submissions/{submission.public_id}/publish/").status_code == 405


def test_a_member_who_only_looks_cannot_publish(client: Client, world: World, make_submission: Maker) -> None:
    """And is told why."""
    register(world.laboratory, world.alice)
    submission = record(make_submission("a"), report("a"))
    client.force_login(world.bob)
    assert '<button class="button button-primary"' not in page(client, submission)
    answer = client.post(f"/submissions/{submission.public_id}/publish/", follow=True)
    assert "Your role does not allow this." in answer.content.decode()
    submission.refresh_from_db()
    assert not submission.publish_when_verified


def test_withdrawing_takes_a_reason_and_shows_it(alice: Client, make_submission: Maker) -> None:
    """In the history."""
    submission = record(make_submission("a"), report("a"))
    address = f"/submissions/{submission.public_id}/withdraw/"
    assert "This field is required" in alice.post(address, {"reason": " "}).content.decode()
    html = alice.post(address, {"reason": "wrong machine"}, follow=True).content.decode()
    submission.refresh_from_db()
    assert submission.state == State.WITHDRAWN
    assert "wrong machine" in html


def test_withdrawing_a_published_submission_withdraws_its_result(
    alice: Client, world: World, make_submission: Maker
) -> None:
    """The submission stays published, the result leaves the board."""
    result: Result = publish(record(make_submission("a"), report("a")), world.alice)
    address = f"/submissions/{result.submission.public_id}/withdraw/"
    assert "Its page and evidence stay" in alice.get(address).content.decode()
    alice.post(address, {"reason": "wrong machine"})
    result.refresh_from_db()
    assert result.standing == Standing.WITHDRAWN


def test_the_list_shows_what_the_persons_organisations_handed_in(
    alice: Client, world: World, make_submission: Maker
) -> None:
    """And strangers nothing of it."""
    submission = make_submission("a")
    assert submission.public_id in alice.get("/submissions/").content.decode()
    stranger = Client()
    stranger.force_login(world.charlie)
    assert submission.public_id not in stranger.get("/submissions/").content.decode()
    assert stranger.get(f"/submissions/{submission.public_id}/").status_code == 404
    assert stranger.get(f"/submissions/{submission.public_id}/state/").status_code == 404
    assert stranger.post(f"/submissions/{submission.public_id}/withdraw/", {"reason": "x"}).status_code == 404


def test_the_list_takes_as_many_queries_for_five_rows_as_for_one(
    alice: Client, make_submission: Maker, django_assert_max_num_queries: Callable[..., object]
) -> None:
    """Session, person, organisations, their number and rows."""
    for number in range(5):
        make_submission(str(number))
    with django_assert_max_num_queries(6):  # type: ignore[attr-defined]
        alice.get("/submissions/")


def test_the_list_goes_on_where_a_page_ends(
    alice: Client, make_submission: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Older submissions stand on the next page."""
    monkeypatch.setattr(paging, "PAGE_ROWS", 1)
    old, new = make_submission("old"), make_submission("new")
    first, second = (alice.get(f"/submissions/?page={number}").content.decode() for number in (1, 2))
    assert (new.public_id in first, old.public_id in first) == (True, False)
    assert (new.public_id in second, old.public_id in second) == (False, True)


def test_news_are_told_by_a_region_that_stays(alice: Client, make_submission: Maker) -> None:
    """Not by one that is swapped out with what it tells."""
    html = page(alice, make_submission("a"))
    assert 'role="status"' not in html.partition('id="live"')[2].partition("</main>")[0]
    assert 'id="announcer"' in html.partition("</main>")[2]


def test_the_upload_page_offers_only_organisations_one_may_hand_in_for(alice: Client, world: World) -> None:
    """And says how without JavaScript."""
    html = alice.get("/submissions/new/").content.decode()
    assert "Laboratory" in html
    assert "Elsewhere" not in html
    assert "vflops submit BUNDLE <span>--publish</span> <span>--wait</span>" in html
    member = Client()
    member.force_login(world.bob)
    assert "You need an organisation" in member.get("/submissions/new/").content.decode()


def test_a_disqualified_result_reads_as_such_to_its_owner(client: Client, result: Result, auditor: User) -> None:
    """Mark, reason and day on its page, the mark in the list; nowhere that all is well."""
    mark = result_mark(result=result, kind=MarkKind.DISQUALIFIED, reason="two machines", auditor=auditor)
    client.force_login(User.objects.get(email="alice@example.org"))
    html = page(client, result.submission)
    state = html[html.index('id="live"') : html.index('id="report-title"')]
    assert re.search(r'id="state-title"[^>]*>Disqualified<', state)
    assert state.count("two machines") == 2
    assert f"{mark.created_at:%Y-%m-%d}" in state
    assert "stands on its board" not in state
    assert "Nothing is left to do" not in state
    assert re.search(r'badge-bad">disqualified<', client.get("/submissions/").content.decode())
