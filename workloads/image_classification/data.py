"""Images and labels of the small data sets: found, read, kept whole on the device, augmented by the generator."""

from __future__ import annotations

import gzip
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from workloads import random
from workloads.datasets.search import ensure, locate, not_available
from workloads.definition import TrainingTask, Workload
from workloads.engine import numerics
from workloads.engine.problem import Batch
from workloads.engine.schedule import EpochPart, Interval, epoch_parts
from workloads.errors import DatasetError

__all__ = ["Images", "ImagesOnDevice", "ensure", "locate", "read"]

EVALUATION_BATCH_SIZE = 1000
"""Images: large enough for a GPU, small enough that a CPU's activations stay within megabytes."""

DIGITS_EVALUATION_STRIDE = 5
"""Every fifth of the digits, from the first on, is an evaluation image: a fixed rule, 360 of 1,797."""

_IDX_HEADERS = {1: 0x00000801, 3: 0x00000803}
"""First word of an IDX file of unsigned bytes, by its number of dimensions (LeCun's MNIST format)."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """Mean and deviation of the training images' pixels, in the units of the file."""

    mean: float
    deviation: float


PIXELS = {"fashion-mnist": Statistics(72.940, 90.021), "digits": Statistics(4.883, 6.021)}
"""Measured over the training split of each data set."""


@dataclass(frozen=True, slots=True)
class Images:
    """A data set in memory: images ``(N, C, H, W)`` and labels ``(N,)``, both uint8."""

    train: NDArray[np.uint8]
    train_labels: NDArray[np.uint8]
    evaluation: NDArray[np.uint8]
    evaluation_labels: NDArray[np.uint8]


def read(workload: Workload, folder: Path) -> Images:
    """The data set of ``workload`` out of its files in ``folder``; raises DatasetError where they are not it."""
    readers = {"fashion-mnist": _read_fashion_mnist, "digits": _read_digits}
    if workload.dataset.name not in readers:
        raise not_available(workload)
    try:
        images = readers[workload.dataset.name](folder)
    except (OSError, EOFError, ValueError, struct.error, zlib.error) as error:
        raise _unreadable(workload, folder, str(error)) from error
    _check_counts(workload, folder, images)
    return images


def _read_fashion_mnist(folder: Path) -> Images:
    return Images(
        train=_read_idx(folder / "train-images-idx3-ubyte.gz", 3)[:, np.newaxis],
        train_labels=_read_idx(folder / "train-labels-idx1-ubyte.gz", 1),
        evaluation=_read_idx(folder / "t10k-images-idx3-ubyte.gz", 3)[:, np.newaxis],
        evaluation_labels=_read_idx(folder / "t10k-labels-idx1-ubyte.gz", 1),
    )


def _read_idx(path: Path, dimensions: int) -> NDArray[np.uint8]:
    content = gzip.decompress(path.read_bytes())
    header, *sizes = struct.unpack_from(f">{dimensions + 1}I", content)
    if header != _IDX_HEADERS[dimensions]:
        raise ValueError(f"{path.name} starts with {header:#010x}, not {_IDX_HEADERS[dimensions]:#010x}")
    return np.frombuffer(content, dtype=np.uint8, offset=4 * (dimensions + 1)).reshape(sizes)


def _read_digits(folder: Path) -> Images:
    with gzip.open(folder / "digits.csv.gz", "rt", encoding="ascii") as file:
        table = np.loadtxt(file, delimiter=",", dtype=np.uint8)
    images, labels = table[:, :-1].reshape(-1, 1, 8, 8), table[:, -1]
    evaluation = np.arange(len(table)) % DIGITS_EVALUATION_STRIDE == 0
    return Images(images[~evaluation], labels[~evaluation], images[evaluation], labels[evaluation])


def _check_counts(workload: Workload, folder: Path, images: Images) -> None:
    expected = (
        (workload.dataset.train_samples, *workload.input_shape),
        (workload.dataset.eval_samples, *workload.input_shape),
    )
    got = (images.train.shape, images.evaluation.shape)
    if got != expected or (len(images.train_labels), len(images.evaluation_labels)) != (got[0][0], got[1][0]):
        raise _unreadable(workload, folder, f"shapes {got}, not {expected}")


def _unreadable(workload: Workload, folder: Path, got: str) -> DatasetError:
    return DatasetError(
        "data.unreadable",
        f"The files of {workload.dataset.title} cannot be read.",
        place=folder,
        expected=", ".join(file.name for file in workload.dataset.files),
        got=got,
        action="Remove them and run again: they are fetched anew.",
    )


class ImagesOnDevice:
    """A data set that lies on the device whole, as bytes with a margin for shifts; batches are gathered there."""

    def __init__(self, task: TrainingTask, device: torch.device) -> None:
        images = read(task.workload, task.data_dir)
        recipe = task.workload.hyperparameters
        self._task, self._device = task, device
        self._margin = cast(int, recipe["shift_pixels"])
        self._flip = recipe["flip"] == "true"
        self._statistics = PIXELS[task.workload.dataset.name]
        padded = np.pad(images.train, ((0, 0), (0, 0), *((self._margin, self._margin),) * 2))
        self._train = torch.from_numpy(padded).to(device)
        self._train_labels = torch.from_numpy(images.train_labels.astype(np.int64)).to(device)
        self._evaluation = torch.from_numpy(images.evaluation.copy()).to(device)
        self._evaluation_labels = torch.from_numpy(images.evaluation_labels.astype(np.int64)).to(device)

    def begin(self, interval: Interval) -> None:
        """Draw order, shifts and flips of the interval; they go to the device in one piece."""
        parts = epoch_parts(interval, self._task.workload.dataset.train_samples)
        drawn = [self._draw(part, interval.salt) for part in parts]
        table = torch.from_numpy(np.concatenate(drawn, axis=1)).to(self._device)
        self._samples, self._rows, self._columns, self._flips = table

    def batch(self, start: int, stop: int) -> Batch:
        """Augmented images and labels of the interval's samples ``start`` to ``stop``."""
        samples = self._samples[start:stop]
        return self._normalised(self._augmented(start, stop)), self._train_labels[samples]

    def evaluation_batches(self) -> list[tuple[int, int]]:
        """Ranges over the evaluation images."""
        count = len(self._evaluation)
        starts = range(0, count, EVALUATION_BATCH_SIZE)
        return [(start, min(count, start + EVALUATION_BATCH_SIZE)) for start in starts]

    def evaluation_batch(self, start: int, stop: int) -> Batch:
        """Evaluation images as they are, and their labels."""
        return self._normalised(self._evaluation[start:stop]), self._evaluation_labels[start:stop]

    def _draw(self, part: EpochPart, salt: str) -> NDArray[np.int64]:
        """Sample, row shift, column shift and flip of each position, in the interval's order: shape ``(4, n)``."""
        seed, count = self._task.seed, self._task.workload.dataset.train_samples
        positions = random.epoch_order(seed, part.epoch, count)[part.start : part.stop]
        samples = random.interval_order(seed, salt, part.epoch, positions)
        words = random.words(seed, salt, random.Purpose.AUGMENTATION, part.epoch, samples)
        rows = random.bounded(words[:, 0], 2 * self._margin + 1)
        columns = random.bounded(words[:, 1], 2 * self._margin + 1)
        flips = random.bounded(words[:, 2], 2 if self._flip else 1)
        return np.stack((samples, rows, columns, flips))

    def _augmented(self, start: int, stop: int) -> Tensor:
        """Gather shifted and flipped images by computed addresses: one pass over the bytes, no copy between."""
        _, channels, padded_height, padded_width = self._train.shape
        height, width = padded_height - 2 * self._margin, padded_width - 2 * self._margin
        across = torch.arange(width, device=self._device)
        flips = self._flips[start:stop, None]
        columns = self._columns[start:stop, None] + torch.where(flips == 1, width - 1 - across, across)
        rows = self._rows[start:stop, None] + torch.arange(height, device=self._device)
        planes = self._samples[start:stop, None] * channels + torch.arange(channels, device=self._device)
        lines = planes[:, :, None] * padded_height + rows[:, None, :]
        return self._train.view(-1)[lines[..., None] * padded_width + columns[:, None, None, :]]

    def _normalised(self, images: Tensor) -> Tensor:
        floats = images.to(torch.float32).sub_(self._statistics.mean).div_(self._statistics.deviation)
        return floats.contiguous(memory_format=numerics.memory_format(self._task.configuration))
