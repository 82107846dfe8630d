"""Seeds, the chain through a run's lines, and the clocks that stamp them."""

from __future__ import annotations

from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from ranking.evidence.chain import Chain, genesis, next_head
from ranking.evidence.clock import system_clock
from ranking.evidence.seeds import own_seeds

NONCES = st.text("0123456789abcdef", min_size=32, max_size=32)


@given(NONCES, st.integers(1, 64))
def test_own_seeds_are_distinct_and_fit_31_bits(nonce: str, count: int) -> None:
    seeds = own_seeds(nonce, count)
    assert len(set(seeds)) == count
    assert all(0 <= seed < 2**31 for seed in seeds)


@given(NONCES)
def test_a_longer_list_of_seeds_begins_with_the_shorter_one(nonce: str) -> None:
    assert own_seeds(nonce, 8)[:5] == own_seeds(nonce, 5)


def test_own_seeds_can_be_derived_by_anyone() -> None:
    nonce = "00112233445566778899aabbccddeeff"
    first = sha256(b"00112233445566778899aabbccddeeff:0").hexdigest()
    assert own_seeds(nonce, 1) == (int(first[:16], 16) >> 33,)


def test_the_first_line_is_bound_to_nonce_index_and_seed() -> None:
    bound = {genesis("a" * 32, 0, 1), genesis("b" * 32, 0, 1), genesis("a" * 32, 1, 1), genesis("a" * 32, 0, 2)}
    assert len(bound) == 4
    assert (
        genesis("a" * 32, 0, 1) == sha256(b'{"index":0,"nonce":"%s","seed":1,"ticket":null}' % (b"a" * 32)).hexdigest()
    )


def test_a_chain_counts_its_lines_and_ends_with_the_last_one() -> None:
    chain = Chain("start")
    chain.append(b"one")
    chain.append(b"two")
    assert (chain.seq, chain.head) == (2, next_head(b"two"))


def test_the_clocks_go_forward() -> None:
    first, second = system_clock(), system_clock()
    assert second.clock_us >= first.clock_us
    assert second.time_ms >= first.time_ms - 1_000
