"""Count rules: as many runs, samples, steps and evaluations as the definition asks for, and each run its own."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from ranking.case import Case, RunSet
from ranking.evidence import keys
from ranking.findings import Finding, reject
from ranking.trace import Trace, integer
from workloads.definition import Level

PLACE: Final = "statement.dsse.json"

EPOCH_TOLERANCE: Final = 1e-6
"""Of an epoch number, in epochs: rounding of a quotient, less than a sample of any dataset here."""


SAME_LOSS: Final = 0.005
"""Of two losses that are the same: the largest difference in the course of two honest runs was never below 0.1."""

FEWEST_LOSSES: Final = 4
"""Losses that two courses need to be compared: an aborted run's first ones may lie near another's by chance."""


def runs(case: Case) -> Iterator[Finding]:
    """A set has exactly the definition's runs: fewer hide variation, more allow choosing."""
    count = len(case.claim.runs)
    if count != case.workload.runs:
        yield reject("counts.runs", place=PLACE, expected=f"{case.workload.runs} runs", got=count)


def distinct_seeds(run_set: RunSet) -> Iterator[Finding]:
    """Every run has a seed of its own; one seed twice is one run told twice."""
    first: dict[int, int] = {}
    for run in run_set.claim.runs:
        if run.seed in first:
            expected = f"a seed other than run {first[run.seed]}'s"
            yield reject("counts.equal_seeds", place=f"{PLACE}: runs {run.index}", expected=expected, got=run.seed)
        first.setdefault(run.seed, run.index)


def seed_in_log(run_set: RunSet) -> Iterator[Finding]:
    """The seed that a log names is the one that its statement names."""
    for trace in run_set.traces:
        line = trace.first(keys.SEED)
        if line is not None and line.value != trace.run.seed:
            place = trace.place(line.number)
            yield reject("counts.seed_differs", place=place, expected=trace.run.seed, got=line.value)


def distinct_logs(run_set: RunSet) -> Iterator[Finding]:
    """No two runs tell the same course: MLPerf's checker takes five copies of a log with other seeds.

    Compared are whole logs, and the losses of all evaluations and intervals: those of two seeds differ by a tenth.
    """
    seen: list[Trace] = []
    for trace in run_set.traces:
        copied = next((other for other in seen if _is_same_course(other, trace)), None)
        if copied is not None:
            expected = f"another course than run {copied.index}'s"
            yield reject("counts.equal_logs", place=trace.place(), expected=expected, got="the same")
        seen.append(trace)


def _is_same_course(first: Trace, second: Trace) -> bool:
    if first.run.log_sha256 is not None and first.run.log_sha256 == second.run.log_sha256:
        return True
    pairs = list(zip(_losses(first), _losses(second), strict=False))
    return len(pairs) >= FEWEST_LOSSES and all(a is not None and b is not None and _is_near(a, b) for a, b in pairs)


def _losses(trace: Trace) -> Iterator[float | None]:
    for evaluation, interval in zip(trace.evaluations, trace.intervals, strict=False):
        yield from (evaluation.loss, interval.loss)


def _is_near(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=SAME_LOSS)


def evaluation_schedule(case: Case) -> Iterator[Finding]:
    """Evaluations stand where the definition puts them, none missing or extra: choosing their time chooses quality.

    An aborted run is held to the evaluations that it reached.
    """
    points = case.workload.evaluation_points
    for trace in case.traces:
        got = tuple(e.samples for e in trace.evaluations)
        expected = points[: len(got)] if trace.status != keys.SUCCESS else points
        if got != expected:
            place = next((i for i, pair in enumerate(zip(got, expected, strict=False)) if pair[0] != pair[1]), None)
            yield _schedule_finding(trace, got, expected, min(len(got), len(expected)) if place is None else place)


def _schedule_finding(trace: Trace, got: Sequence[int | None], expected: Sequence[int], place: int) -> Finding:
    def at(points: Sequence[int | None]) -> str:
        return f"evaluation {place + 1} at {points[place]} samples" if place < len(points) else "none"

    line = trace.evaluations[place].line if place < len(got) else None
    wanted = f"{at(expected)}, {len(expected)} in all"
    return reject("counts.evaluation_schedule", place=trace.place(line), expected=wanted, got=f"{at(got)}, {len(got)}")


def whole_evaluations(case: Case) -> Iterator[Finding]:
    """Each evaluation covers the whole evaluation set: a part of it can be an easy part."""
    expected = case.workload.dataset.eval_samples
    for trace in case.traces:
        for evaluation in trace.evaluations:
            if evaluation.eval_samples not in (expected, None):
                place = trace.place(evaluation.line)
                yield reject("counts.eval_samples", place=place, expected=expected, got=evaluation.eval_samples)


def dataset_sizes(case: Case) -> Iterator[Finding]:
    """The dataset's sizes in the log are the definition's."""
    dataset = case.workload.dataset
    for trace in case.traces:
        for key, expected in ((keys.TRAIN_SAMPLES, dataset.train_samples), (keys.EVAL_SAMPLES, dataset.eval_samples)):
            line = trace.first(key)
            if line is not None and integer(line.value) != expected:
                place = trace.place(line.number)
                yield reject("counts.dataset", place=place, expected=f"{key} {expected}", got=line.value)


def global_batch_size(case: Case) -> Iterator[Finding]:
    """The batch that the log names is the one that the statement's configuration names."""
    expected = case.claim.configuration.global_batch_size
    for trace in case.traces:
        line = trace.first(keys.GLOBAL_BATCH_SIZE)
        if line is not None and integer(line.value) != expected:
            yield reject("counts.global_batch_size", place=trace.place(line.number), expected=expected, got=line.value)


def total_samples(case: Case) -> Iterator[Finding]:
    """A run trains its whole epoch budget, no sample less and none more."""
    expected = case.workload.total_samples
    for trace in case.traces:
        done = max((trace.samples, *(p.samples for p in trace.progress), *_interval_samples(trace)))
        short = trace.status == keys.SUCCESS and done < expected
        if short or done > expected:
            yield reject("counts.total_samples", place=trace.place(), expected=f"{expected} samples", got=done)


def _interval_samples(trace: Trace) -> Iterator[int]:
    return (interval.samples for interval in trace.intervals if interval.samples is not None)


def interval_samples(case: Case) -> Iterator[Finding]:
    """An interval ends with the samples that its evaluation was made at, and its progress only counts up to there."""
    for trace in case.traces:
        for interval, evaluation in zip(trace.intervals, trace.evaluations, strict=False):
            if None not in (interval.samples, evaluation.samples) and interval.samples != evaluation.samples:
                place = trace.place(interval.line)
                yield reject("counts.interval", place=place, expected=evaluation.samples, got=interval.samples)
        for before, after in pairwise(trace.progress):
            if after.samples < before.samples:
                expected = f"at least {before.samples} samples"
                yield reject("counts.progress", place=trace.place(), expected=expected, got=after.samples)
                break


def steps(case: Case) -> Iterator[Finding]:
    """At level hardware progress stands at the ends of steps of the released code: global batch size x steps.

    An interval of S samples has ceil(S / global batch size) steps of nearly equal size.
    """
    if Level(case.claim.level) is not Level.HARDWARE:
        return
    batch, points = case.claim.configuration.global_batch_size, (0, *case.workload.evaluation_points)
    for trace in case.traces:
        wrong = next((p.samples for p in trace.progress if not _ends_a_step(p.samples, points, batch)), None)
        if wrong is not None:
            expected = f"the end of a step of at most {batch} samples"
            yield reject("counts.steps", place=trace.place(), expected=expected, got=f"{wrong} samples")


def _ends_a_step(samples: int, points: Sequence[int], batch: int) -> bool:
    interval = next((pair for pair in pairwise(points) if pair[0] < samples <= pair[1]), None)
    if interval is None:
        return False
    first, length = interval[0], interval[1] - interval[0]
    count = math.ceil(length / batch)
    nearest = -(-(samples - first) * count // length)  # the one step that can end there
    return nearest * length // count == samples - first


def epoch_numbers(case: Case) -> Iterator[Finding]:
    """An evaluation's epoch is its samples over the dataset's: MLPerf's tools read the epoch, the score the samples."""
    for trace in case.traces:
        for evaluation in trace.evaluations:
            if evaluation.samples is None or evaluation.epoch is None:
                continue
            expected = evaluation.samples / case.workload.dataset.train_samples
            if abs(evaluation.epoch - expected) > EPOCH_TOLERANCE:
                place = trace.place(evaluation.line)
                yield reject("counts.epoch", place=place, expected=f"{expected:.6g}", got=evaluation.epoch)
