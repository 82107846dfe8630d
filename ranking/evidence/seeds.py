"""Seeds of a run set that has no ticket: anyone can derive them again from the nonce."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

SEED_BITS: Final = 31
"""Width of a seed: the widest that every framework takes as a signed 32-bit number."""


def own_seeds(nonce: str, count: int) -> tuple[int, ...]:
    """``count`` seeds of ``nonce``, in order; a seed that came before is passed over, so that all are distinct."""
    seeds: list[int] = []
    index = 0
    while len(seeds) < count:
        seed = _seed(nonce, index)
        if seed not in seeds:
            seeds.append(seed)
        index += 1
    return tuple(seeds)


def _seed(nonce: str, index: int) -> int:
    digest = sha256(f"{nonce}:{index}".encode("ascii")).digest()
    return int.from_bytes(digest[:8], "big") >> (64 - SEED_BITS)
