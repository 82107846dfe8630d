"""Checkpoints are safetensors and nothing else: the header is checked in pure Python, the data is never interpreted."""

from __future__ import annotations

from math import prod
from typing import Final

from ranking.evidence import canonical
from ranking.evidence.errors import EvidenceError, fault
from ranking.evidence.fields import Fields
from ranking.evidence.model import Json, Tensor

LENGTH_BYTES: Final = 8
"""Little-endian length of the header, in front of it."""

HEADER_BYTES: Final = 4 << 20
"""Longest header: ResNet-50 with optimizer state has some 500 tensors of 100 bytes each, 80 times less."""

MOST_DIMENSIONS: Final = 16
"""Dimensions of a tensor; networks use 5."""

DTYPE_BYTES: Final = {
    "BOOL": 1,
    "U8": 1,
    "I8": 1,
    "F8_E5M2": 1,
    "F8_E4M3": 1,
    "U16": 2,
    "I16": 2,
    "F16": 2,
    "BF16": 2,
    "U32": 4,
    "I32": 4,
    "F32": 4,
    "U64": 8,
    "I64": 8,
    "F64": 8,
}
"""Element types of safetensors and their sizes."""

_METADATA: Final = "__metadata__"
_RULE: Final = "container.not_safetensors"


class HeaderReader:
    """Takes a checkpoint in chunks and keeps its header alone; ``tensors`` reads it once the file has passed by."""

    def __init__(self, name: str, size_bytes: int) -> None:
        self._name = name
        self._size_bytes = size_bytes
        self._head = bytearray()
        self._wanted = LENGTH_BYTES

    def feed(self, chunk: bytes) -> None:
        """Take the next part of the file."""
        missing = self._wanted - len(self._head)
        if missing <= 0:
            return
        self._head += chunk[:missing]
        if self._wanted == LENGTH_BYTES and len(self._head) == LENGTH_BYTES:
            self._wanted += min(int.from_bytes(self._head, "little"), HEADER_BYTES)
            self.feed(chunk[missing:])

    def tensors(self) -> tuple[Tensor, ...]:
        """Tensors in the order of their data. Raises EvidenceError where the file is no safetensors."""
        return read_header(bytes(self._head), self._size_bytes, self._name)


def read_header(head: bytes, size_bytes: int, name: str) -> tuple[Tensor, ...]:
    """Tensors named by ``head``, the first bytes of a file of ``size_bytes``; their data fills the rest of it."""
    length = int.from_bytes(head[:LENGTH_BYTES], "little")
    data_bytes = size_bytes - LENGTH_BYTES - length
    if len(head) < LENGTH_BYTES or length > HEADER_BYTES or data_bytes < 0:
        raise fault(_RULE, name, expected="the length of a header", got=head[:LENGTH_BYTES].hex(" ") or "an empty file")
    document = _header(head[LENGTH_BYTES : LENGTH_BYTES + length], name)
    _check_metadata(document.pop(_METADATA, {}), name)
    placed = sorted((_tensor(key, value, name) for key, value in document.items()), key=_place)
    end = 0
    for begin, tensor in placed:
        if begin != end:
            raise fault(_RULE, name, expected=f"{tensor.name} to begin at {end}", got=begin)
        end += tensor.size_bytes
    if end != data_bytes:
        raise fault(_RULE, name, expected=f"{end} bytes of data", got=data_bytes)
    return tuple(tensor for _, tensor in placed)


def _header(data: bytes, name: str) -> dict[str, Json]:
    try:
        document = canonical.loads(data, place=name)
    except EvidenceError as error:
        raise fault(_RULE, name, expected="a header in strict JSON", got=error.finding.got) from error
    if not isinstance(document, dict) or not data.startswith(b"{"):
        raise fault(_RULE, name, expected="a header that is one object", got=data[:8].hex(" "))
    return document


def _check_metadata(value: Json, name: str) -> None:
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise fault(_RULE, name, expected=f"{_METADATA} of texts", got=value)


def _place(placed: tuple[int, Tensor]) -> tuple[int, int]:
    """Begin and size: an empty tensor stands before the one that begins at the same byte."""
    return placed[0], placed[1].size_bytes


def _tensor(key: str, value: Json, name: str) -> tuple[int, Tensor]:
    fields = Fields(value, name, rule=_RULE, where=key).only(frozenset({"dtype", "shape", "data_offsets"}))
    dtype = fields.word("dtype", DTYPE_BYTES)
    shape = fields.integers("shape", most=MOST_DIMENSIONS)
    offsets = fields.integers("data_offsets", most=2)
    size_bytes = prod(shape) * DTYPE_BYTES[dtype]
    if len(offsets) != 2 or offsets[1] - offsets[0] != size_bytes:
        raise fields.wrong("data_offsets", f"{size_bytes} bytes")
    return offsets[0], Tensor(name=key, dtype=dtype, shape=shape, size_bytes=size_bytes)
