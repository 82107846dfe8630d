"""Checkpoint rules: each evaluation has one, of this run at this place, with the weights of a network of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from ranking.case import Case, RunSet
from ranking.devices import Kind
from ranking.evidence import checkpoint as contents
from ranking.evidence.model import CheckpointFile, Tensor
from ranking.findings import Finding, hold, reject
from ranking.trace import CheckpointLine, Trace
from workloads.definition import Precision

WIDE: Final = frozenset({Precision.FP32, Precision.TF32})
"""Precisions whose weights have 32 bits; narrower ones may keep narrower weights."""

ACCELERATOR_STATE: Final = "rng.torch_cuda"
"""Tensor that is there where PyTorch had an accelerator in use (AMD's too)."""


def logged(run_set: RunSet) -> Iterator[Finding]:
    """Each evaluation has its checkpoint, whose digest stands in the log and whose file lies in the bundle."""
    for trace in run_set.traces:
        yield from _scheduled(trace)
        files = {file.name: file for file in trace.run.checkpoints}
        for line in trace.checkpoints:
            file = files.pop(line.name or "", None)
            if file is None:
                place = trace.place(line.line)
                yield reject("counts.checkpoint_missing", place=place, expected=line.name, got="no such file")
            elif (file.sha256, file.size_bytes) != (line.sha256, line.size_bytes):
                expected = f"{line.size_bytes} bytes, SHA-256 {line.sha256}"
                got = f"{file.size_bytes} bytes, SHA-256 {file.sha256}"
                yield reject("counts.checkpoint_differs", place=file.name, expected=expected, got=got)
        for name in files:
            yield reject("counts.checkpoint_unlogged", place=name, expected="a line of the log", got="none")


def _scheduled(trace: Trace) -> Iterator[Finding]:
    """As many checkpoints as evaluations, at the same samples."""
    at = [line.samples for line in trace.checkpoints]
    for place, evaluation in enumerate(trace.evaluations):
        got = at[place] if place < len(at) else None
        if got is None or got != evaluation.samples:
            expected = f"a checkpoint at {evaluation.samples} samples"
            yield reject("counts.checkpoint_schedule", place=trace.place(evaluation.line), expected=expected, got=got)
            return


def in_place(run_set: RunSet) -> Iterator[Finding]:
    """A checkpoint names the workload, seed, samples and interval that it stands for: it is not another run's."""
    for trace in run_set.traces:
        files = {file.name: file for file in trace.run.checkpoints}
        for number, line in enumerate(trace.checkpoints):
            file = files.get(line.name or "")
            if file is not None:
                yield from _differences(file, _position(run_set, trace, line, number))


def _position(run_set: RunSet, trace: Trace, line: CheckpointLine, number: int) -> Mapping[str, object]:
    return {
        contents.FORMAT: run_set.claim.workload.id,
        contents.SEED: trace.run.seed,
        contents.SAMPLES: line.samples,
        contents.INTERVAL: number,
    }


def _differences(file: CheckpointFile, expected: Mapping[str, object]) -> Iterator[Finding]:
    said: dict[str, object] = {**file.integers}
    if file.workload is not None:
        said[contents.FORMAT] = file.workload
    for name, value in expected.items():
        got = said.get(name, "none")
        if got != value and (name in said or name in contents.INTEGERS):
            yield reject("counts.checkpoint_position", place=file.name, expected=f"{name} {value}", got=got)


def distinct_weights(run_set: RunSet) -> Iterator[Finding]:
    """No two checkpoints of a set have equal weights: every step changes them, and other seeds give others.

    Compared are whole files, and the largest weights one by one, so that a changed byte hides nothing.
    """
    first: dict[str, str] = {}
    for trace in run_set.traces:
        for file in trace.run.checkpoints:
            known = [first.setdefault(digest, file.name) for digest in (file.sha256, *sorted(file.weights))]
            other = next((name for name in known if name != file.name), None)
            if other is not None:
                expected = f"other weights than {other}"
                yield reject("counts.equal_weights", place=file.name, expected=expected, got="the same")


def one_network(run_set: RunSet) -> Iterator[Finding]:
    """All checkpoints of a set hold the same tensors, weights among them: a set trains one network."""
    files = [file for trace in run_set.traces for file in trace.run.checkpoints]
    for file in files:
        if not file.weights:
            expected = f"weights, as tensors {contents.MODEL}*"
            yield reject("counts.checkpoint_tensors", place=file.name, expected=expected, got="none")
        elif file.tensors != files[0].tensors:
            yield _other_tensors(file, files[0])


def _other_tensors(file: CheckpointFile, first: CheckpointFile) -> Finding:
    mine, known = set(file.tensors), set(first.tensors)
    expected, got = (", ".join(sorted(map(_shown, part))[:3]) for part in (known - mine, mine - known))
    expected = expected or f"the tensors of {first.name}"
    return reject("counts.checkpoint_tensors", place=file.name, expected=expected, got=got or "fewer")


def _shown(tensor: Tensor) -> str:
    return f"{tensor.name} {tensor.dtype}{list(tensor.shape)}"


def wide_weights(case: Case) -> Iterator[Finding]:
    """Training in 32 bits leaves weights of 32 bits."""
    precision = case.claim.configuration.precision
    if precision not in WIDE:
        return
    for trace in case.traces:
        for file in trace.run.checkpoints:
            narrow = next((t for t in file.tensors if _is_narrow(t)), None)
            if narrow is not None:
                expected = f"weights of 32 bits at {precision}"
                yield reject("level.checkpoint_precision", place=file.name, expected=expected, got=_shown(narrow))


def _is_narrow(tensor: Tensor) -> bool:
    return tensor.name.startswith(contents.MODEL) and tensor.dtype in contents.NARROW_FLOATS


def no_hidden_device(case: Case) -> Iterator[Finding]:
    """A set that says to have trained on processors alone has no accelerator's state in its checkpoints."""
    if case.device is None or case.device.kind is Kind.ACCELERATOR:
        return
    for trace in case.traces:
        for file in trace.run.checkpoints:
            if any(tensor.name == ACCELERATOR_STATE for tensor in file.tensors):
                expected, got = "no state of an accelerator", ACCELERATOR_STATE
                yield hold("plausibility.hidden_device", place=file.name, expected=expected, got=got)
                break
