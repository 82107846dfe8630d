"""The counter-based generator: known answers, independence of order, and permutations that are permutations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workloads import random
from workloads.random import Purpose

SEEDS = st.integers(0, 2**31 - 1)


@pytest.mark.parametrize(
    ("counter", "key", "answer"),
    [
        ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
    ids=["zeros", "ones", "digits of pi"],
)
def test_philox_gives_the_known_answers_of_its_authors(
    counter: tuple[int, ...], key: tuple[int, int], answer: tuple[int, ...]
) -> None:
    words = random.philox(np.array([counter], dtype=np.uint32), key)
    assert tuple(map(int, words[0])) == answer


def test_a_sample_draws_the_same_words_whoever_draws_beside_it() -> None:
    count = 70_000
    together = random.words(3, "salt", Purpose.AUGMENTATION, 2, np.arange(count, dtype=np.int64))
    alone = random.words(3, "salt", Purpose.AUGMENTATION, 2, np.array([65_999], dtype=np.int64))
    assert (together[65_999] == alone[0]).all()


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


@given(seed=SEEDS, epoch=st.integers(0, 200), count=st.integers(1, 300))
def test_an_epoch_holds_every_sample_once(seed: int, epoch: int, count: int) -> None:
    assert sorted(random.epoch_order(seed, epoch, count)) == list(range(count))


@given(seed=SEEDS, salt=st.text(max_size=8), samples=st.sets(st.integers(0, 10**6), min_size=1, max_size=60))
def test_a_salt_reorders_the_samples_of_its_interval_and_keeps_them(seed: int, salt: str, samples: set[int]) -> None:
    given_samples = np.array(sorted(samples), dtype=np.int64)
    assert set(random.interval_order(seed, salt, 0, given_samples)) == samples


def test_different_salts_give_different_orders() -> None:
    samples = np.arange(479, dtype=np.int64)
    orders = {tuple(random.interval_order(1, salt, 0, samples)) for salt in ("", "a", "b")}
    assert len(orders) == 3


@given(bound=st.integers(1, 1000))
def test_bounded_numbers_stay_in_their_range_and_reach_its_ends(bound: int) -> None:
    words = np.array([0, 2**32 - 1], dtype=np.uint32)
    assert random.bounded(words, bound).tolist() == [0, bound - 1]


def test_normal_values_have_mean_0_and_deviation_1_and_are_exact() -> None:
    values = random.normal(11, 0, 100_000)
    assert abs(values.mean()) < 0.01
    assert abs(values.std() - 1) < 0.01
    assert (values * 2.0**16 * 2 == np.round(values * 2.0**16 * 2)).all()
    assert (random.normal(11, 0, 10) == values[:10]).all()
    assert not (random.normal(11, 1, 10) == values[:10]).any()
