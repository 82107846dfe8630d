"""Warm-up before the timed interval: everything that is slow the first time happens once, on made-up data."""

from __future__ import annotations

from workloads.engine.problem import Batch
from workloads.engine.schedule import intervals, step_bounds
from workloads.engine.session import Session

STEPS_A_SIZE = 2
"""Training steps for each batch size that will occur: the first compiles, the second runs what was compiled."""


def warm_up(session: Session) -> None:
    """Run steps and an evaluation batch, then put weights, optimizer, statistics and generators back bit by bit."""
    before = session.state.copy()
    for size in sorted(batch_sizes(session)):
        for _ in range(STEPS_A_SIZE):
            session.step(_made_up(session, size), rate=0.0)
    session.score(_made_up(session, session.problem.evaluation_batch_size))
    session.state.restore(before)
    session.synchronise()


def batch_sizes(session: Session) -> set[int]:
    """The sizes of all steps of the run: at most a few, since steps of an interval differ by one sample at most."""
    batch = session.task.configuration.global_batch_size
    lengths = {interval.samples for interval in intervals(session.task)}
    return {stop - start for length in lengths for start, stop in step_bounds(length, batch)}


def _made_up(session: Session, size: int) -> Batch:
    return session.problem.made_up_batch(session.task, size, session.device)
