"""The course of a run in samples: intervals, epochs, steps and the learning rate."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workloads.tasks import LITE, SHORT, SMOKE, task
from workloads.engine.schedule import (
    EpochPart,
    Interval,
    epoch_parts,
    intervals,
    learning_rate,
    peak_learning_rate,
    step_bounds,
)


def test_intervals_lie_end_to_end_and_carry_their_salts(tmp_path: Path) -> None:
    found = intervals(task(tmp_path, SHORT, salts=("a", "b", "c")))
    assert [(i.index, i.first, i.last, i.salt) for i in found] == [
        (0, 0, 479, "a"),
        (1, 479, 958, "b"),
        (2, 958, 1437, "c"),
    ]


def test_a_wrong_number_of_salts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="3 intervals need as many salts, not 2"):
        intervals(task(tmp_path, SHORT, salts=("a", "b")))


def test_an_interval_across_the_end_of_an_epoch_is_cut_there() -> None:
    across = Interval(index=0, first=80, last=230, salt="")
    assert list(epoch_parts(across, 100)) == [EpochPart(0, 80, 100), EpochPart(1, 0, 100), EpochPart(2, 0, 30)]


@given(samples=st.integers(1, 5_000), batch=st.integers(1, 600))
def test_steps_cover_an_interval_once_in_nearly_equal_batches(samples: int, batch: int) -> None:
    bounds = step_bounds(samples, batch)
    sizes = [stop - start for start, stop in bounds]
    assert bounds[0][0] == 0
    assert bounds[-1][1] == samples
    assert all(before[1] == after[0] for before, after in zip(bounds[:-1], bounds[1:], strict=True))
    assert max(sizes) <= batch
    assert max(sizes) - min(sizes) <= 1
    assert len(bounds) == -(-samples // batch)


def test_the_learning_rate_rises_linearly_and_falls_to_zero() -> None:
    batch = LITE.default_global_batch_size
    peak = peak_learning_rate(LITE.learning_rate, batch)
    warmup = int(LITE.learning_rate.warmup_epochs * LITE.dataset.train_samples)
    assert learning_rate(LITE, batch, warmup // 2) == pytest.approx(peak / 2)
    assert learning_rate(LITE, batch, warmup) == pytest.approx(peak)
    assert learning_rate(LITE, batch, (warmup + LITE.total_samples) // 2) == pytest.approx(peak / 2)
    assert learning_rate(LITE, batch, LITE.total_samples) == pytest.approx(0)


def test_without_warm_up_the_first_step_has_the_peak_rate_nearly() -> None:
    rule = replace(SMOKE.learning_rate, warmup_epochs=0)
    assert learning_rate(replace(SMOKE, learning_rate=rule), 32, 1) == pytest.approx(rule.base, rel=1e-4)


@given(samples=st.integers(1, LITE.total_samples), factor=st.integers(1, 4))
def test_the_rate_is_proportional_to_the_batch_at_every_point(samples: int, factor: int) -> None:
    base = LITE.default_global_batch_size
    assert learning_rate(LITE, factor * base, samples) == pytest.approx(factor * learning_rate(LITE, base, samples))
