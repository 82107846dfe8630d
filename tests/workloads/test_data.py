"""Images and labels: read as published, each sample once an epoch, augmented by the generator alone."""

from __future__ import annotations

import dataclasses
import gzip
import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from tests.workloads import fashion
from tests.workloads.tiny import TINY, make_task
from workloads.definition import EvaluationSchedule, TrainingTask, Workload, find, registry
from workloads.engine.schedule import Interval, intervals
from workloads.errors import DatasetError
from workloads.image_classification.data import PIXELS, ImagesOnDevice, read
from workloads.image_classification.model import shape

CPU = torch.device("cpu")
ONE_EVALUATION = EvaluationSchedule(offset_samples=10_000, interval_samples=10_000)


def with_recipe(**values: int | str) -> Workload:
    """TINY with other values in its recipe."""
    return dataclasses.replace(TINY, hyperparameters={**TINY.hyperparameters, **values})


def opened(task: TrainingTask) -> ImagesOnDevice:
    """The data of a task, at its first interval."""
    data = ImagesOnDevice(task, CPU)
    data.begin(intervals(task)[0])
    return data


def pixels_of(images: Tensor) -> Tensor:
    """Undo the normalisation."""
    statistics = PIXELS[TINY.dataset.name]
    return torch.round(images * statistics.deviation + statistics.mean).to(torch.uint8)


def write_all(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files into a folder."""
    for name, content in files.items():
        (folder / name).write_bytes(content)


def test_the_split_of_the_digits_is_fixed(digits: Path) -> None:
    """Every fifth image is one of evaluation; the digests of both halves stand for all of them."""
    images = read(TINY, digits)
    assert images.train.shape == (1437, 1, 8, 8)
    assert images.evaluation.shape == (360, 1, 8, 8)
    assert digest_of(images.train, images.train_labels) == "0cc0f2956d2e20ec345ce2a860c12469"
    assert digest_of(images.evaluation, images.evaluation_labels) == "e28da192f0fcfc00dd445bad85cf3e95"


def digest_of(*arrays: NDArray[np.uint8]) -> str:
    """SHA-256 over the bytes of arrays, its first half."""
    return hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()[:32]


def test_no_image_is_in_both_halves_of_the_digits(digits: Path) -> None:
    images = read(TINY, digits)
    train = {image.tobytes() for image in images.train}
    assert not [image for image in images.evaluation if image.tobytes() in train]


def test_statistics_are_those_of_the_training_images(digits: Path) -> None:
    train = read(TINY, digits).train
    assert PIXELS["digits"].mean == pytest.approx(train.mean(), abs=1e-3)
    assert PIXELS["digits"].deviation == pytest.approx(train.std(), abs=1e-3)


def test_fashion_mnist_is_read_as_published(tmp_path: Path) -> None:
    files = fashion.contents()
    write_all(tmp_path, files)
    images = read(fashion.workload_of(files), tmp_path)
    assert images.train.shape == (fashion.TRAIN, 1, 28, 28)
    assert images.train[:, 0, 27, 3].tolist() == list(range(fashion.TRAIN))
    assert images.train_labels.tolist() == [n % 10 for n in range(fashion.TRAIN)]
    assert images.evaluation.shape == (fashion.EVALUATION, 1, 28, 28)
    assert images.evaluation_labels.tolist() == [n % 10 for n in range(fashion.EVALUATION)]


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("train-images-idx3-ubyte.gz", lambda content: content[:-20]),
        ("train-images-idx3-ubyte.gz", lambda content: content[:5]),
        ("train-images-idx3-ubyte.gz", lambda content: b"no gzip"),
        ("train-images-idx3-ubyte.gz", lambda content: b""),
        ("train-images-idx3-ubyte.gz", lambda content: gzip.compress(b"ab")),
        ("train-images-idx3-ubyte.gz", lambda content: gzip.compress(gzip.decompress(content)[:-1])),
        ("train-images-idx3-ubyte.gz", lambda content: fashion.contents()["t10k-images-idx3-ubyte.gz"]),
        ("train-labels-idx1-ubyte.gz", lambda content: fashion.contents()["train-images-idx3-ubyte.gz"]),
        ("t10k-labels-idx1-ubyte.gz", lambda content: fashion.contents()["train-labels-idx1-ubyte.gz"]),
        ("t10k-images-idx3-ubyte.gz", lambda content: content[:40] + bytes(8) + content[48:]),
    ],
)
def test_damaged_files_cannot_be_read(tmp_path: Path, name: str, damage: Callable[[bytes], bytes]) -> None:
    files = fashion.contents()
    files[name] = damage(files[name])
    write_all(tmp_path, files)
    with pytest.raises(DatasetError) as caught:
        read(fashion.workload_of(files), tmp_path)
    assert caught.value.id == "data.unreadable"
    assert caught.value.place == str(tmp_path)


def test_a_missing_file_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(DatasetError) as caught:
        read(TINY, tmp_path)
    assert caught.value.id == "data.unreadable"


def test_a_data_set_without_a_reader_is_not_available(tmp_path: Path) -> None:
    with pytest.raises(DatasetError) as caught:
        read(find("image_classification", "reference"), tmp_path)
    assert caught.value.id == "data.not_available"


def test_an_epoch_uses_each_sample_once(tmp_path: Path, digits: Path) -> None:
    task = make_task(tmp_path, digits)
    data, seen = ImagesOnDevice(task, CPU), []
    for interval in intervals(task):
        data.begin(interval)
        seen.append(data._samples)
    assert torch.equal(torch.cat(seen).sort().values, torch.arange(TINY.dataset.train_samples))


def test_a_salt_reorders_its_interval_and_no_other(tmp_path: Path, digits: Path) -> None:
    tasks = [make_task(tmp_path, digits, salts=salts) for salts in (("", "", ""), ("", "a", ""))]
    plain, salted = (ImagesOnDevice(task, CPU) for task in tasks)
    for before, after in zip(*map(intervals, tasks), strict=True):
        plain.begin(before)
        salted.begin(after)
        assert torch.equal(plain._samples.sort().values, salted._samples.sort().values)
        assert torch.equal(plain._samples, salted._samples) == (after.index != 1)


def test_batches_are_the_same_on_every_call_and_however_they_are_cut(tmp_path: Path, digits: Path) -> None:
    data, again = (opened(make_task(tmp_path, digits)) for _ in range(2))
    whole, labels = data.batch(0, 100)
    assert torch.equal(again.batch(0, 100)[0], whole)
    assert torch.equal(torch.cat([data.batch(0, 37)[0], data.batch(37, 100)[0]]), whole)
    assert torch.equal(torch.cat([data.batch(0, 37)[1], data.batch(37, 100)[1]]), labels)


def test_two_epochs_in_one_interval_show_every_image_twice(tmp_path: Path, digits: Path) -> None:
    data, count = ImagesOnDevice(make_task(tmp_path, digits), CPU), TINY.dataset.train_samples
    data.begin(Interval(index=0, first=0, last=2 * count, salt=""))
    first, second = data._samples[:count], data._samples[count:]
    assert torch.equal(first.sort().values, second.sort().values)
    assert not torch.equal(first, second)


def test_another_seed_draws_other_batches(tmp_path: Path, digits: Path) -> None:
    first, other = (opened(make_task(tmp_path, digits, seed=seed)).batch(0, 100)[0] for seed in (1, 2))
    assert not torch.equal(first, other)


def test_without_augmentation_images_are_the_published_ones(tmp_path: Path, digits: Path) -> None:
    data = opened(make_task(tmp_path, digits, workload=with_recipe(shift_pixels=0, flip="false")))
    images, labels = data.batch(0, 200)
    published = read(TINY, digits)
    samples = data._samples[:200].numpy()
    assert np.array_equal(pixels_of(images).numpy(), published.train[samples])
    assert np.array_equal(labels.numpy(), published.train_labels[samples])


def test_augmented_images_are_shifted_and_flipped_as_drawn(tmp_path: Path, digits: Path) -> None:
    """Against the plain way: pad, crop, mirror, one image at a time."""
    data = opened(make_task(tmp_path, digits, workload=with_recipe(shift_pixels=2)))
    images = pixels_of(data.batch(0, 200)[0])
    train = torch.from_numpy(read(TINY, digits).train)
    for place in range(200):
        row, column, flip = (int(table[place]) for table in (data._rows, data._columns, data._flips))
        crop = functional.pad(train[data._samples[place]], (2, 2, 2, 2))[:, row : row + 8, column : column + 8]
        assert torch.equal(images[place], crop.flip(2) if flip else crop)


def test_every_shift_occurs_about_as_often_as_any_other(tmp_path: Path, digits: Path) -> None:
    """1,437 images over 3 x 3 shifts and 2 flips: 80 each."""
    task = make_task(tmp_path, digits, workload=dataclasses.replace(TINY, evaluation=ONE_EVALUATION), salts=("",))
    data = opened(task)
    _, counts = torch.stack((data._rows, data._columns, data._flips)).unique(dim=1, return_counts=True)
    assert len(counts) == 18
    assert 50 < int(counts.min()) <= int(counts.max()) < 110


def test_evaluation_images_are_as_published_and_covered_once(tmp_path: Path, digits: Path) -> None:
    data = ImagesOnDevice(make_task(tmp_path, digits), CPU)
    batches = [data.evaluation_batch(start, stop) for start, stop in data.evaluation_batches()]
    published = read(TINY, digits)
    assert np.array_equal(pixels_of(torch.cat([images for images, _ in batches])).numpy(), published.evaluation)
    assert np.array_equal(torch.cat([labels for _, labels in batches]).numpy(), published.evaluation_labels)


@pytest.mark.parametrize("workload", [w for w in registry() if w.dataset.files], ids=lambda workload: workload.id)
def test_definitions_fit_their_data(workload: Workload) -> None:
    assert workload.dataset.name in PIXELS
    assert shape(workload).channels == workload.input_shape[0]
    assert all(len(file.sha256) == 64 and file.size_bytes > 0 for file in workload.dataset.files)
