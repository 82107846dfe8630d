"""The one source of randomness: a counter-based integer generator, the same on every device and in any order.

Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011): ten rounds of integer arithmetic
turn a key and a counter into four 32-bit words. The key is made of seed and salt; the counter names sample, epoch and
purpose, so that any worker can draw any sample's numbers without drawing those of others.
"""

from __future__ import annotations

import hashlib
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint32]
Samples = NDArray[np.int64]

_MULTIPLIERS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
_WEYL = (0x9E3779B9, 0xBB67AE85)
_ROUNDS = 10
_MASK = np.uint64(0xFFFFFFFF)
_SHIFT = np.uint64(32)
_CHUNK = 1 << 16
"""Counters worked on at a time: the temporaries of a round stay in the cache."""

_HALVES_PER_NORMAL = 12
"""16-bit numbers summed for one normal value: twelve of variance (2^32 - 1) / 12 have a deviation of 2^16 together."""


class Purpose(IntEnum):
    """What a number is drawn for; part of the counter, so that uses never share numbers."""

    EPOCH_ORDER = 1
    INTERVAL_ORDER = 2
    AUGMENTATION = 3
    WEIGHTS = 4
    MADE_UP_DATA = 5


def philox(counters: NDArray[np.uint32], key: tuple[int, int]) -> Words:
    """Four words for each row of ``counters`` (``(n, 4)``, uint32) under a key of two 32-bit words."""
    words = np.empty_like(counters)
    for start in range(0, len(counters), _CHUNK):
        words[start : start + _CHUNK] = _philox_chunk(counters[start : start + _CHUNK], key)
    return words


def _philox_chunk(counters: NDArray[np.uint32], key: tuple[int, int]) -> Words:
    c0, c1, c2, c3 = (counters[:, column].astype(np.uint64) for column in range(4))
    k0, k1 = key
    for _ in range(_ROUNDS):
        left, right = c0 * _MULTIPLIERS[0], c2 * _MULTIPLIERS[1]
        c0, c1 = (right >> _SHIFT) ^ c1 ^ np.uint64(k0), right & _MASK
        c2, c3 = (left >> _SHIFT) ^ c3 ^ np.uint64(k1), left & _MASK
        k0, k1 = (k0 + _WEYL[0]) & 0xFFFFFFFF, (k1 + _WEYL[1]) & 0xFFFFFFFF
    return np.stack((c0, c1, c2, c3), axis=1).astype(np.uint32)


def key_of(seed: int, salt: str) -> tuple[int, int]:
    """The generator's key: the first eight bytes of SHA-256 over ``seed:salt``, as two big-endian words."""
    digest = hashlib.sha256(f"{seed}:{salt}".encode()).digest()
    return int.from_bytes(digest[:4], "big"), int.from_bytes(digest[4:8], "big")


def words(seed: int, salt: str, purpose: Purpose, epoch: int, samples: Samples) -> Words:
    """Four 32-bit words for each of ``samples`` in ``epoch``: shape ``(len(samples), 4)``."""
    counters = np.zeros((len(samples), 4), dtype=np.uint32)
    counters[:, 0] = samples
    counters[:, 1] = epoch
    counters[:, 2] = purpose
    return philox(counters, key_of(seed, salt))


def bounded(numbers: Words, bound: int) -> NDArray[np.int64]:
    """Whole numbers in [0, ``bound``) from 32-bit ``numbers``; for small bounds the bias is below bound / 2^32."""
    return ((numbers.astype(np.uint64) * np.uint64(bound)) >> _SHIFT).astype(np.int64)


def epoch_order(seed: int, epoch: int, count: int) -> Samples:
    """The order of an epoch's samples, each exactly once: a function of the seed alone."""
    return _sorted_by_words(seed, "", Purpose.EPOCH_ORDER, epoch, np.arange(count, dtype=np.int64))


def interval_order(seed: int, salt: str, epoch: int, samples: Samples) -> Samples:
    """The samples of an interval in the order that its salt gives them."""
    return _sorted_by_words(seed, salt, Purpose.INTERVAL_ORDER, epoch, samples)


def _sorted_by_words(seed: int, salt: str, purpose: Purpose, epoch: int, samples: Samples) -> Samples:
    drawn = words(seed, salt, purpose, epoch, samples).astype(np.uint64)
    ordered: Samples = samples[np.argsort((drawn[:, 0] << _SHIFT) | drawn[:, 1], kind="stable")]
    return ordered


def normal(seed: int, stream: int, count: int) -> NDArray[np.float64]:
    """``count`` values of mean 0 and deviation 1 from ``stream``, near enough to normal for initial weights.

    A sum of uniform integers, so exact in double precision: no logarithm or cosine that differs between machines.
    """
    blocks = -(-count * _HALVES_PER_NORMAL // 8)
    drawn = words(seed, "", Purpose.WEIGHTS, stream, np.arange(blocks, dtype=np.int64))
    halves = drawn.reshape(-1).astype("<u4").view("<u2")[: count * _HALVES_PER_NORMAL]
    sums = halves.reshape(count, _HALVES_PER_NORMAL).sum(axis=1, dtype=np.int64)
    mean = _HALVES_PER_NORMAL * (2**16 - 1) / 2
    values: NDArray[np.float64] = (sums - mean) / 2.0**16
    return values
