"""Images: what is read, how the digits are split, and augmentation that is only a shift or a flip."""

from __future__ import annotations

import gzip
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from tests.workloads.tasks import LITE, SHORT, SMOKE, task
from workloads.datasets.search import ensure
from workloads.engine.schedule import Interval, intervals
from workloads.errors import DatasetError
from workloads.image_classification.data import PIXELS, Images, ImagesOnDevice, read

CPU = torch.device("cpu")
TINY = replace(
    LITE, dataset=replace(LITE.dataset, train_samples=6, eval_samples=2), input_shape=(1, 5, 4), epoch_budget=1
)
"""Fashion-MNIST's format with eight images of 5 x 4 pixels."""


def idx(array: NDArray[np.uint8]) -> bytes:
    """A compressed IDX file of unsigned bytes."""
    return gzip.compress(struct.pack(f">{array.ndim + 1}I", 0x800 | array.ndim, *array.shape) + array.tobytes())


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A folder with TINY's four files; every pixel of the training images has a value of its own."""
    pixels = np.arange(6 * 20, dtype=np.uint8).reshape(6, 5, 4)
    names = [file.name for file in TINY.dataset.files]
    arrays = (pixels, np.arange(6, dtype=np.uint8), pixels[:2] + np.uint8(100), np.array([3, 4], dtype=np.uint8))
    for name, array in zip(names, arrays, strict=True):
        (tmp_path / name).write_bytes(idx(array))
    return tmp_path


def opened(folder: Path, *, salt: str = "", **recipe: int | str) -> ImagesOnDevice:
    """TINY's images on the CPU with an interval of one epoch begun."""
    workload = replace(TINY, hyperparameters={**TINY.hyperparameters, **recipe})
    data = ImagesOnDevice(replace(task(folder, SHORT), workload=workload, data_dir=folder), CPU)
    data.begin(Interval(index=0, first=0, last=6, salt=salt))
    return data


def bytes_of(images: torch.Tensor, dataset: str = "fashion-mnist") -> NDArray[np.uint8]:
    """Normalised images back in the units of the file."""
    statistics = PIXELS[dataset]
    return np.rint(images.numpy() * statistics.deviation + statistics.mean).astype(np.uint8)


def variants(images: Images, number: int, margin: int) -> list[NDArray[np.uint8]]:
    """All shifts up to ``margin`` of a training image, each also mirrored."""
    padded = np.pad(images.train[number, 0], margin)
    places = [(row, column) for row in range(2 * margin + 1) for column in range(2 * margin + 1)]
    shifted = [padded[row : row + 5, column : column + 4] for row, column in places]
    return [*shifted, *(image[:, ::-1] for image in shifted)]


def test_fashion_mnist_files_are_read(tiny: Path) -> None:
    images = read(TINY, tiny)
    assert images.train.shape == (6, 1, 5, 4)
    assert images.train_labels.tolist() == [0, 1, 2, 3, 4, 5]
    assert images.evaluation[0, 0, 0].tolist() == [100, 101, 102, 103]


def test_every_fifth_digit_is_for_evaluation() -> None:
    images = read(SMOKE, ensure(SMOKE))
    assert (images.train.shape, images.evaluation.shape) == ((1437, 1, 8, 8), (360, 1, 8, 8))
    assert images.evaluation_labels[:4].tolist() == [0, 5, 0, 5]
    assert images.train_labels[:8].tolist() == [1, 2, 3, 4, 6, 7, 8, 9]
    assert set(images.evaluation_labels) == set(range(10))


def test_pixel_statistics_are_those_of_the_training_images() -> None:
    images = read(SMOKE, ensure(SMOKE))
    assert images.train.mean() == pytest.approx(PIXELS["digits"].mean, abs=1e-3)
    assert images.train.std() == pytest.approx(PIXELS["digits"].deviation, abs=1e-3)


def test_an_epoch_without_augmentation_is_every_image_once_beside_its_label(tiny: Path) -> None:
    images, labels = opened(tiny, flip="false").batch(0, 6)
    assert sorted(labels.tolist()) == [0, 1, 2, 3, 4, 5]
    assert np.array_equal(bytes_of(images), read(TINY, tiny).train[labels.numpy()])


@pytest.mark.parametrize("margin", [0, 1, 2])
def test_augmented_images_are_shifts_and_flips_of_the_originals(tiny: Path, margin: int) -> None:
    images, labels = opened(tiny, shift_pixels=margin).batch(0, 6)
    originals = read(TINY, tiny)
    for image, label in zip(bytes_of(images)[:, 0], labels.tolist(), strict=True):
        assert any(np.array_equal(image, variant) for variant in variants(originals, label, margin))


def test_the_salt_decides_order_and_flips(tiny: Path) -> None:
    seen = [opened(tiny, salt=salt).batch(0, 6) for salt in ("", "a", "b", "c")]
    assert len({tuple(labels.tolist()) for _, labels in seen}) == 4
    corners = {tuple(bytes_of(images)[np.argsort(labels.numpy()), 0, 0, 0].tolist()) for images, labels in seen}
    assert len(corners) > 1


def test_two_epochs_in_one_interval_show_every_image_twice(tmp_path: Path) -> None:
    data = ImagesOnDevice(task(tmp_path, SHORT), CPU)
    data.begin(Interval(index=0, first=0, last=2 * 1437, salt=""))
    _, first = data.batch(0, 1437)
    _, second = data.batch(1437, 2 * 1437)
    assert first.sort().values.equal(second.sort().values)
    assert not first.equal(second)


def test_the_intervals_of_an_epoch_share_no_image(tmp_path: Path) -> None:
    training = task(tmp_path, SHORT, salts=("a", "b", "c"))
    data = ImagesOnDevice(training, CPU)
    seen = []
    for interval in intervals(training):
        data.begin(interval)
        seen.append(bytes_of(data.batch(0, interval.samples)[0], "digits"))
    shown = np.concatenate(seen).reshape(1437, -1)
    published = read(SHORT, training.data_dir).train.reshape(1437, -1)
    assert sorted(map(tuple, shown.tolist())) == sorted(map(tuple, published.tolist()))


def test_evaluation_covers_the_whole_set_once_and_unchanged(tiny: Path) -> None:
    data = opened(tiny)
    assert data.evaluation_batches() == [(0, 2)]
    images, labels = data.evaluation_batch(0, 2)
    assert np.array_equal(bytes_of(images), read(TINY, tiny).evaluation)
    assert labels.tolist() == [3, 4]


@pytest.mark.parametrize(
    "content",
    [
        b"no gzip at all",
        gzip.compress(b"short"),
        gzip.compress(struct.pack(">4I", 0x0D03, 6, 5, 4) + bytes(120)),
        gzip.compress(struct.pack(">4I", 0x0803, 6, 5, 4) + bytes(119)),
        gzip.compress(struct.pack(">4I", 0x0803, 5, 6, 4) + bytes(120)),
        gzip.compress(bytes(1000))[:-9],
        gzip.compress(bytes(1000))[:12] + b"\xff" * 20,
    ],
    ids=["not gzip", "too short", "floats", "a byte missing", "another shape", "cut gzip", "damaged gzip"],
)
def test_unreadable_files_are_an_error_with_an_id(tiny: Path, content: bytes) -> None:
    (tiny / TINY.dataset.files[0].name).write_bytes(content)
    with pytest.raises(DatasetError) as caught:
        read(TINY, tiny)
    assert caught.value.id == "data.unreadable"
    assert caught.value.place == str(tiny)
