"""Parts of a report's document: findings, submission, score, runs and device as JSON values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ranking.case import Case
from ranking.curves import Curve, Phase, curves_of, phases_of
from ranking.devices import Device
from ranking.energy import Energy
from ranking.evidence.model import Statement
from ranking.findings import Finding
from ranking.messages import message
from ranking.scoring import Crossing, RunScore, RunSetScore
from ranking.trace import Trace, text


def finding_document(found: Finding) -> dict[str, Any]:
    """A finding with its sentence and what to do, in English."""
    said = message(found.id)
    return {
        "id": found.id,
        "verdict": found.verdict.value,
        "sentence": said.sentence,
        "place": found.place,
        "expected": found.expected,
        "got": found.got,
        "action": said.action,
    }


def submission_document(statement: Statement) -> dict[str, Any]:
    """What the statement claims; none of it decides a score."""
    claim = statement.predicate
    return {
        "workload": claim.workload.name,
        "scale": claim.workload.scale,
        "version": claim.workload.version,
        "level": claim.level,
        "key_id": statement.key_id,
        "organisation": claim.organisation,
        "system_name": claim.system_name,
        "configuration": {
            "global_batch_size": claim.configuration.global_batch_size,
            "precision": claim.configuration.precision,
            "channels_last": claim.configuration.channels_last,
            "compile": claim.configuration.compile,
            "threads": claim.configuration.threads,
        },
        "layers_changed": list(claim.layers_changed),
        "seeds": claim.seeds,
        "created": claim.created,
        "nonce": claim.nonce,
        "runner": {"version": claim.runner.version, "source_digest": claim.runner.source_digest},
    }


def score_document(case: Case) -> dict[str, Any] | None:
    """The run set's score with the definition's figures that it rests on; None where there is no score."""
    score = case.score
    if score is None:
        return None
    return {
        "valid_flops": score.valid_flops,
        "flops": score.flops,
        "quality": score.quality,
        "target_quality": case.workload.target_quality,
        "better": case.workload.metric.direction.value,
        "sensitivity_n": case.workload.sensitivity_n,
        "factor": score.factor,
        "seconds": score.seconds,
        "samples": score.samples,
        "flops_per_sample": case.workload.flops_per_sample,
        "throughput": score.samples / score.seconds,
        "low": score.low,
        "high": score.high,
        "all_low": score.all_low,
        "all_high": score.all_high,
        "cv_flops": score.cv_flops,
        "time_to_target_s": _seconds(score.to_target),
        "epochs_to_target": _epochs(score.to_target),
        "share_of_peak": share_of_peak(score, case.device),
        "energy": _energy(score.energy),
        "counted": list(score.counted),
    }


def share_of_peak(score: RunSetScore, device: Device | None) -> float | None:
    """FLOPS over the dense peak of all devices together; None where no peak is tabulated."""
    if device is None or device.peak_flops is None:
        return None
    return score.flops / (device.peak_flops * device.count)


def run_documents(case: Case) -> list[dict[str, Any]]:
    """Each run with its figures, curves and phases."""
    counted = case.score.counted if case.score else ()
    pairs = zip(case.runs, case.traces, strict=True)
    return [_run(run, trace, counted=run.index in counted) for run, trace in pairs]


def _run(run: RunScore, trace: Trace, *, counted: bool) -> dict[str, Any]:
    curves = curves_of(trace)
    return {
        "index": run.index,
        "seed": trace.run.seed,
        "status": trace.status,
        "valid_flops": run.valid_flops,
        "flops": run.flops,
        "quality": run.quality,
        "factor": run.factor,
        "seconds": run.seconds,
        "samples": run.samples,
        "time_to_target_s": _seconds(run.to_target),
        "epochs_to_target": _epochs(run.to_target),
        "energy": _energy(run.energy),
        "useless": run.useless,
        "counted": counted,
        "curves": {name: list(curve.points) for name, curve in curves.items()},
        "measured": {name: _measured(curve) for name, curve in curves.items()},
        "phases": [_phase(phase) for phase in phases_of(trace)],
    }


def _measured(curve: Curve) -> dict[str, Any]:
    """How many points a curve's points were averaged or thinned from, and what was measured."""
    return {"points": curve.measured, "scope": curve.scope or None}


def _phase(phase: Phase) -> dict[str, Any]:
    return {"name": phase.name, "start_s": phase.start_s, "stop_s": phase.stop_s}


def accelerator_document(device: Device | None) -> dict[str, Any] | None:
    """The device with its canonical name; ``peak_flops`` is one device's."""
    if device is None:
        return None
    return {
        "kind": device.kind.value,
        "name": device.name,
        "canonical": device.canonical,
        "count": device.count,
        "vendor": device.vendor,
        "peak_flops": device.peak_flops,
    }


def framework(system: Mapping[str, Any] | None) -> str | None:
    """The framework as the system description names it."""
    return None if system is None else text(system.get("framework"))


def _seconds(crossing: Crossing | None) -> float | None:
    return None if crossing is None else crossing.seconds


def _epochs(crossing: Crossing | None) -> float | None:
    return None if crossing is None else crossing.epochs


def _energy(energy: Energy | None) -> dict[str, Any] | None:
    return None if energy is None else {"scope": energy.scope.value, "joules": energy.joules, "watts": energy.watts}
