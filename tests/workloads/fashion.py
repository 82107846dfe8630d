"""A small data set in the format and under the name of Fashion-MNIST, for tests that need no 30 MB."""

from __future__ import annotations

import dataclasses
import gzip
import hashlib
import struct
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tests.workloads.tiny import TINY
from workloads.definition import DataFile, Dataset, Workload

TRAIN, EVALUATION = 50, 20


def idx(array: NDArray[np.uint8], header: int) -> bytes:
    """A compressed IDX file with one array."""
    sizes = struct.pack(f">{1 + array.ndim}I", header, *array.shape)
    return gzip.compress(sizes + array.tobytes(), mtime=0)


def contents() -> dict[str, bytes]:
    """The four files: every pixel of image n is n, its label is n modulo 10."""
    files = {}
    for prefix, count in (("train", TRAIN), ("t10k", EVALUATION)):
        numbers = np.arange(count, dtype=np.uint8)
        images = np.broadcast_to(numbers[:, None, None], (count, 28, 28))
        files[f"{prefix}-images-idx3-ubyte.gz"] = idx(images, 0x803)
        files[f"{prefix}-labels-idx1-ubyte.gz"] = idx(numbers % 10, 0x801)
    return files


def data_file(name: str, content: bytes, urls: tuple[str, ...] = ()) -> DataFile:
    """The entry of a definition for a file with that content."""
    return DataFile(name=name, sha256=hashlib.sha256(content).hexdigest(), size_bytes=len(content), urls=urls)


def workload_of(files: Mapping[str, bytes], urls: tuple[str, ...] = ()) -> Workload:
    """A workload on those files; ``urls`` are folders that hold them."""
    dataset = Dataset(
        name="fashion-mnist",
        title="Small Fashion-MNIST",
        train_samples=TRAIN,
        eval_samples=EVALUATION,
        licence="MIT",
        files=tuple(data_file(name, data, tuple(url + name for url in urls)) for name, data in files.items()),
    )
    return dataclasses.replace(TINY, dataset=dataset, input_shape=(1, 28, 28))
