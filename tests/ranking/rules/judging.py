"""What rule tests share: forgeries as data, and the report on the bundle that each of them makes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ranking.case import Case, case_of, run_set_of
from ranking.evidence.bundle import read_bundle
from ranking.evidence.model import Predicate
from ranking.findings import Finding, Verdict
from ranking.report import Report
from ranking.verify import verify_bundle
from tests.bundles import Event, Run, make_bundle
from workloads.definition import find

SMOKE = find("image_classification", "smoke", "1")
REFERENCE = find("image_classification", "reference", "1")


@dataclass(frozen=True, kw_only=True)
class Forgery:
    """A way to make a bundle that gives finding ``id``; chains, digests and signature are right all the same."""

    id: str
    name: str
    verdict: Verdict = Verdict.REJECT
    options: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.id}: {self.name}"


def judged(folder: Path, **options: Any) -> Report:
    """The report on a bundle made with ``options``."""
    return verify_bundle(make_bundle(folder, **options))


def assert_found(folder: Path, forgery: Forgery) -> None:
    """The forgery gives its finding, with its verdict."""
    findings = judged(folder, **forgery.options).findings
    verdicts = {found.verdict for found in findings if found.id == forgery.id}
    assert verdicts == {forgery.verdict}, [f"{found.id} {found.place}" for found in findings]


def above_note(report: Report) -> list[Finding]:
    """Findings that do something."""
    return [found for found in report.findings if found.verdict is not Verdict.NOTE]


def ids(report: Report) -> set[str]:
    """Ids of all findings."""
    return {found.id for found in report.findings}


@cache
def honest_case(accelerators: int = 0) -> Case:
    """The case of an honest bundle, for rules that are called on their own."""
    return case_from(accelerators=accelerators)


def case_from(**options: Any) -> Case:
    """The case of a bundle made with ``options``."""
    with TemporaryDirectory() as folder:
        evidence, _findings = read_bundle(make_bundle(Path(folder), **options))
    run_set = run_set_of(evidence)
    assert run_set is not None
    case = case_of(run_set)
    assert case is not None
    return case


def with_workload(case: Case, **changes: Any) -> Case:
    """The case held against another definition."""
    return replace(case, workload=replace(case.workload, **changes))


def of_run(index: int, edit: Callable[[Run], None]) -> dict[str, Any]:
    """Options that change one run."""

    def edit_run(run: Run) -> None:
        if run.index == index:
            edit(run)

    return {"edit_run": edit_run}


def of_event(key: str, edit: Callable[[Event], None], *, index: int = 1, number: int = 0) -> dict[str, Any]:
    """Options that change one event of one run: the ``number``-th of ``key``."""
    return of_run(index, lambda run: edit(run.find(key)[number]))


def shift(run: Run, clock: Callable[[int], int]) -> None:
    """Give everything in a run another clock."""
    for event in run.events:
        event.clock_us = clock(event.clock_us)
    for sample in run.samples:
        sample.clock_us = clock(sample.clock_us)


def value_of(key: str, value: object, *, index: int = 1, number: int = 0) -> dict[str, Any]:
    """Options that give one event another value."""

    def edit(event: Event) -> None:
        event.value = value

    return of_event(key, edit, index=index, number=number)


def claims(**changes: Any) -> dict[str, Any]:
    """Options that change fields of the predicate."""

    def edit_predicate(predicate: Predicate) -> Predicate:
        return replace(predicate, **changes)

    return {"edit_predicate": edit_predicate}


def configured(**changes: Any) -> dict[str, Any]:
    """Options that change fields of the configuration."""

    def edit_predicate(predicate: Predicate) -> Predicate:
        return replace(predicate, configuration=replace(predicate.configuration, **changes))

    return {"edit_predicate": edit_predicate}
