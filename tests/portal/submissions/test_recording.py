"""What becomes of a report: state by verdict, the portal's own findings, one report an attempt."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from portal.accounts.services import signing_key_revoke
from portal.submissions.models import Submission, System, VerificationReport
from portal.submissions.recording import submission_record_report, verdict_of
from portal.submissions.selectors import newest_report, report_findings
from portal.submissions.services import submission_claim, submission_record_failure
from portal.submissions.states import State
from ranking.evidence import canonical
from ranking.findings import Finding, Verdict
from tests.bundles import OTHER_KEY
from tests.portal.api.world import World
from tests.portal.reports import claims, report
from tests.portal.scenes import record, register

Maker = Callable[[str], Submission]
VERDICTS = [("accept", State.VERIFIED), ("hold", State.HELD), ("reject", State.REJECTED)]


@pytest.fixture(autouse=True)
def registered(world: World) -> None:
    """The laboratory has registered the tests' key."""
    register(world.laboratory, world.alice)


@pytest.mark.sqlite
@pytest.mark.parametrize(("verdict", "state"), VERDICTS)
def test_the_verdict_decides_the_state(make_submission: Maker, verdict: str, state: State) -> None:
    """Accepted, held, rejected."""
    submission = record(make_submission("a"), report(verdict=verdict))
    assert submission.state == state
    assert (submission.workload, submission.scale, submission.level) == ("image_classification", "smoke", "hardware")


@pytest.mark.sqlite
def test_the_report_is_stored_with_rule_set_verifier_and_hash(make_submission: Maker) -> None:
    """And its text is the very one that was hashed."""
    document = report(flops=1.7e18)
    stored = newest_report(record(make_submission("a"), document))
    assert stored is not None
    stored.refresh_from_db()
    assert (stored.rule_set, stored.verifier, stored.bundle_id) == ("1", "0.1.0", document["bundle"])
    assert stored.sha256 == hashlib.sha256(canonical.dumps(stored.document)).hexdigest()
    assert stored.document["score"]["valid_flops"] == 1.7e18


def test_a_report_of_an_attempt_that_was_taken_over_is_dropped(make_submission: Maker) -> None:
    """The guard is the attempt's number."""
    submission = make_submission("a")
    submission_claim(public_id=submission.public_id)
    submission_record_failure(submission=submission, attempt=1, error_id="verification.interrupted", error="")
    submission_claim(public_id=submission.public_id)
    assert submission_record_report(submission=submission, attempt=1, document=report()) is None
    assert not VerificationReport.objects.exists()


def _other_organisation(world: World) -> dict[str, Any]:
    register(world.elsewhere, world.charlie, OTHER_KEY)
    from ranking.evidence.statement import key_id, public_bytes

    return claims(key_id=key_id(public_bytes(OTHER_KEY)))


def _revoked(world: World) -> dict[str, Any]:
    key = world.laboratory.signing_keys.get()
    signing_key_revoke(key=key, user=world.alice, reason="laptop stolen")
    key.revoked_at = timezone.now().replace(year=2020)
    key.save(update_fields=["revoked_at"])
    return claims()


KEY_FAULTS: list[tuple[str, Callable[[World], dict[str, Any]]]] = [
    ("key.unknown", lambda _world: claims(key_id="0" * 64)),
    ("key.other_organisation", _other_organisation),
    ("key.other_organisation", lambda _world: claims(organisation="elsewhere")),
    ("key.revoked", _revoked),
]


@pytest.mark.parametrize(("finding", "prepare"), KEY_FAULTS)
def test_a_key_that_does_not_speak_for_the_organisation_is_refused(
    world: World, make_submission: Maker, finding: str, prepare: Callable[[World], dict[str, Any]]
) -> None:
    """By its own finding, though the verifier accepted the bundle."""
    submission = record(make_submission("a"), report(submission=prepare(world)))
    stored = newest_report(submission)
    assert stored is not None
    assert submission.state == State.REJECTED
    assert [found["id"] for found in report_findings(stored)] == [finding]
    assert all(found["sentence"] and found["action"] for found in stored.admission)


def test_a_key_revoked_after_the_bundle_came_still_counts(world: World, make_submission: Maker) -> None:
    """What was received before the revocation stands."""
    submission = make_submission("a")
    signing_key_revoke(key=world.laboratory.signing_keys.get(), user=world.alice, reason="rotation")
    assert record(submission, report()).state == State.VERIFIED


def test_a_bundle_without_a_readable_statement_is_rejected_without_asking_for_its_key(make_submission: Maker) -> None:
    """There is no key to ask for; the verifier's own findings say what is wrong."""
    document = report(verdict="reject", submission=None, score=None, bundle="")
    submission = record(make_submission("a"), document)
    assert (submission.state, submission.bundle_id, submission.system) == (State.REJECTED, "", None)


def test_a_system_is_one_row_however_often_it_is_used(make_submission: Maker) -> None:
    """Found by its slug within the organisation."""
    first = record(make_submission("a"), report("a"))
    second = record(make_submission("b"), report("b", submission=claims(system_name=" test  SYSTEM ")))
    assert first.system == second.system
    assert System.objects.count() == 1


def _finding(verdict: Verdict) -> Finding:
    return Finding(id="key.unknown", verdict=verdict, place="", expected="", got="")


@pytest.mark.parametrize("decision", ["accept", "hold", "reject"])
@pytest.mark.parametrize("own", [None, *Verdict])
def test_the_stricter_verdict_counts(decision: str, own: Verdict | None) -> None:
    """Of the verifier's and the portal's own."""
    order = ["accept", "hold", "reject"]
    mine = {None: "accept", Verdict.NOTE: "accept", Verdict.HOLD: "hold", Verdict.REJECT: "reject"}[own]
    expected = max(decision, mine, key=order.index)
    assert verdict_of(decision, [_finding(own)] if own else []) == expected


@pytest.mark.parametrize("names", [("服务器甲", "服务器乙"), ("node (1)", "node 1"), ("C", "C++", "c#")])
def test_systems_of_different_names_stay_apart(make_submission: Maker, names: tuple[str, ...]) -> None:
    """Also where their slugs would be the same, as for every name without a Latin letter."""
    systems = [
        record(make_submission(name), report(name, submission=claims(system_name=name))).system for name in names
    ]
    assert [system.name for system in systems if system] == list(names)
    assert len({system.slug for system in systems if system}) == len(names)


@pytest.mark.parametrize("change", [{"workload": "w" * 64, "version": "9" * 6}, {"system_name": "s" * 200}])
def test_the_longest_names_that_a_statement_may_hold_are_recorded(
    make_submission: Maker, change: dict[str, str]
) -> None:
    assert record(make_submission("a"), report(verdict="reject", submission=claims(**change))).state == "rejected"
