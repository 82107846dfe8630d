"""Publication: record, figures, columns and rank in one transaction, once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import pytest

from portal.errors import PortalError
from portal.results import tasks
from portal.results.models import Figure, Result, ResultVersion
from portal.results.services import PUBLISH_ATTEMPTS, publication_claim, result_publish, result_withdraw
from portal.submissions.models import Submission
from portal.submissions.services import submission_publish
from portal.submissions.states import State
from portal.trail.fields import parse_json
from portal.trail.selectors import events_of
from ranking.evidence import canonical
from tests.portal.api.world import World
from tests.portal.reports import report, score
from tests.portal.scenes import publish, record, register

Maker = Callable[[str], Submission]


@pytest.fixture(autouse=True)
def registered(world: World) -> None:
    """The laboratory has registered the tests' key."""
    register(world.laboratory, world.alice)


@pytest.mark.sqlite
def test_a_real_bundle_becomes_a_ranked_result_with_its_figures(result: Result) -> None:
    """The whole way, with the real verifier and the real figures."""
    version = ResultVersion.objects.get(result=result)
    assert (result.rank, result.tied, result.separated, result.submission.state) == (1, False, True, "published")
    assert result.valid_flops == version.document["score"]["valid_flops"]
    assert {"quality", "throughput"} <= {figure.name for figure in Figure.objects.filter(version=version)}
    assert all(figure.svg.startswith("<svg") for figure in version.figures.all())


@pytest.mark.sqlite
@pytest.mark.parametrize("flops", [1.0, 3.5e9, 1.7e18, 1e21, 123456789.123])
def test_the_record_is_canonical_and_bears_its_hash(world: World, make_submission: Maker, flops: float) -> None:
    """What the database gives back is the very text that was hashed, for every size of a score."""
    published = publish(record(make_submission("a"), report(flops=flops)), world.alice)
    version = published.version
    text = canonical.dumps(version.document)
    assert version.sha256 == hashlib.sha256(text).hexdigest()
    assert parse_json(text) == version.document
    assert published.valid_flops == flops


def test_the_record_holds_names_as_they_were(world: World, make_submission: Maker) -> None:
    """Renaming an organisation later rewrites no history."""
    result = publish(record(make_submission("a"), report()), world.alice)
    world.laboratory.name = "Another name"
    world.laboratory.save()
    publication = result.version.document["publication"]
    assert publication["organisation"]["name"] == "Laboratory"
    assert publication["report_sha256"] == result.submission.reports.get().sha256


def test_the_organisation_comes_from_the_account_never_from_the_bundle(world: World, make_submission: Maker) -> None:
    """Whatever a log says."""
    document = report(system={"submitter": "SUBMISSION_ORG_PLACEHOLDER", "framework": "PyTorch"})
    assert publish(record(make_submission("a"), document), world.alice).organisation_name == "Laboratory"


def test_publishing_again_gives_the_same_result(world: World, verified: Submission) -> None:
    """However often a message comes."""
    first = publish(verified, world.alice)
    tasks.publish(verified.public_id)
    assert result_publish(submission=verified, figures={}) == first
    assert Result.objects.count() == 1


def test_one_run_set_gives_one_result(world: World, make_submission: Maker) -> None:
    """Packed anew it is another file, and still the same run set."""
    publish(record(make_submission("a"), report("same")), world.alice)
    second = record(make_submission("b"), report("same"))
    submission_publish(submission=second, user=world.alice)
    tasks.publish(second.public_id)
    second.refresh_from_db()
    assert (second.state, second.last_error_id) == (State.VERIFIED, "submission.already_published")
    assert not second.publish_when_verified


def test_only_what_is_verified_is_published(world: World, make_submission: Maker) -> None:
    """Nothing else has a claim on a place."""
    with pytest.raises(PortalError, match=r"submission\.not_publishable"):
        result_publish(submission=make_submission("a"), figures={})
    held = record(make_submission("b"), report(verdict="hold"))
    with pytest.raises(PortalError, match=r"submission\.not_publishable"):
        result_publish(submission=held, figures={})


def test_without_the_owners_wish_nothing_is_published(verified: Submission) -> None:
    """A message alone does not."""
    tasks.publish(verified.public_id)
    assert not Result.objects.exists()


def test_a_publication_that_keeps_failing_ends_with_its_error(world: World, verified: Submission) -> None:
    """Three times; then the page says so, and the owner may ask again."""
    submission_publish(submission=verified, user=world.alice)
    assert [publication_claim(public_id=verified.public_id) is not None for _ in range(PUBLISH_ATTEMPTS + 1)] == [
        *[True] * PUBLISH_ATTEMPTS,
        False,
    ]
    verified.refresh_from_db()
    assert (verified.publish_when_verified, verified.last_error_id) == (False, "publication.failed")
    assert publish(verified, world.alice).rank == 1


def test_publication_is_in_the_trail(result: Result) -> None:
    """Of the submission and of the result."""
    assert "submission:publish" in [event.kind for event in events_of(result.submission.public_id)]
    assert [event.kind for event in events_of(result.public_id)] == ["result:publish"]


def test_energy_and_device_become_columns(world: World, make_submission: Maker) -> None:
    """Where the report has them; empty where not."""
    energy = {"scope": "accelerators", "joules": 12.5, "watts": 3.0}
    full = publish(record(make_submission("a"), report("a", score=score(2e9, energy=energy))), world.alice)
    bare = publish(
        record(make_submission("b"), report("b", accelerator=None, framework=None, precision=None)), world.alice
    )
    assert (full.energy_joules, full.energy_scope, full.accelerator, full.accelerator_count) == (
        12.5,
        "accelerators",
        "H200",
        8,
    )
    assert (bare.energy_joules, bare.accelerator, bare.accelerator_count, bare.framework) == (None, "", 0, "")


def test_a_publication_that_succeeds_leaves_no_error_of_an_earlier_one(world: World, verified: Submission) -> None:
    """The page of a published result shows no failure."""
    submission_publish(submission=verified, user=world.alice)
    for _ in range(PUBLISH_ATTEMPTS + 1):
        publication_claim(public_id=verified.public_id)
    submission_publish(submission=verified, user=world.alice)
    verified.refresh_from_db()
    assert verified.last_error_id == ""
    Submission.objects.filter(pk=verified.pk).update(last_error_id="publication.failed")
    tasks.publish(verified.public_id)
    verified.refresh_from_db()
    assert (verified.state, verified.last_error_id) == (State.PUBLISHED, "")


def test_an_odd_system_description_cannot_stop_a_publication(world: World, make_submission: Maker) -> None:
    """A million nodes of a million devices each, NUL characters in names, names of any length."""
    device = {"name": "a\0b\u202e" + "c" * 300, "canonical": None, "count": 10**12, "vendor": None, "peak_flops": None}
    document = report("a", accelerator=device, framework="PyTorch\0" + "9" * 300)
    result = publish(record(make_submission("a"), document), world.alice)
    assert result.accelerator.startswith("abccc")
    assert (result.accelerator_count, result.framework[:8]) == (10**12, "PyTorch9")


def test_a_result_is_withdrawn_once(world: World, result: Result) -> None:
    """A form that is sent twice says it once."""
    first = result_withdraw(result=result, user=world.alice, reason="wrong machine")
    assert result_withdraw(result=result, user=world.alice, reason="wrong machine") == first
    assert result.marks.count() == 1
