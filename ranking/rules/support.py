"""Support rules: a final quality is one that its loss, and the reference runs of this recipe, support."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from typing import Final

from ranking.case import Case
from ranking.findings import Finding, hold, reject
from ranking.reference import Moments
from ranking.rules.quality import COUNTED_METRICS, Z_RUN, keeps_recipe
from ranking.trace import Evaluation, Trace
from workloads.definition import Direction

Z_SET: Final = 7.0
"""Standard errors of a set's mean, alike: one honest set in five million."""

Z_OTHER_BATCH: Final = 16.0
"""Standard deviations of a run at another batch than the reference runs': its steps are more or fewer, not better."""


def loss_in_range(case: Case) -> Iterator[Finding]:
    """A cross-entropy is never negative."""
    if not _is_counted(case):
        return
    for trace in case.traces:
        evaluated, trained = (e.loss for e in trace.evaluations), (i.loss for i in trace.intervals)
        losses = (*evaluated, *trained, *(p.loss for p in trace.progress))
        least = min((loss for loss in losses if loss is not None), default=0.0)
        if least < 0:
            yield reject("quality.negative_loss", place=trace.place(), expected="losses of 0 or more", got=least)


def supported_by_loss(case: Case) -> Iterator[Finding]:
    """Final errors and final loss keep the proportion that they have in reference runs, whatever the batch.

    A quality that is raised without its loss shows here. One run is judged alone, and the runs together.
    """
    reference = None if case.reference is None else case.reference.errors_per_loss
    if reference is None or not _is_counted(case) or not keeps_recipe(case):
        return
    ratios: list[float] = []
    for trace in _useful(case):
        evaluation = trace.evaluations[-1]
        ratio = _errors_per_loss(evaluation)
        if ratio is None:
            continue
        ratios.append(ratio)
        if (reference.mean - ratio) / reference.std > Z_RUN:
            yield _unsupported(trace.place(evaluation.line), reference, ratio)
    if ratios and _error_of_mean(reference, len(ratios)) * Z_SET < reference.mean - statistics.fmean(ratios):
        yield _unsupported("", reference, statistics.fmean(ratios))


def _unsupported(place: str, reference: Moments, ratio: float) -> Finding:
    expected = f"about {reference.mean:.3f} errors for a loss of 1, as {reference.runs} reference runs have"
    return reject("quality.beyond_loss", place=place, expected=expected, got=f"{ratio:.3f}")


def _errors_per_loss(evaluation: Evaluation) -> float | None:
    """Part of wrong samples over loss; 0 where there is neither, None where one of them is unknown."""
    if evaluation.quality is None or evaluation.loss is None:
        return None
    return (1 - evaluation.quality) / evaluation.loss if evaluation.loss > 0 else 0.0


def within_reference(case: Case) -> Iterator[Finding]:
    """A final quality that this recipe practically never reaches is looked at by a person, at every scale."""
    reference = None if case.reference is None else case.reference.quality
    if reference is None or not reference.std or not keeps_recipe(case):
        return
    sign = 1 if case.workload.metric.direction is Direction.HIGHER else -1
    at_batch = case.claim.configuration.global_batch_size == case.reference.global_batch_size  # type: ignore[union-attr]
    most = Z_RUN if at_batch else Z_OTHER_BATCH
    qualities = [(trace, trace.quality) for trace in _useful(case) if trace.quality is not None]
    for trace, quality in qualities:
        z = sign * (quality - reference.mean) / reference.std
        if z > most:
            yield _beyond(trace.place(), reference.mean, quality, z)
    if at_batch and qualities:
        mean = statistics.fmean(quality for _, quality in qualities)
        z = sign * (mean - reference.mean) / _error_of_mean(reference, len(qualities))
        if z > Z_SET:
            yield _beyond("", reference.mean, mean, z)


def _beyond(place: str, expected: float, got: float, z: float) -> Finding:
    wanted = f"near {expected:.4f}, as reference runs"
    return hold("quality.beyond_reference", place=place, expected=wanted, got=f"{got:.4f}, {z:.1f} deviations better")


def _error_of_mean(reference: Moments, count: int) -> float:
    return reference.std * math.sqrt(1 / count + 1 / reference.runs)


def _useful(case: Case) -> Sequence[Trace]:
    pairs = zip(case.runs, case.traces, strict=True)
    return [trace for run, trace in pairs if not run.useless and trace.evaluations]


def _is_counted(case: Case) -> bool:
    return case.workload.metric.name in COUNTED_METRICS
