"""Time rules: a run's clocks go forward, its preparation is bounded, and the runs of a set follow one another."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from typing import Final, TypeAlias

from ranking.case import Case, RunSet
from ranking.evidence import names
from ranking.evidence.model import LogLine, TelemetrySample
from ranking.findings import Finding, finding, reject
from ranking.trace import US_PER_S, Trace
from workloads.definition import Level

MAX_PREPARATION_S: Final = 30 * 60
"""Before the timed interval: compilation and warm-up need minutes; MLPerf allows 30 as well."""

CLOCK_STEP_S: Final = 1.0
"""UTC against the boot clock: what a time server corrects at once where it steps at all."""

CLOCK_DRIFT: Final = 1e-3
"""Part of a run's length that UTC may drift in addition: twice the 500 ppm that a kernel slews at most."""

US_PER_MS: Final = 1_000

PARTS_S: Final = 0.005
"""Of the parts of an interval together: two clocks that are read one after the other, four times."""

Stamped: TypeAlias = LogLine | TelemetrySample
"""What has both clocks."""


def run_interval(run_set: RunSet) -> Iterator[Finding]:
    """run_stop comes after run_start: MLPerf's checker accepts the opposite, and equal times."""
    for trace in run_set.traces:
        if trace.start_us is not None and trace.stop_us is not None and trace.stop_us <= trace.start_us:
            expected = f"run_stop after run_start at {trace.start_us} us"
            yield reject("time.run_interval", place=trace.place(), expected=expected, got=f"{trace.stop_us} us")


def clock_forward(run_set: RunSet) -> Iterator[Finding]:
    """The boot clock never runs backwards, so lines that do were not written in their order."""
    for trace in run_set.traces:
        for before, after in pairwise(trace.lines):
            if after.clock_us < before.clock_us:
                expected = f"at least {before.clock_us} us"
                yield reject("time.backwards", place=trace.place(after.number), expected=expected, got=after.clock_us)
                break


def telemetry_forward(run_set: RunSet) -> Iterator[Finding]:
    """The same for telemetry, whose samples are taken by one thread."""
    for trace in run_set.traces:
        for before, after in pairwise(trace.run.telemetry):
            if after.clock_us < before.clock_us:
                place = f"runs/{trace.index}/telemetry.jsonl:{after.number}"
                expected = f"at least {before.clock_us} us"
                yield reject("time.telemetry_backwards", place=place, expected=expected, got=after.clock_us)
                break


def evaluation_times(run_set: RunSet) -> Iterator[Finding]:
    """An evaluation takes time: one whose value stands at its start's clock was not computed."""
    for trace in run_set.traces:
        for evaluation in trace.evaluations:
            if evaluation.start_us is not None and evaluation.clock_us <= evaluation.start_us:
                place = trace.place(evaluation.line)
                expected = f"after eval_start at {evaluation.start_us} us"
                yield reject("time.evaluation", place=place, expected=expected, got=f"{evaluation.clock_us} us")


def preparation(run_set: RunSet) -> Iterator[Finding]:
    """Preparation is bounded: what is done there is not timed. It counts from the log's first line."""
    for trace in run_set.traces:
        if trace.start_us is None:
            continue
        seconds = (trace.start_us - trace.lines[0].clock_us) / US_PER_S
        if seconds > MAX_PREPARATION_S:
            expected = f"at most {MAX_PREPARATION_S} s before run_start"
            yield reject("time.preparation", place=trace.place(), expected=expected, got=f"{seconds:.0f} s")


def runs_apart(run_set: RunSet) -> Iterator[Finding]:
    """Runs follow one another: two at a time share a machine, or are one run told twice."""
    for before, after in pairwise(trace for trace in run_set.traces if trace.lines):
        gap_s = _gap_s(before, after)
        if gap_s < 0:
            place = after.place(after.lines[0].number)
            expected = f"to begin after the end of run {before.index}"
            yield reject("time.runs_overlap", place=place, expected=expected, got=f"{-gap_s:.3f} s before it")


def _gap_s(before: Trace, after: Trace) -> float:
    """Seconds between the end of one log and the beginning of the next: by boot clock within a boot, else by UTC."""
    last, first = before.lines[-1], after.lines[0]
    if before.boot == after.boot:
        return (first.clock_us - last.clock_us) / US_PER_S
    return (first.time_ms - last.time_ms) * US_PER_MS / US_PER_S


def restarts(case: Case) -> Iterator[Finding]:
    """Runs that were begun anew are told: a machine that fails is no fault, a slow run thrown away would be one."""
    for restart in case.claim.restarts:
        got = f"run {restart.run} begun anew ({restart.reason}), {restart.lost_s} s lost"
        yield finding("time.restarted", case.doubt, place=names.STATEMENT, expected="no restart", got=got)


def created_before(case: Case) -> Iterator[Finding]:
    """A statement is begun before its first run; a later date makes the machine's date doubtful."""
    created_ms = datetime.fromisoformat(case.claim.created).timestamp() * 1_000
    begun_ms = min((trace.lines[0].time_ms for trace in case.traces if trace.lines), default=created_ms)
    late_s = (created_ms - begun_ms) / 1_000
    if late_s > CLOCK_STEP_S:
        expected, got = "created before the first run", f"{late_s:.0f} s after its begin"
        yield finding("time.created", case.doubt, place=names.STATEMENT, expected=expected, got=got)


def parts(case: Case) -> Iterator[Finding]:
    """What an interval was spent on lies within it by the log's clock too; in released code it lies side by side."""
    together = Level(case.claim.level) is Level.HARDWARE
    for trace in case.traces:
        for interval in trace.intervals:
            seconds = sum(interval.parts_s) if together else max(interval.parts_s, default=0.0)
            if interval.length_s is not None and seconds > interval.length_s * (1 + CLOCK_DRIFT) + PARTS_S:
                expected, got = f"at most {interval.length_s:.4g} s in all", f"{seconds:.4g} s"
                yield reject("time.parts", place=trace.place(interval.line), expected=expected, got=got)


def clock_steps(case: Case) -> Iterator[Finding]:
    """UTC and the boot clock tell the same length of a run; a step between them makes other clocks doubtful."""
    for trace in case.traces:
        stamped: list[Stamped] = [*trace.lines[:1], *trace.run.telemetry]
        steps = [*map(_step_s, trace.lines, trace.lines[1:]), *map(_step_s, stamped, stamped[1:])]
        worst = max(steps, key=abs, default=0.0)
        drift = _step_s(trace.lines[0], trace.lines[-1]) if trace.lines else 0.0
        step = max(worst, drift, key=abs)
        allowed = CLOCK_STEP_S + CLOCK_DRIFT * (trace.seconds or 0.0)
        if abs(step) > allowed:
            expected = f"UTC within {allowed:.1f} s of the boot clock"
            yield finding("time.clock_step", case.doubt, place=trace.place(), expected=expected, got=f"{step:+.1f} s")


def _step_s(before: Stamped, after: Stamped) -> float:
    utc_us = (after.time_ms - before.time_ms) * US_PER_MS
    return (utc_us - (after.clock_us - before.clock_us)) / US_PER_S
