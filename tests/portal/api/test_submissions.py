"""Submissions over the API: lists, one with its findings, changes, history and the bundle itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from portal.results.models import Result
from portal.results.services import result_withdraw
from portal.submissions.models import Submission
from portal.submissions.states import State
from tests.portal.api.world import World

Make = Callable[[str], Submission]


def test_a_list_is_newest_first_by_pages_that_nothing_shifts(
    client: Client, world: World, make_submission: Make
) -> None:
    made = [make_submission(str(number)).public_id for number in range(5)]
    page = client.get("/api/v1/submissions?limit=2", headers=world.headers()).json()
    seen = [row["id"] for row in page["results"]]
    make_submission("came meanwhile")
    while page["next"]:
        page = client.get(page["next"], headers=world.headers()).json()
        seen += [row["id"] for row in page["results"]]
    assert seen == made[::-1]


def test_a_list_is_narrowed_by_state(client: Client, world: World, make_submission: Make) -> None:
    kept, other = make_submission("a"), make_submission("b")
    Submission.objects.filter(pk=other.pk).update(state=State.WITHDRAWN, deadline=None)
    rows = client.get("/api/v1/submissions?state=withdrawn", headers=world.headers()).json()["results"]
    assert [row["id"] for row in rows] == [other.public_id]
    assert client.get("/api/v1/submissions?state=lost", headers=world.headers()).status_code == 422
    assert kept.state != State.WITHDRAWN


def test_a_list_costs_the_same_however_long(
    client: Client,
    world: World,
    make_submission: Make,
    django_assert_max_num_queries: Callable[..., object],
) -> None:
    for number in range(8):
        make_submission(str(number))
    with django_assert_max_num_queries(6):  # type: ignore[attr-defined]
        client.get("/api/v1/submissions", headers=world.headers())


def test_an_unchanged_submission_is_told_by_304_and_a_changed_one_whole(
    client: Client, world: World, make_submission: Make
) -> None:
    submission = make_submission("a")
    address = f"/api/v1/submissions/{submission.public_id}"
    first = client.get(address, headers=world.headers())
    assert first["Cache-Control"] == "private, no-cache"
    again = client.get(address, headers=world.headers(If_None_Match=first["ETag"]))
    assert (again.status_code, again.content) == (304, b"")
    client.post(address + "/withdraw", {"reason": "typo"}, "application/json", headers=world.headers())
    changed = client.get(address, headers=world.headers(If_None_Match=first["ETag"]))
    assert changed.status_code == 200
    assert changed.json()["state"] == "withdrawn"


def test_a_new_submission_says_what_comes_next(client: Client, world: World, make_submission: Make) -> None:
    shown = client.get(f"/api/v1/submissions/{make_submission('a').public_id}", headers=world.headers()).json()
    assert shown["state"] in {"received", "queued"}
    assert shown["next_step"]
    assert shown["deadline"]
    assert shown["address"].endswith(f"/submissions/{shown['id']}/")
    assert (shown["board"], shown["verdict"], shown["findings"], shown["valid_flops"]) == (None, None, [], None)


def test_a_verified_submission_has_verdict_board_and_score(client: Client, world: World, verified: Submission) -> None:
    address = f"/api/v1/submissions/{verified.public_id}"
    shown = client.get(address, headers=world.headers()).json()
    report = client.get(address + "/report", headers=world.headers()).json()
    findings = client.get(address + "/findings", headers=world.headers()).json()["results"]
    assert (shown["state"], shown["verdict"]) == ("verified", "accept")
    assert shown["board"] == "image_classification/smoke/hardware"
    assert shown["valid_flops"] == report["score"]["valid_flops"]
    assert shown["findings"] == findings
    assert shown["system"]


def test_the_history_is_told_oldest_first(client: Client, world: World, verified: Submission) -> None:
    events = client.get(f"/api/v1/submissions/{verified.public_id}/timeline", headers=world.headers()).json()["results"]
    kinds = [event["kind"] for event in events]
    assert kinds[0] == "submission:receive"
    assert kinds[-1] == "submission:verify"


def test_publication_is_asked_for_and_the_result_named(client: Client, world: World, result: Result) -> None:
    address = f"/api/v1/submissions/{result.submission.public_id}"
    shown = client.get(address, headers=world.headers()).json()
    assert (shown["state"], shown["result"]) == ("published", result.public_id)
    assert shown["result_address"].endswith(f"/results/{result.public_id}/")
    again = client.post(address + "/publish", headers=world.headers())
    assert (again.status_code, again.json()["state"]) == (200, "published")


@pytest.mark.parametrize(
    ("operation", "id"), [("publish", "submission.not_publishable"), ("withdraw", "submission.not_withdrawable")]
)
def test_a_rejected_submission_stays_so(
    client: Client, world: World, make_submission: Make, operation: str, id: str
) -> None:
    submission = make_submission("a")
    Submission.objects.update(state=State.REJECTED, deadline=None)
    address = f"/api/v1/submissions/{submission.public_id}/{operation}"
    response = client.post(address, {}, "application/json", headers=world.headers())
    assert (response.status_code, response.json()["id"]) == (409, id)


def test_the_bundle_comes_back_as_it_was_handed_in(
    client: Client, world: World, submission: Submission, honest_bundle: bytes
) -> None:
    response = client.get(f"/api/v1/submissions/{submission.public_id}/bundle", headers=world.headers())
    assert b"".join(response.streaming_content) == honest_bundle  # type: ignore[attr-defined]
    assert response["ETag"] == f'"{submission.bundle_sha256}"'
    assert "attachment" in response["Content-Disposition"]


def test_the_systems_of_verified_bundles_are_listed(client: Client, world: World, verified: Submission) -> None:
    rows = client.get("/api/v1/systems", headers=world.headers()).json()["results"]
    assert [(row["organisation"], row["name"]) for row in rows] == [("laboratory", verified.system.name)]  # type: ignore[union-attr]


def test_the_next_step_of_a_withdrawn_result_is_its_reason(client: Client, world: World, result: Result) -> None:
    address = f"/api/v1/submissions/{result.submission.public_id}"
    before = client.get(address, headers=world.headers())
    mark = result_withdraw(result=result, user=world.alice, reason="wrong machine")
    after = client.get(address, headers=world.headers(If_None_Match=before["ETag"])).json()["next_step"]
    listed = client.get("/api/v1/submissions", headers=world.headers()).json()["results"][0]["next_step"]
    assert "Nothing is left to do" not in after
    assert f"withdrawn by its organisation on {mark.created_at:%Y-%m-%d}" in after
    assert after.endswith("Reason: wrong machine")
    assert listed == after
