"""Case: a run set as the rules see it, with everything that can be recomputed already recomputed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ranking.devices import Device, device_of
from ranking.evidence.model import Predicate, RunSetEvidence, Statement
from ranking.findings import Verdict
from ranking.reference import Reference, reference_of
from ranking.scoring import RunScore, RunSetScore, score_run, score_run_set
from ranking.trace import Trace
from workloads.definition import Scale, UnknownWorkload, Workload, find


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSet:
    """What can be judged without knowing the workload."""

    evidence: RunSetEvidence
    statement: Statement
    traces: tuple[Trace, ...]

    @property
    def claim(self) -> Predicate:
        """What the statement says."""
        return self.statement.predicate


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A run set with the definition of its workload, its score, and what reference runs of the workload did."""

    run_set: RunSet
    workload: Workload
    runs: tuple[RunScore, ...]
    score: RunSetScore | None
    device: Device | None
    reference: Reference | None

    @property
    def claim(self) -> Predicate:
        """What the statement says."""
        return self.run_set.claim

    @property
    def traces(self) -> Sequence[Trace]:
        """The runs' logs."""
        return self.run_set.traces

    @property
    def doubt(self) -> Verdict:
        """What statistical doubt does at this scale: held for review at reference, a note below."""
        return Verdict.HOLD if self.workload.scale is Scale.REFERENCE else Verdict.NOTE


def run_set_of(evidence: RunSetEvidence) -> RunSet | None:
    """The run set in ``evidence``; None where it has no readable statement."""
    if evidence.statement is None:
        return None
    traces = tuple(Trace(run) for run in evidence.runs)
    return RunSet(evidence=evidence, statement=evidence.statement, traces=traces)


def case_of(run_set: RunSet) -> Case | None:
    """``run_set`` with its workload and score; None where no definition has the claimed name, scale and version."""
    claim = run_set.claim.workload
    try:
        workload = find(claim.name, claim.scale, claim.version)
    except UnknownWorkload:
        return None
    runs = tuple(score_run(trace, workload) for trace in run_set.traces)
    return Case(
        run_set=run_set,
        workload=workload,
        runs=runs,
        score=score_run_set(runs, workload),
        device=device_of(run_set.evidence.system, run_set.claim.configuration.precision),
        reference=reference_of(workload),
    )
