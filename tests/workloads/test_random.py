"""The generator: published values, orders that lose nothing, and uses that never share numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workloads import random
from workloads.random import Purpose

seeds = st.integers(0, 2**31 - 1)


@pytest.mark.parametrize(
    ("counter", "key", "expected"),
    [
        ((0,) * 4, (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_philox_gives_its_authors_known_answers(
    counter: tuple[int, ...], key: tuple[int, int], expected: tuple[int, ...]
) -> None:
    assert random.philox(np.array([counter], dtype=np.uint32), key).tolist() == [list(expected)]


def test_a_number_does_not_depend_on_how_many_are_drawn_with_it() -> None:
    """Counters are worked on in chunks; 70,000 need two."""
    many = random.words(3, "salt", Purpose.AUGMENTATION, 2, np.arange(70_000, dtype=np.int64))
    for sample in (0, 65_535, 65_536, 69_999):
        alone = random.words(3, "salt", Purpose.AUGMENTATION, 2, np.array([sample], dtype=np.int64))
        assert np.array_equal(alone[0], many[sample])


def test_the_key_is_a_digest_of_seed_and_salt() -> None:
    """SHA-256 of ``0:`` starts with these eight bytes: another implementation must find the same key."""
    assert random.key_of(0, "") == (0xBA768B33, 0x1FD86CEC)
    assert len({random.key_of(1, ""), random.key_of(1, "1"), random.key_of(11, ""), random.key_of(2, "")}) == 4


@given(seed=seeds, epoch=st.integers(0, 100), count=st.integers(1, 3000))
def test_an_epoch_holds_every_sample_once(seed: int, epoch: int, count: int) -> None:
    order = random.epoch_order(seed, epoch, count)
    assert np.array_equal(np.sort(order), np.arange(count))
    assert np.array_equal(order, random.epoch_order(seed, epoch, count))


@given(seed=seeds, salt=st.text(max_size=8), start=st.integers(0, 400), length=st.integers(1, 400))
def test_a_salt_shuffles_within_its_interval_only(seed: int, salt: str, start: int, length: int) -> None:
    interval = random.epoch_order(seed, 0, 1000)[start : start + length]
    shuffled = random.interval_order(seed, salt, 0, interval)
    assert np.array_equal(np.sort(shuffled), np.sort(interval))


def test_seed_epoch_and_salt_each_give_another_order() -> None:
    interval = np.arange(500, dtype=np.int64)
    orders = [
        random.epoch_order(1, 0, 500),
        random.epoch_order(2, 0, 500),
        random.epoch_order(1, 1, 500),
        random.interval_order(1, "", 0, interval),
        random.interval_order(1, "a", 0, interval),
        random.interval_order(1, "b", 0, interval),
        random.interval_order(1, "a", 1, interval),
    ]
    assert len({order.tobytes() for order in orders}) == len(orders)


@pytest.mark.parametrize(
    "other",
    [
        (4, "salt", Purpose.AUGMENTATION, 2),
        (3, "other", Purpose.AUGMENTATION, 2),
        (3, "salt", Purpose.INTERVAL_ORDER, 2),
        (3, "salt", Purpose.AUGMENTATION, 1),
    ],
    ids=["seed", "salt", "purpose", "epoch"],
)
def test_seed_salt_purpose_and_epoch_each_change_all_words(other: tuple[int, str, Purpose, int]) -> None:
    samples = np.arange(100, dtype=np.int64)
    words = random.words(3, "salt", Purpose.AUGMENTATION, 2, samples)
    assert (words == random.words(*other, samples)).mean() < 0.01


def test_purposes_share_no_numbers() -> None:
    samples = np.arange(1000, dtype=np.int64)
    rows = [row.tobytes() for purpose in Purpose for row in random.words(5, "", purpose, 0, samples)]
    assert len(set(rows)) == len(Purpose) * 1000


@given(bound=st.integers(1, 1000), seed=seeds)
def test_bounded_numbers_stay_below_their_bound(bound: int, seed: int) -> None:
    drawn = random.words(seed, "", Purpose.AUGMENTATION, 0, np.arange(50, dtype=np.int64))
    numbers = random.bounded(drawn.reshape(-1), bound)
    assert numbers.min() >= 0
    assert numbers.max() < bound


def test_bounded_numbers_reach_both_ends() -> None:
    assert random.bounded(np.array([0, 0xFFFFFFFF], dtype=np.uint32), 5).tolist() == [0, 4]


def test_normal_values_have_mean_zero_and_deviation_one() -> None:
    values = random.normal(11, 4, 200_000)
    assert abs(values.mean()) < 0.01
    assert abs(values.std() - 1) < 0.01
    assert np.abs(values).max() < 6
    assert 0.670 < np.mean(np.abs(values) < 1) < 0.696  # 0.683 of a normal distribution


def test_normal_values_are_exact_in_double_precision() -> None:
    """No logarithm and no cosine that another machine might round differently."""
    doubled = random.normal(11, 0, 100_000) * 2.0**17
    assert np.array_equal(doubled, np.round(doubled))


@given(count=st.integers(1, 200), stream=st.integers(0, 1000), seed=seeds)
def test_normal_values_are_a_prefix_of_their_stream(count: int, stream: int, seed: int) -> None:
    assert np.array_equal(random.normal(seed, stream, 200)[:count], random.normal(seed, stream, count))
