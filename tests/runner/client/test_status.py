"""Where submissions stand: tables, one with its findings, waiting by ETag, and exit statuses for programs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner import answers
from runner.answers import FindingLine, Submission
from runner.client import Portal
from runner.commands import portal_access
from runner.portal_errors import PortalError
from tests.portal.uploads.served import Served
from tests.runner.client.conftest import CommandLine, MakeBundle

FINDING = FindingLine(
    id="quality.too_low",
    verdict="reject",
    sentence="The quality is too low.",
    place="runs/0",
    expected="0.9",
    got="0.5",
    action="Train longer.",
)


def submission(state: str, **changes: object) -> Submission:
    facts: dict[str, object] = {
        "id": "k7m2p9x4hq3t",
        "address": "https://portal.example.org/submissions/k7m2p9x4hq3t/",
        "organisation": "laboratory",
        "system": "node",
        "board": "image_classification/smoke/hardware",
        "state": state,
        "state_since": "2026-11-30T20:00:00Z",
        "next_step": "Nothing.",
        "publishing": False,
        "error_id": "",
        "valid_flops": 1.5e9,
        "result_address": None,
        "findings": (FINDING,),
        "document": {},
    }
    return Submission(**{**facts, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("states", "status"),
    [
        ([], 0),
        (["published"], 0),
        (["verified", "queued", "withdrawn"], 0),
        (["held", "published"], 4),
        (["held", "rejected"], 3),
        (["rejected", "failed"], 1),
    ],
)
def test_the_exit_status_is_the_worst_submissions(states: list[str], status: int) -> None:
    assert portal_access.exit_status([submission(state) for state in states]) == status


def test_verified_but_not_published_as_asked_is_an_error() -> None:
    assert portal_access.exit_status([submission("verified", error_id="publication.failed")]) == 1


@pytest.mark.parametrize(
    ("state", "publishing", "decided"),
    [
        ("queued", False, False),
        ("verifying", True, False),
        ("verified", True, False),
        ("verified", False, True),
        ("held", True, True),
        ("rejected", True, True),
        ("failed", False, True),
        ("published", True, True),
    ],
)
def test_waiting_ends_when_a_person_must_act_or_nobody(state: str, publishing: bool, decided: bool) -> None:
    assert portal_access.is_decided(submission(state, publishing=publishing)) is decided


def test_a_submission_in_words_has_findings_with_what_to_do() -> None:
    text = "\n".join(portal_access.lines(submission("rejected", error_id="verification.crashed")))
    for part in ("rejected", "[quality.too_low]", "Train longer.", "1.5e+09 Valid FLOPS", "verification.crashed"):
        assert part in text


def test_no_submissions_are_told(vflops: CommandLine, server: Served) -> None:
    vflops("login", server.address, "--token", server.elsewhere)
    assert "No submissions yet" in vflops("status").out
    assert vflops("status", "--json").document == {"submissions": []}


def test_submissions_are_listed_and_shown(logged_in: CommandLine, make_bundle: MakeBundle) -> None:
    handed = logged_in("submit", make_bundle(), "--json").document["submissions"][0]["id"]
    assert handed in logged_in("status").out
    assert handed in {row["id"] for row in logged_in("status", "--json").document["submissions"]}
    shown = logged_in("status", handed)
    assert (shown.status, "next:" in shown.out) == (0, True)
    assert logged_in("status", handed, "--json").document["id"] == handed


def test_a_table_in_a_pipe_has_one_line_a_submission(logged_in: CommandLine, make_bundle: MakeBundle) -> None:
    handed = logged_in("submit", make_bundle(), "--json").document["submissions"][0]["id"]
    (line,) = [line for line in logged_in("status").out.splitlines() if handed in line]
    assert "laboratory" in line
    assert line.rstrip().endswith("UTC")


def test_an_unknown_submission_is_told(logged_in: CommandLine) -> None:
    said = logged_in("status", "xxxxxxxxxxxx", "--json")
    assert (said.status, said.error_id) == (1, "request.not_found")


def test_a_submission_of_others_is_as_unknown(logged_in: CommandLine, make_bundle: MakeBundle, server: Served) -> None:
    handed = logged_in("submit", make_bundle(), "--json").document["submissions"][0]["id"]
    logged_in("login", server.address, "--token", server.elsewhere)
    assert logged_in("status", handed, "--json").error_id == "request.not_found"


def test_waiting_asks_by_etag_until_it_is_decided(
    logged_in: CommandLine, make_bundle: MakeBundle, server: Served
) -> None:
    handed = logged_in("submit", make_bundle(), "--json").document["submissions"][0]["id"]
    pauses: list[float] = []

    def withdraw_at_the_third_pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            assert server.api("POST", f"submissions/{handed}/withdraw").status_code == 200

    states: list[str] = []
    with Portal(server.address, server.secret, sleep=withdraw_at_the_third_pause) as portal:
        done = portal.follow(handed, until=portal_access.is_decided, on_change=lambda s: states.append(s.state))
    assert (done.state, states, len(pauses)) == ("withdrawn", ["queued", "withdrawn"], 3)
    assert pauses == [1.0, 1.5, 2.25]


def test_waiting_gives_a_portal_that_is_away_two_minutes(server: Served) -> None:
    pauses: list[float] = []
    unreachable = Portal("http://127.0.0.1:9", server.secret, sleep=pauses.append)
    with unreachable as portal, pytest.raises(PortalError) as gone:
        portal.follow("x", until=lambda _: True, on_change=lambda _: None)
    assert gone.value.id == "portal.unreachable"
    assert len(pauses) == 8


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(["id", "findings", "user", "organisations", "token", "state", "key_id", "email", "results"])


@given(st.dictionaries(NAMES, JSON, max_size=6))
def test_an_answer_of_another_shape_is_one_clear_error(row: dict[str, object]) -> None:
    for read in (answers.account, answers.key, answers.submission):
        with pytest.raises(PortalError, match="not as documented"):
            read(row)
