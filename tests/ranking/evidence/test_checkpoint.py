"""Checkpoints: the library's files are read, everything else is refused, and nothing is ever unpickled."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save

from ranking.evidence import canonical
from ranking.evidence.checkpoint import CheckpointReader
from ranking.evidence.errors import EvidenceError
from ranking.evidence.model import Tensor
from ranking.evidence.tensor_header import HEADER_BYTES, MOST_TENSORS
from tests.bundles import checkpoint_bytes, safetensors, training_checkpoint

PICKLE = b"\x80\x04\x95\x1d" + bytes(7) + b"\x8c\x05posix\x94\x8c\x06system\x94\x93\x94\x8c\x02id\x94\x85\x94R\x94."
"""``os.system("id")`` as a pickle of protocol 4."""

TWO = {
    "a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
    "b": {"dtype": "U8", "shape": [2, 2], "data_offsets": [8, 12]},
}


def tensors_of(data: bytes, chunk_bytes: int = 1 << 20) -> tuple[Tensor, ...]:
    """Read a checkpoint in chunks."""
    reader = CheckpointReader("a.safetensors", len(data))
    for start in range(0, len(data), chunk_bytes):
        reader.feed(data[start : start + chunk_bytes])
    return reader.contents().tensors


def two(change: Callable[[dict[str, Any]], Any] = lambda _: None, data_bytes: int = 12) -> bytes:
    """A checkpoint of two tensors with a changed header."""
    header = json.loads(json.dumps(TWO))
    change(header)
    return checkpoint_bytes(canonical.dumps(header), bytes(data_bytes))


def refused(data: bytes) -> None:
    with pytest.raises(EvidenceError) as caught:
        tensors_of(data)
    assert caught.value.finding.id == "container.not_safetensors"
    assert caught.value.finding.place.startswith("a.safetensors")


@pytest.mark.parametrize("chunk_bytes", [1, 7, 8, 9, 1 << 20])
def test_what_the_library_writes_is_read(chunk_bytes: int) -> None:
    arrays: dict[str, np.ndarray[Any, Any]] = {
        "w": np.zeros((3, 2), np.float32),
        "n": np.array(5, np.int64),
        "empty": np.zeros((0, 4), np.float16),
    }
    tensors = tensors_of(save(arrays, metadata={"format": "test"}), chunk_bytes)
    assert {(t.name, t.dtype, t.shape, t.size_bytes) for t in tensors} == {
        ("n", "I64", (), 8),
        ("w", "F32", (3, 2), 24),
        ("empty", "F16", (0, 4), 0),
    }


def test_the_tests_own_checkpoints_are_read() -> None:
    data = safetensors({"weights": [1.0, 2.0]}, {"format": "x"})
    assert tensors_of(data) == (Tensor(name="weights", dtype="F32", shape=(2,), size_bytes=8),)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00" * 7,
        PICKLE,
        PICKLE * 100,
        b"PK\x03\x04" + bytes(100),
        b"\x89HDF\r\n\x1a\n" + bytes(100),
        struct.pack("<Q", 1 << 60),
        struct.pack("<Q", HEADER_BYTES + 1) + b"{}" + b" " * HEADER_BYTES,
        struct.pack("<Q", 100) + b"{}",
        struct.pack("<Q", 0),
        checkpoint_bytes(b"[]", b""),
        checkpoint_bytes(b' {"a":1}', b""),
        checkpoint_bytes(b"\xff\xff", b""),
        checkpoint_bytes(b'{"a":' * 10_000, b""),
        checkpoint_bytes(PICKLE, b""),
        checkpoint_bytes(b'{"a":1,"a":1}', b""),
        two(data_bytes=11),
        two(data_bytes=13),
        two(lambda h: h["a"].update(dtype="OBJECT")),
        two(lambda h: h["a"].update(dtype=["F32"])),
        two(lambda h: h["a"].update(shape=[3])),
        two(lambda h: h["a"].update(shape=[-2])),
        two(lambda h: h["a"].update(shape=[2.5])),
        two(lambda h: h["a"].update(shape=[True, 2])),
        two(lambda h: h["a"].update(shape=[2**52] * 16)),
        two(lambda h: h["a"].update(shape=[1] * 17)),
        two(lambda h: h["a"].update(shape="2")),
        two(lambda h: h["a"].update(data_offsets=[0])),
        two(lambda h: h["a"].update(data_offsets=[8, 0])),
        two(lambda h: h["a"].update(data_offsets=[-8, 0])),
        two(lambda h: h["a"].pop("dtype")),
        two(lambda h: h["a"].update(extra=1)),
        two(lambda h: h.update(a=[])),
        two(lambda h: h["b"].update(data_offsets=[7, 11])),
        two(lambda h: h["b"].update(data_offsets=[9, 13]), data_bytes=13),
        two(lambda h: h["b"].update(data_offsets=[0, 4])),
        two(lambda h: h.update(__metadata__=[])),
        two(lambda h: h.update(__metadata__={"a": 1})),
    ],
)
def test_everything_else_is_refused(data: bytes) -> None:
    refused(data)


def test_the_untouched_header_is_accepted() -> None:
    assert [tensor.name for tensor in tensors_of(two())] == ["a", "b"]


@given(st.binary(max_size=64))
def test_any_bytes_are_refused_or_read(data: bytes) -> None:
    try:
        tensors = tensors_of(data)
    except EvidenceError:
        return
    assert sum(tensor.size_bytes for tensor in tensors) <= len(data)


def test_only_the_header_is_held() -> None:
    reader = CheckpointReader("a.safetensors", 100_000_008 + 64)
    reader.feed(checkpoint_bytes(b'{"a":{"data_offsets":[0,99999999],"dtype":"U8","shape":[99999999]}}', b""))
    for _ in range(100):
        reader.feed(bytes(1_000_000))
    assert len(reader._head) < 100


@pytest.mark.parametrize("chunk_bytes", [1, 7, 31, 1 << 20])
def test_integers_and_digests_of_weights_are_kept(chunk_bytes: int) -> None:
    data = training_checkpoint("w/s/1", seed=2**31 - 1, interval=3, samples=-1, floats=5)
    reader = CheckpointReader("a.safetensors", len(data))
    for start in range(0, len(data), chunk_bytes):
        reader.feed(data[start : start + chunk_bytes])
    found = reader.contents()
    assert found.integers == {"rng.seed": 2**31 - 1, "position.interval": 3, "position.samples": -1}
    assert found.weights == {sha256(data[-20:]).hexdigest()}
    assert found.workload == "w/s/1"


def test_the_largest_weights_of_two_dimensions_are_digested_and_nothing_else() -> None:
    arrays: dict[str, np.ndarray[Any, Any]] = {
        f"model.layer{number}.weight": np.full((number, 2), number, np.float32) for number in range(12)
    }
    arrays |= {
        "model.bias": np.ones(100, np.float32),
        "model.count": np.ones((9, 9), np.int64),
        "optimizer.x": np.ones((9, 9), np.float32),
    }
    data = save(arrays)
    reader = CheckpointReader("a.safetensors", len(data))
    reader.feed(data)
    expected = {sha256(arrays[f"model.layer{number}.weight"].tobytes()).hexdigest() for number in range(4, 12)}
    assert reader.contents().weights == expected


def test_too_many_tensors_are_refused() -> None:
    header = {f"t{number}": {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]} for number in range(MOST_TENSORS + 1)}
    refused(checkpoint_bytes(canonical.dumps(header), b""))
