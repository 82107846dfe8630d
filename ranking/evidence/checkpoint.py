"""Checkpoints in one pass: the header, three integers of the data, and digests; the rest is never interpreted.

Format 1 names its tensors ``model.*``, ``optimizer.*``, ``rng.*`` and ``position.*``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from ranking.evidence.errors import EvidenceError, fault
from ranking.evidence.model import Tensor
from ranking.evidence.tensor_header import HEADER_BYTES, LENGTH_BYTES, NOT_SAFETENSORS, Header, read_header

FORMAT: Final = "vflops-checkpoint/1"
"""Key of the metadata whose value is the id of the workload that was trained."""

SEED: Final = "rng.seed"
SAMPLES: Final = "position.samples"
INTERVAL: Final = "position.interval"
INTEGERS: Final = frozenset({SEED, SAMPLES, INTERVAL})
"""Tensors of one 64-bit integer that say where in which run a checkpoint stands."""

MODEL: Final = "model."
"""What the names of weights and batch statistics begin with."""

NARROW_FLOATS: Final = frozenset({"F8_E5M2", "F8_E4M3", "F16", "BF16"})
FLOATS: Final = NARROW_FLOATS | {"F32", "F64"}

DIGESTED: Final = 8
"""Largest weights of a checkpoint that get a digest of their own, to be compared between checkpoints."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What is kept of a checkpoint: ``workload`` from its metadata, its tensors in the order of their data, the values
    of INTEGERS, and the digests of its largest weights.
    """

    workload: str | None
    tensors: tuple[Tensor, ...]
    integers: Mapping[str, int]
    weights: frozenset[str]


class CheckpointReader:
    """Takes a checkpoint in chunks and reads its header as soon as that is whole; ``contents`` at the end."""

    def __init__(self, name: str, size_bytes: int) -> None:
        self._name = name
        self._size_bytes = size_bytes
        self._head = bytearray()
        self._wanted = LENGTH_BYTES
        self._header: Header | None = None
        self._error: EvidenceError | None = None
        self._parts: list[_Part] = []
        self._at = 0

    def feed(self, chunk: bytes) -> None:
        """Take the next part of the file."""
        missing = self._wanted - len(self._head)
        if missing > 0:
            self._head += chunk[:missing]
            chunk = chunk[missing:]
            if self._wanted == LENGTH_BYTES and len(self._head) == LENGTH_BYTES:
                self._wanted += min(int.from_bytes(self._head, "little"), HEADER_BYTES)
                self.feed(chunk)
            elif len(self._head) == self._wanted:
                self._end_of_header()
                self._data(chunk)
        else:
            self._data(chunk)

    def contents(self) -> Contents:
        """What the checkpoint holds. Raises EvidenceError where the file is no safetensors."""
        if self._header is None and self._error is None:
            self._end_of_header()
        if self._header is None:
            raise self._error or fault(NOT_SAFETENSORS, self._name)
        values = {part.tensor: part for part in self._parts}
        return Contents(
            workload=self._header.metadata.get(FORMAT),
            tensors=self._header.tensors,
            integers={name: part.integer() for name, part in values.items() if name in INTEGERS},
            weights=frozenset(part.digest() for name, part in values.items() if name not in INTEGERS),
        )

    def _end_of_header(self) -> None:
        try:
            self._header = read_header(bytes(self._head), self._size_bytes, self._name)
        except EvidenceError as error:
            self._error = error
        else:
            self._parts = _parts(self._header.tensors)

    def _data(self, chunk: bytes) -> None:
        """Hand each part that is kept what ``chunk`` has of it."""
        for part in self._parts:
            part.feed(chunk, self._at)
        self._at += len(chunk)


class _Part:
    """A tensor whose data is kept as a digest, or as it is where it is short."""

    def __init__(self, tensor: str, begin: int, end: int) -> None:
        self.tensor = tensor
        self._begin = begin
        self._end = end
        self._digest = sha256()
        self._first = b""

    def feed(self, chunk: bytes, at: int) -> None:
        """Take what ``chunk``, which begins ``at`` bytes into the data, has of this tensor."""
        if at + len(chunk) > self._begin and at < self._end:
            mine = memoryview(chunk)[max(self._begin - at, 0) : self._end - at]
            self._digest.update(mine)
            self._first += bytes(mine[: 8 - len(self._first)])

    def integer(self) -> int:
        """The tensor's data as one little-endian integer of 64 bits."""
        return int.from_bytes(self._first, "little", signed=True)

    def digest(self) -> str:
        """SHA-256 of the tensor's data."""
        return self._digest.hexdigest()


def _parts(tensors: Sequence[Tensor]) -> list[_Part]:
    """What is kept of the data: the integers, and the largest weights of two dimensions or more.

    Training changes all of those in every step; vectors of few values may come out equal.
    """
    weights = [t for t in tensors if t.name.startswith(MODEL) and t.dtype in FLOATS and len(t.shape) > 1]
    largest = {t.name for t in sorted(weights, key=lambda t: -t.size_bytes)[:DIGESTED] if t.size_bytes}
    found, end = [], 0
    for tensor in tensors:
        begin, end = end, end + tensor.size_bytes
        is_integer = tensor.name in INTEGERS and (tensor.dtype, tensor.shape) == ("I64", ())
        if is_integer or tensor.name in largest:
            found.append(_Part(tensor.name, begin, end))
    return found
