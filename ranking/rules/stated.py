"""Stated rules: what a bundle says in two places it says alike, and a log's course meets at its seams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from ranking.case import RunSet
from ranking.devices import count_of
from ranking.evidence import keys
from ranking.findings import Finding, reject
from ranking.trace import Trace, integer, text

SYSTEM: Final = "system.json"


def submission(run_set: RunSet) -> Iterator[Finding]:
    """MLPerf's lines name the workload and the system that the statement names: its tools read no statement."""
    claim = run_set.claim
    stated = {keys.SUBMISSION_BENCHMARK: claim.workload.name, keys.SUBMISSION_PLATFORM: claim.system_name}
    for trace in run_set.traces:
        for key, expected in stated.items():
            line = trace.first(key)
            if line is not None and line.value != expected:
                place = trace.place(line.number)
                yield reject("schema.submission", place=place, expected=f"{key} {expected}", got=line.value)


def seams(run_set: RunSet) -> Iterator[Finding]:
    """An interval begins at the sample at which the one before was evaluated, and its lines name one end."""
    for trace in run_set.traces:
        found = next(_torn_seams(trace), None)
        if found is not None:
            line, expected, got = found
            yield reject("counts.block", place=trace.place(line), expected=f"{expected} samples", got=got)


def _torn_seams(trace: Trace) -> Iterator[tuple[int, int | None, int | None]]:
    """Line, expected and stated samples of each line whose samples are not its interval's."""
    ends = [evaluation.samples for evaluation in trace.evaluations]
    begins = [0, *ends]
    wanted = ((keys.BLOCK_START, begins), (keys.EVAL_START, ends), (keys.EVAL_STOP, ends), (keys.BLOCK_STOP, ends))
    for key, points in wanted:
        for line, expected in zip(trace.every(key), points, strict=False):
            got = integer(line.metadata.get(keys.SAMPLES))
            if expected is not None and got is not None and got != expected:
                yield line.number, expected, got


def system_agrees(run_set: RunSet) -> Iterator[Finding]:
    """The system description does not contradict itself or the statement: what it says of devices, once and again."""
    system = run_set.evidence.system
    own = None if system is None else system.get("vflops")
    if system is None or not isinstance(own, Mapping):
        return
    runner = run_set.claim.runner
    stated = {
        "runner": (runner.version, own.get("runner")),
        "source_digest": (runner.source_digest, own.get("source_digest")),
        "torch": (text(system.get("framework")), _framework(own)),
        **_devices(system, own),
    }
    for name, (expected, got) in stated.items():
        if None not in (expected, got) and expected != got:
            yield reject("schema.system_differs", place=f"{SYSTEM}: vflops.{name}", expected=expected, got=got)


def _framework(own: Mapping[str, object]) -> str | None:
    version = text(own.get("torch"))
    return None if version is None else f"PyTorch {version}"


def _devices(system: Mapping[str, object], own: Mapping[str, object]) -> dict[str, tuple[object, object]]:
    """What the description's own part says of devices, beside what MLPerf's fields say; None where either is silent."""
    count = count_of(system.get("accelerators_per_node"))
    device, ids, devices = text(own.get("device")), own.get("device_ids"), own.get("devices")
    if count is None:
        return {}
    found: dict[str, tuple[object, object]] = {
        "device": ("an accelerator" if count else "cpu", None if device is None else _kind(device)),
        "device_ids": (f"{max(count, 1)} distinct", f"{_distinct(ids)} distinct" if isinstance(ids, list) else None),
    }
    if isinstance(devices, list):
        name = text(system.get("accelerator_model_name"))
        names = sorted({str(text(d.get("name"))) if isinstance(d, Mapping) else "" for d in devices})
        found["devices"] = (f"{count} x {name}" if count else "none", _counted(len(devices), names))
    return found


def _kind(device: str) -> str:
    return "cpu" if device == "cpu" else "an accelerator"


def _distinct(values: list[object]) -> int:
    return len({str(value) for value in values})


def _counted(count: int, names: list[str]) -> str:
    return f"{count} x {' and '.join(names)}" if count else "none"
