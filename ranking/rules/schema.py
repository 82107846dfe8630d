"""Schema rules: each log holds the keys that format 1 asks for, in their order, and belongs to its statement."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Final

from ranking.case import RunSet
from ranking.devices import count_of
from ranking.evidence import keys
from ranking.evidence.fields import TEXT_LIMIT
from ranking.evidence.model import LogLine
from ranking.evidence.predicate import FORMAT
from ranking.findings import Finding, note, reject
from ranking.trace import Trace, namespace_of, number, text
from workloads.definition import UnknownWorkload, find

ONCE: Final = (
    keys.BEGIN,
    keys.SUBMISSION_BENCHMARK,
    keys.SUBMISSION_PLATFORM,
    keys.SEED,
    keys.GLOBAL_BATCH_SIZE,
    keys.TRAIN_SAMPLES,
    keys.EVAL_SAMPLES,
    keys.OPT_NAME,
    keys.OPT_BASE_LEARNING_RATE,
    keys.INIT_START,
    keys.INIT_STOP,
    keys.RUN_START,
    keys.RUN_STOP,
    keys.END,
)
"""Keys that stand in a log exactly once; MLPerf's log rules for a closed submission, and our begin and end."""

INTERVAL_KEYS: Final = (
    keys.BLOCK_START,
    keys.EVAL_START,
    keys.EVAL_ACCURACY,
    keys.EVAL_STOP,
    keys.CHECKPOINT,
    keys.TELEMETRY,
    keys.INTERVAL,
    keys.BLOCK_STOP,
)
"""Keys of one interval, in their order; progress may stand between the first two."""

REPEATED: Final = frozenset({*INTERVAL_KEYS, keys.PROGRESS})
"""Keys that stand in a log once an interval or more often; all others once."""

FRAME_KEYS: Final = (keys.INIT_START, keys.INIT_STOP, keys.RUN_START)
"""Keys before the first interval, in their order."""


def known_workload(run_set: RunSet) -> Iterator[Finding]:
    """A definition has the claimed name, scale and version: without it nothing can be scored."""
    claim = run_set.claim.workload
    try:
        find(claim.name, claim.scale, claim.version)
    except UnknownWorkload:
        yield reject("schema.unknown_workload", place="statement.dsse.json", expected="a definition", got=claim.id)


def required_keys(run_set: RunSet) -> Iterator[Finding]:
    """Every key of ONCE is there, and whatever is said but in intervals is said once.

    MLPerf's checker takes a log whose second run_stop is better than its first.
    """
    for trace in run_set.traces:
        count = Counter(line.key for line in trace.lines)
        for key in ONCE:
            if count[key] == 0:
                yield reject("schema.missing_key", place=trace.place(), expected=f"one line {key}", got="none")
        for key in sorted(key for key, times in count.items() if times > 1 and key not in REPEATED):
            second = trace.every(key)[1].number if len(trace.every(key)) > 1 else None
            yield reject("schema.repeated_key", place=trace.place(second), expected=f"{key} once", got=count[key])


def namespaces(run_set: RunSet) -> Iterator[Finding]:
    """Our keys stand under our namespace and MLPerf's under the empty one, so that no key can be said twice."""
    for trace in run_set.traces:
        for line in trace.lines:
            if line.namespace != namespace_of(line.key):
                expected = f"{line.key} under {namespace_of(line.key) or 'the empty namespace'}"
                yield reject("schema.namespace", place=trace.place(line.number), expected=expected, got=line.namespace)
                break


def key_order(run_set: RunSet) -> Iterator[Finding]:
    """The course of a run is told in its order; the first line out of it is reported, because the rest follows."""
    for trace in run_set.traces:
        found = _first_out_of_order(trace)
        if found is not None:
            line, expected = found
            yield reject("schema.key_order", place=trace.place(line.number), expected=expected, got=line.key)


def _first_out_of_order(trace: Trace) -> tuple[LogLine, str] | None:
    if not trace.lines:
        return None
    first = trace.lines[0]
    if first.key != keys.BEGIN:
        return first, keys.BEGIN
    before = keys.BEGIN
    for line in trace.lines[1:]:
        if before == keys.END:
            return line, "nothing after end"
        allowed = _followers(before, aborted=trace.status == keys.ABORTED)
        if line.key in _FOLLOWERS and line.key not in allowed:
            return line, f"after {before}: {' or '.join(sorted(allowed))}"
        before = line.key if line.key in _FOLLOWERS else before
    return None


def _chain_of_keys() -> Mapping[str, frozenset[str]]:
    """Which keys may follow which, in a run that ends as it should."""
    course = (keys.BEGIN, *FRAME_KEYS, *INTERVAL_KEYS)
    followers = {key: {after} for key, after in pairwise(course)}
    followers[keys.BLOCK_START] |= {keys.PROGRESS}
    followers[keys.PROGRESS] = {keys.PROGRESS, keys.EVAL_START}
    followers[keys.BLOCK_STOP] = {keys.BLOCK_START, keys.RUN_STOP}
    followers[keys.RUN_STOP] = {keys.END}
    followers[keys.END] = set()
    return {key: frozenset(after) for key, after in followers.items()}


_FOLLOWERS: Final = _chain_of_keys()


def _followers(key: str, *, aborted: bool) -> frozenset[str]:
    """An aborted run may stop anywhere."""
    return _FOLLOWERS[key] | {keys.RUN_STOP} if aborted else _FOLLOWERS[key]


def begins_bound(run_set: RunSet) -> Iterator[Finding]:
    """A log's first line names the nonce, index and workload of its statement: it is not another set's log."""
    claim = run_set.claim
    expected = {"nonce": claim.nonce, "workload": claim.workload.id, "format": FORMAT}
    for trace in run_set.traces:
        value = trace.value(keys.BEGIN)
        if not isinstance(value, Mapping):
            continue
        wanted = {**expected, "index": trace.index}
        wrong = [name for name, right in wanted.items() if value.get(name) != right]
        for name in wrong:
            yield reject("schema.begin", place=trace.place(1), expected=f"{name} {wanted[name]}", got=value.get(name))
        if trace.boot is None or not _DIGEST.fullmatch(trace.boot):
            yield reject("schema.begin", place=trace.place(1), expected="boot, a digest", got=value.get("boot"))


def system_fields(run_set: RunSet) -> Iterator[Finding]:
    """The description says on how many devices of which name, and with what, was trained: a row shows it."""
    system = run_set.evidence.system
    if system is None:
        return
    accelerators = count_of(system.get("accelerators_per_node"))
    checks = (
        ("number_of_nodes", (count_of(system.get("number_of_nodes")) or 0) > 0, "a positive count"),
        ("accelerators_per_node", accelerators is not None, "a count"),
        ("accelerator_model_name", not accelerators or bool(text(system.get("accelerator_model_name"))), "a name"),
        ("framework", bool(text(system.get("framework"))), "a name"),
        ("system_name", system.get("system_name") == run_set.claim.system_name, "the statement's"),
    )
    for name, is_right, what in checks:
        if not is_right:
            yield reject("schema.system", place="system.json", expected=f"{name}: {what}", got=system.get(name))
    for name, value in system.items():
        if not (isinstance(value, Mapping) if name in SYSTEM_PARTS else _is_said(value)):
            what = "an object" if name in SYSTEM_PARTS else "a text, a number, or why it is unavailable"
            yield reject("schema.system", place="system.json", expected=f"{name}: {what}", got=value)


def _is_said(value: object) -> bool:
    """Whether a field of the description says something that a page can show, or why it says nothing."""
    if isinstance(value, Mapping):
        return value.keys() == {"unavailable"} and _is_line(value["unavailable"])
    return _is_line(value) or number(value) is not None


def _is_line(value: object) -> bool:
    return isinstance(value, str) and len(value) <= TEXT_LIMIT and value.isprintable()


_DIGEST = re.compile(r"[0-9a-f]{64}")

SYSTEM_PARTS: Final = frozenset({"other_software_stack", "vflops"})
"""Fields of the description that hold fields of their own."""

KNOWN_KEYS: Final = frozenset(
    {*ONCE, *INTERVAL_KEYS, keys.PROGRESS, keys.SUBMISSION_DIVISION, keys.SUBMISSION_ORG, keys.SUBMISSION_STATUS}
)
"""Keys that this rule set reads; hyper-parameters stand between init_start and init_stop and are any."""


def unknown_keys(run_set: RunSet) -> Iterator[Finding]:
    """Keys outside preparation that nobody reads are said once, so that nothing seems to count that does not."""
    for trace in run_set.traces:
        stop = trace.first(keys.INIT_STOP)
        later = (line for line in trace.lines if stop is not None and line.number > stop.number)
        unknown = sorted({line.key for line in later} - KNOWN_KEYS)
        if unknown:
            yield note("schema.unknown_key", place=trace.place(), expected="keys of format 1", got=", ".join(unknown))
