"""Stored ranks: those of the one ranking function, per board, anew with every publication and mark."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from portal.accounts.models import User
from portal.audit.services import result_mark
from portal.errors import PortalError
from portal.results.models import Board, MarkKind, Result, Standing
from portal.results.services import board_rank, result_publish, result_withdraw
from portal.submissions.models import Submission
from portal.trail.selectors import events_of
from tests.portal.api.world import World, build, stored_submission
from tests.portal.reports import claims, report, score
from tests.portal.scenes import publish, record, register

Publisher = Callable[..., Result]


@pytest.fixture
def published(world: World, make_submission: Callable[[str], Submission]) -> Publisher:
    """Publishes a run set of a name and a score."""
    register(world.laboratory, world.alice)

    def make(name: str, flops: float, **changes: Any) -> Result:
        return publish(record(make_submission(name), report(name, flops=flops, **changes)), world.alice)

    return make


def ranks() -> dict[str, int | None]:
    """Stored ranks by score."""
    return {f"{result.valid_flops:g}": result.rank for result in Result.objects.order_by("-valid_flops")}


@pytest.mark.sqlite
def test_ranks_are_by_score_ties_share_and_10_comes_before_9(published: Publisher) -> None:
    """1, 1, 3, and numbers as numbers."""
    for name, flops in (("a", 9e9), ("b", 10e9), ("c", 10e9), ("d", 1e9)):
        published(name, flops)
    tied = list(Result.objects.filter(valid_flops=10e9).values_list("rank", "tied"))
    assert ranks() == {"1e+10": 1, "9e+09": 3, "1e+09": 4}
    assert tied == [(1, True), (1, True)]


def test_results_whose_runs_overlap_are_not_separated(published: Publisher) -> None:
    """Their order is within the noise."""
    published("a", 1.00e9)
    close = published("b", 0.995e9)
    far = published("c", 0.5e9)
    close.refresh_from_db()
    assert (close.separated, far.separated) == (False, True)


def test_boards_do_not_mix(published: Publisher) -> None:
    """Each workload, scale and level ranks alone."""
    one = published("a", 1e9)
    other = published("b", 2e9, submission=claims(level="system"))
    assert (one.rank, other.rank) == (1, 1)
    assert Board.objects.count() == 2


@pytest.mark.sqlite
def test_a_withdrawn_result_leaves_the_ranking_and_keeps_its_row(published: Publisher, world: World) -> None:
    """The next one moves up; the reason stands."""
    first, second = published("a", 2e9), published("b", 1e9)
    mark = result_withdraw(result=first, user=world.alice, reason="wrong cooling declared")
    second.refresh_from_db()
    assert (first.rank, first.standing, second.rank) == (None, Standing.WITHDRAWN, 1)
    assert (mark.reason, mark.by_auditor) == ("wrong cooling declared", False)
    assert events_of(first.public_id).filter(kind="result:mark").exists()


def test_only_its_organisation_withdraws_a_result(result: Result, world: World) -> None:
    """And says why."""
    for person in (world.bob, world.charlie):
        with pytest.raises(PortalError, match=r"permission\.denied"):
            result_withdraw(result=result, user=person, reason="x")
    with pytest.raises(PortalError, match=r"reason\.missing"):
        result_withdraw(result=result, user=world.alice, reason="")


def test_an_auditors_note_leaves_the_rank(result: Result, auditor: User, world: World) -> None:
    """It only says something; and only auditors do."""
    result_mark(result=result, kind=MarkKind.NOTED, reason="clock looked odd", auditor=auditor)
    assert (result.rank, result.marks.get().by_auditor) == (1, True)
    with pytest.raises(PortalError, match=r"permission\.denied"):
        result_mark(result=result, kind=MarkKind.NOTED, reason="x", auditor=world.alice)


def test_a_withdrawal_does_not_undo_a_disqualification(result: Result, auditor: User, world: World) -> None:
    """Both marks stand."""
    result_mark(result=result, kind=MarkKind.DISQUALIFIED, reason="two machines", auditor=auditor)
    result_withdraw(result=result, user=world.alice, reason="never mind")
    assert (result.standing, result.rank, result.marks.count()) == (Standing.DISQUALIFIED, None, 2)


def test_ranking_a_board_costs_the_same_number_of_queries_however_long_it_is(published: Publisher) -> None:
    """One to read, one to write, two to close."""
    for index in range(3):
        published(f"short {index}", 1e9 + index)
    board = Board.objects.get()
    with CaptureQueriesContext(connection) as few:
        _disturb(board)
    for index in range(6):
        published(f"long {index}", 2e9 + index)
    with CaptureQueriesContext(connection) as many:
        _disturb(board)
    assert len(few) == len(many)


def _disturb(board: Board) -> None:
    Result.objects.filter(board=board).update(rank=99)
    board_rank(board=board)


@pytest.mark.sqlite
def test_publications_at_the_same_time_give_every_rank_once(committed_db: None, folders: object) -> None:
    """The board's row is the lock; with real commits."""
    world = build()
    register(world.laboratory, world.alice)
    submissions = [
        record(stored_submission(world, bytes([number])), report(str(number), score=score(1e9 * number)))
        for number in range(1, 5)
    ]

    def work(submission: Submission) -> None:
        try:
            result_publish(submission=submission, figures={})
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=(submission,)) for submission in submissions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(Result.objects.values_list("rank", flat=True)) == {1, 2, 3, 4}
    assert Board.objects.get().listed == 4
