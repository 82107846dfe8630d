"""Energy: by counter or power, in one scope, and unavailable rather than guessed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from ranking.energy import MIN_SAMPLES, Energy, Scope, energy_of
from ranking.evidence.model import DeviceSample, TelemetrySample, Unavailable
from ranking.trace import Trace
from tests.ranking.rules.judging import honest_case

NOT_THERE = Unavailable("not supported")


def edited(edit: Callable[[int, TelemetrySample], TelemetrySample | None], *, accelerators: int = 2) -> Energy | None:
    """Energy of an honest run with other samples; None leaves a sample out."""
    honest = honest_case(accelerators).traces[0]
    changed = [edit(number, sample) for number, sample in enumerate(honest.run.telemetry)]
    kept = tuple(sample for sample in changed if sample is not None)
    return energy_of(Trace(replace(honest.run, telemetry=kept)))


def devices(change: Callable[[int, DeviceSample], DeviceSample]) -> Callable[[int, TelemetrySample], TelemetrySample]:
    def edit(number: int, sample: TelemetrySample) -> TelemetrySample:
        return replace(sample, devices=tuple(change(number, device) for device in sample.devices))

    return edit


def test_counters_of_all_devices_give_mean_power_and_energy_of_the_interval() -> None:
    found = edited(lambda number, sample: sample)
    assert found is not None
    assert found.scope is Scope.ACCELERATORS
    assert found.watts == pytest.approx(2 * 250.5)
    assert found.joules == pytest.approx(2 * 250.5 * 2.5)


def test_power_over_time_where_there_is_no_counter() -> None:
    found = edited(devices(lambda number, d: replace(d, energy_millijoules=NOT_THERE, power_watts=100 + number % 2)))
    assert found is not None
    assert found.watts == pytest.approx(201, rel=1e-2)


def test_a_counter_that_stands_still_is_no_energy_of_zero() -> None:
    found = edited(devices(lambda number, d: replace(d, energy_millijoules=5)))
    assert found is not None
    assert found.watts == pytest.approx(2 * 250.5)


def test_package_counters_where_no_accelerator_answers() -> None:
    found = edited(lambda n, s: replace(s, package_energy_microjoules=n * 6_500_000), accelerators=0)
    assert found is not None
    assert found.scope is Scope.PACKAGE
    assert found.watts == pytest.approx(65.0)


@pytest.mark.parametrize(
    "edit",
    [
        devices(lambda number, d: replace(d, energy_millijoules=NOT_THERE, power_watts=NOT_THERE)),
        devices(lambda number, d: replace(d, energy_millijoules=NOT_THERE, power_watts=NOT_THERE) if d.index else d),
        lambda number, sample: sample if number < MIN_SAMPLES else None,
        lambda number, sample: sample if number % 2 == 0 else None,
        lambda number, sample: None,
        lambda number, sample: replace(sample, devices=sample.devices[: number % 3]),
    ],
    ids=["unreadable", "one of two unreadable", "ends early", "too few", "none", "devices come and go"],
)
def test_energy_is_unavailable_rather_than_guessed(
    edit: Callable[[int, TelemetrySample], TelemetrySample | None],
) -> None:
    assert edited(edit) is None


def test_a_counter_that_runs_backwards_is_not_used() -> None:
    assert edited(lambda n, s: replace(s, package_energy_microjoules=10**9 - n), accelerators=0) is None


def test_numbers_beyond_all_power_give_no_energy() -> None:
    huge = devices(lambda number, d: replace(d, energy_millijoules=NOT_THERE, power_watts=1e300))
    assert edited(huge) is None


def test_samples_outside_the_interval_do_not_count() -> None:
    honest = honest_case(2).traces[0]
    assert honest.start_us is not None
    early = tuple(s for s in honest.run.telemetry if s.clock_us < honest.start_us)
    assert early
    assert energy_of(Trace(replace(honest.run, telemetry=early * MIN_SAMPLES))) is None
