"""Curves: few points, each true to what it stands for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ranking.curves import MAX_POINTS, Curve, curves_of, phases_of
from ranking.evidence import keys
from ranking.evidence.model import LogLine, RunEvidence, Unavailable
from ranking.trace import Trace
from tests.ranking.rules.judging import honest_case

SECOND = 1_000_000


def line(key: str, clock_s: float, value: Any = None, **metadata: Any) -> LogLine:
    return LogLine(
        number=1,
        event_type=keys.POINT_IN_TIME,
        namespace=keys.NAMESPACE if key == keys.PROGRESS else "",
        key=key,
        value=value,
        metadata=metadata,
        time_ms=0,
        clock_us=round(clock_s * SECOND),
        seq=0,
    )


def steady(points: int, *, per_second: int = 100) -> Trace:
    """A run with progress every second at one speed."""
    progress = [line(keys.PROGRESS, 10 + n, {"samples": per_second * n, "loss": 1.0}) for n in range(1, points + 1)]
    lines = (line(keys.RUN_START, 9), line(keys.BLOCK_START, 10, samples=0), *progress)
    return Trace(RunEvidence(index=0, seed=1, lines=lines, telemetry=(), checkpoints=()))


def throughput(trace: Trace) -> Curve:
    return curves_of(trace)["throughput"]


@pytest.mark.parametrize("points", [1, 239, 240, 241, 10_000])
def test_throughput_keeps_its_level_however_few_points_are_left(points: int) -> None:
    curve = throughput(steady(points))
    assert curve.measured == points
    assert len(curve.points) <= MAX_POINTS
    assert [p["samples_per_s"] for p in curve.points] == pytest.approx([100.0] * len(curve.points))
    assert curve.points[-1]["seconds"] == pytest.approx(1 + points)


def test_evaluation_between_intervals_is_in_no_throughput() -> None:
    trace = honest_case().traces[0]
    rates = [p["samples_per_s"] for p in throughput(trace).points]
    assert len(rates) == len(honest_case().workload.evaluation_points)
    assert min(r or 0 for r in rates) > 0.9 * max(r or 0 for r in rates)


def test_quality_has_every_evaluation_with_its_time_and_loss() -> None:
    points = curves_of(honest_case().traces[0])["quality"].points
    assert [p["samples"] for p in points] == list(honest_case().workload.evaluation_points)
    assert points[-1]["quality"] == honest_case().runs[0].quality
    assert all(p["loss"] is not None for p in points)


def test_a_long_quality_curve_is_thinned_and_keeps_its_end() -> None:
    evaluations = [line(keys.EVAL_ACCURACY, 10 + n, n / 1_000, samples=n) for n in range(1_000)]
    lines = (line(keys.RUN_START, 9), *evaluations)
    curve = curves_of(Trace(RunEvidence(index=0, seed=1, lines=lines, telemetry=(), checkpoints=())))["quality"]
    assert curve.measured == 1_000
    assert len(curve.points) <= MAX_POINTS
    assert curve.points[-1]["samples"] == 999


def test_power_and_utilisation_of_accelerators() -> None:
    curves = curves_of(honest_case(2).traces[0])
    assert curves["power"].scope == curves["utilisation"].scope == "accelerators"
    assert [p["watts"] for p in curves["power"].points] == pytest.approx([501.0] * len(curves["power"].points))
    assert {p["percent"] for p in curves["utilisation"].points} == {90.0}


def test_host_and_package_where_there_is_no_accelerator() -> None:
    honest = honest_case().traces[0]
    counted = tuple(
        replace(s, package_energy_microjoules=number * 6_500_000) for number, s in enumerate(honest.run.telemetry)
    )
    curves = curves_of(Trace(replace(honest.run, telemetry=counted)))
    assert (curves["power"].scope, curves["utilisation"].scope) == ("package", "host")
    assert [p["watts"] for p in curves["power"].points] == pytest.approx([65.0] * len(curves["power"].points))


def test_what_cannot_be_read_has_no_points() -> None:
    honest = honest_case().traces[0]
    blind = tuple(
        replace(s, host=replace(s.host, cpu_percent=Unavailable("no permission"))) for s in honest.run.telemetry
    )
    curves = curves_of(Trace(replace(honest.run, telemetry=blind)))
    assert (curves["power"].points, curves["utilisation"].points) == ((), ())
    assert (curves["power"].scope, curves["utilisation"].scope) == ("", "")


def test_a_log_without_a_start_has_empty_curves_and_no_phases() -> None:
    trace = Trace(RunEvidence(index=0, seed=1, lines=(), telemetry=(), checkpoints=()))
    assert all(curve.points == () for curve in curves_of(trace).values())
    assert phases_of(trace) == ()


def test_phases_follow_one_another_from_preparation_on() -> None:
    phases = phases_of(honest_case().traces[0])
    assert [p.name for p in phases[:4]] == ["preparation", "training", "evaluation", "checkpoint"]
    assert len(phases) == 1 + 3 * len(honest_case().workload.evaluation_points)
    assert phases[0].start_s < 0
    assert all(p.start_s <= p.stop_s for p in phases)
