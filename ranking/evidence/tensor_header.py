"""Headers of safetensors files, checked in pure Python: nothing else is a checkpoint, and nothing is ever unpickled."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Final

from ranking.evidence import canonical
from ranking.evidence.errors import EvidenceError, fault
from ranking.evidence.fields import Fields, kind_of
from ranking.evidence.model import Json, Tensor

LENGTH_BYTES: Final = 8
"""Little-endian length of the header, in front of it."""

HEADER_BYTES: Final = 1 << 20
"""Longest header: ResNet-50 with optimizer state has some 500 tensors of 100 bytes each, 20 times less."""

MOST_TENSORS: Final = 4_096
"""Tensors of a checkpoint: eight times those of ResNet-50 with optimizer state."""

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
NOT_SAFETENSORS: Final = "container.not_safetensors"


@dataclass(frozen=True, slots=True)
class Header:
    """A header that was read: its metadata, and the tensors in the order of their data."""

    metadata: dict[str, str]
    tensors: tuple[Tensor, ...]


def read_header(head: bytes, size_bytes: int, name: str) -> Header:
    """Tensors named by ``head``, the first bytes of a file of ``size_bytes``; their data fills the rest of it."""
    length = int.from_bytes(head[:LENGTH_BYTES], "little")
    data_bytes = size_bytes - LENGTH_BYTES - length
    if len(head) < LENGTH_BYTES or length > HEADER_BYTES or data_bytes < 0:
        raise fault(
            NOT_SAFETENSORS,
            name,
            expected="the length of a header",
            got=head[:LENGTH_BYTES].hex(" ") or "an empty file",
        )
    document = _header(head[LENGTH_BYTES : LENGTH_BYTES + length], name)
    metadata = _metadata(document.pop(_METADATA, {}), name)
    if len(document) > MOST_TENSORS:
        raise fault(NOT_SAFETENSORS, name, expected=f"at most {MOST_TENSORS} tensors", got=len(document))
    placed = sorted((_tensor(key, value, name) for key, value in document.items()), key=_place)
    end = 0
    for begin, tensor in placed:
        if begin != end:
            raise fault(NOT_SAFETENSORS, name, expected=f"{tensor.name} to begin at {end}", got=begin)
        end += tensor.size_bytes
    if end != data_bytes:
        raise fault(NOT_SAFETENSORS, name, expected=f"{end} bytes of data", got=data_bytes)
    return Header(metadata, tuple(tensor for _, tensor in placed))


def _header(data: bytes, name: str) -> dict[str, Json]:
    try:
        document = canonical.loads(data, place=name)
    except EvidenceError as error:
        raise fault(NOT_SAFETENSORS, name, expected="a header in strict JSON", got=error.finding.got) from error
    if not isinstance(document, dict) or not data.startswith(b"{"):
        raise fault(NOT_SAFETENSORS, name, expected="a header that is one object", got=data[:8].hex(" "))
    return document


def _metadata(value: Json, name: str) -> dict[str, str]:
    texts = {key: text for key, text in value.items() if isinstance(text, str)} if isinstance(value, dict) else None
    if texts is None or texts.keys() != value.keys():  # type: ignore[union-attr]
        raise fault(NOT_SAFETENSORS, name, expected=f"{_METADATA} of texts", got=kind_of(value))
    return texts


def _place(placed: tuple[int, Tensor]) -> tuple[int, int]:
    """Begin and size: an empty tensor stands before the one that begins at the same byte."""
    return placed[0], placed[1].size_bytes


def _tensor(key: str, value: Json, name: str) -> tuple[int, Tensor]:
    fields = Fields(value, name, rule=NOT_SAFETENSORS, where=key).only(frozenset({"dtype", "shape", "data_offsets"}))
    dtype = fields.word("dtype", DTYPE_BYTES)
    shape = fields.integers("shape", most=MOST_DIMENSIONS)
    offsets = fields.integers("data_offsets", most=2)
    size_bytes = prod(shape) * DTYPE_BYTES[dtype]
    if len(offsets) != 2 or offsets[1] - offsets[0] != size_bytes:
        raise fields.wrong("data_offsets", f"{size_bytes} bytes")
    return offsets[0], Tensor(name=key, dtype=dtype, shape=shape, size_bytes=size_bytes)
