"""Quality rules: a quality is one that an evaluation of this many samples can have, and enough runs reach it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from ranking.case import Case
from ranking.evidence import keys
from ranking.findings import Finding, finding, note, reject
from ranking.scoring import FLOOR, MAX_USELESS_RUNS, is_below_floor
from workloads.definition import Level

BOUNDED_METRICS: Final = frozenset({"top1", "ap50", "map", "mAP"})
"""Metrics that lie from 0 to 1."""

COUNTED_METRICS: Final = frozenset({"top1"})
"""Metrics that are a count of evaluated samples over their number."""

COUNT_TOLERANCE: Final = 1e-3
"""Of a count of samples: what single precision leaves of a quotient times 50,000."""

SETTLED: Final = 0.6
"""Part of the budget after which a calibrated curve is near its end: targets are not met before it."""

NEAR_END: Final = 0.8
"""Part of the budget after which runs that fell behind have caught up, and the reference runs say what is usual."""

MAX_LATE_CHANGE: Final = 0.3
"""Of the target, between two evaluations after SETTLED, where reference runs say no more."""

Z_RUN: Final = 8.0
"""Standard deviations of one run: with 24 reference runs one honest run in twenty million lies beyond."""


def in_range(case: Case) -> Iterator[Finding]:
    """A quality lies in its metric's range."""
    if case.workload.metric.name not in BOUNDED_METRICS:
        return
    for trace in case.traces:
        for evaluation in trace.evaluations:
            if evaluation.quality is not None and not 0 <= evaluation.quality <= 1:
                place = trace.place(evaluation.line)
                yield reject("quality.out_of_range", place=place, expected="0 to 1", got=evaluation.quality)


def is_a_count(case: Case) -> Iterator[Finding]:
    """Accuracy is correct samples over samples: times the size of the evaluation set it is a whole number."""
    if case.workload.metric.name not in COUNTED_METRICS:
        return
    size = case.workload.dataset.eval_samples
    for trace in case.traces:
        for evaluation in trace.evaluations:
            if evaluation.quality is None:
                continue
            correct = evaluation.quality * size
            if abs(correct - round(correct)) > COUNT_TOLERANCE:
                expected = f"a whole number of {size} samples"
                place = trace.place(evaluation.line)
                yield reject("quality.not_a_count", place=place, expected=expected, got=f"{correct:.6g} samples")


def ends_evaluated(case: Case) -> Iterator[Finding]:
    """A run that succeeded has a last evaluation to score."""
    for trace in case.traces:
        if trace.status == keys.SUCCESS and trace.quality is None:
            yield reject("quality.missing", place=trace.place(), expected="a quality at the end", got="none")


def useless_runs(case: Case) -> Iterator[Finding]:
    """A run that aborted or stayed below 0.9 of the target ranks as worst; it is shown, and one is allowed."""
    for run, trace in zip(case.runs, case.traces, strict=True):
        if trace.status != keys.SUCCESS:
            got = trace.status or "no end"
            yield note("quality.aborted", place=trace.place(), expected="status success", got=got)
        elif run.quality is not None and is_below_floor(run.quality, case.workload):
            expected = f"at least {FLOOR} of the target {case.workload.target_quality}"
            yield note("quality.below_floor", place=trace.place(), expected=expected, got=f"{run.quality:.6g}")


def enough_useful_runs(case: Case) -> Iterator[Finding]:
    """A second run without use rejects the set: the middle three would hold it."""
    useless = [str(run.index) for run in case.runs if run.useless]
    if len(useless) > MAX_USELESS_RUNS:
        expected = f"at most {MAX_USELESS_RUNS} run aborted or below {FLOOR} of the target"
        yield reject("quality.too_many_useless", expected=expected, got=f"runs {', '.join(useless)}")


def scored(case: Case) -> Iterator[Finding]:
    """Whatever the reason, a set that has no score is not accepted."""
    if case.score is None:
        yield reject("quality.no_score", expected="a finite score of the middle runs", got="none")


def late_changes(case: Case) -> Iterator[Finding]:
    """Late in a schedule that anneals its learning rate quality moves little; a jump there was not trained.

    How little near the end, the reference runs say, interval by interval; before it, the wider of theirs and
    MAX_LATE_CHANGE.
    """
    for trace in case.traces:
        for place, (before, after) in enumerate(pairwise(trace.evaluations)):
            if before.samples is None or before.samples < SETTLED * case.workload.total_samples:
                continue
            least, most = _usual_change(case, place)
            if before.quality is None or after.quality is None or least <= after.quality - before.quality <= most:
                continue
            expected = f"a change from {least:+.3g} to {most:+.3g} this late"
            got = f"{after.quality - before.quality:+.3g}"
            yield finding("quality.jump", case.doubt, place=trace.place(after.line), expected=expected, got=got)


def _usual_change(case: Case, place: int) -> tuple[float, float]:
    """Least and most change of quality from evaluation ``place``, which counts from 0, to the next."""
    usual = case.reference.changes if case.reference is not None and keeps_recipe(case) else ()
    moments = usual[place] if place < len(usual) else None
    most = MAX_LATE_CHANGE * case.workload.target_quality
    if moments is None:
        return -most, most
    told = moments.mean - Z_RUN * moments.std, moments.mean + Z_RUN * moments.std
    if case.workload.evaluation_points[place] >= NEAR_END * case.workload.total_samples:
        return told
    return min(-most, told[0]), max(most, told[1])


def keeps_recipe(case: Case) -> bool:
    """Whether hyper-parameters are the definition's, so that runs go as reference runs do."""
    return Level(case.claim.level) is not Level.FREE


def evaluation_loss(case: Case) -> Iterator[Finding]:
    """Accuracy and cross-entropy belong together: a sample classed wrongly costs at least ln 2.

    Its true class is not the likeliest, so it has at most half the probability. Holds with label smoothing too.
    """
    if case.workload.metric.name not in COUNTED_METRICS:
        return
    for trace in case.traces:
        for evaluation in trace.evaluations:
            if evaluation.quality is None or evaluation.loss is None:
                continue
            least = (1 - evaluation.quality) * math.log(2)
            if evaluation.loss < least * (1 - COUNT_TOLERANCE) - COUNT_TOLERANCE:
                place = trace.place(evaluation.line)
                expected = f"a loss of at least {least:.4g} at quality {evaluation.quality:.4g}"
                yield reject("quality.loss_differs", place=place, expected=expected, got=f"{evaluation.loss:.4g}")
