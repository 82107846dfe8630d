"""The SHA-256 chain through a run's lines: each line names the digest of the line before."""

from __future__ import annotations

from hashlib import sha256

from ranking.evidence import canonical


def genesis(nonce: str, index: int, seed: int) -> str:
    """What the first line of run ``index`` names as the line before: a digest of what the run was bound to."""
    return sha256(canonical.dumps({"index": index, "nonce": nonce, "seed": seed, "ticket": None})).hexdigest()


def next_head(line: bytes) -> str:
    """The chain's head after ``line``, given without its newline."""
    return sha256(line).hexdigest()


class Chain:
    """Sequence number and head of a chain that grows: ``seq`` and ``head`` belong into the next line."""

    __slots__ = ("head", "seq")

    def __init__(self, start: str) -> None:
        self.seq = 0
        self.head = start

    def append(self, line: bytes) -> None:
        """Take ``line``, without its newline, as the chain's newest."""
        self.head = next_head(line)
        self.seq += 1
