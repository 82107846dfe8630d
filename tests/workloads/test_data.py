"""Data as training meets it: a fixed split, damage refused, batches that depend on seed, salt and place alone."""

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

from tests.workloads import fashion
from tests.workloads.tiny import TINY, make_task
from workloads.definition import EvaluationSchedule, TrainingTask, Workload, registry
from workloads.engine.schedule import intervals
from workloads.errors import DatasetError
from workloads.image_classification.data import PIXELS, ImagesOnDevice, read
from workloads.image_classification.model import shape

CPU = torch.device("cpu")
ONE_EVALUATION = EvaluationSchedule(offset_samples=10_000, interval_samples=10_000)


def opened(task: TrainingTask) -> ImagesOnDevice:
    """The data of a task, at its first interval."""
    data = ImagesOnDevice(task, CPU)
    data.begin(intervals(task)[0])
    return data


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


def test_another_seed_draws_other_batches(tmp_path: Path, digits: Path) -> None:
    first, other = (opened(make_task(tmp_path, digits, seed=seed)).batch(0, 100)[0] for seed in (1, 2))
    assert not torch.equal(first, other)


def test_every_shift_occurs_about_as_often_as_any_other(tmp_path: Path, digits: Path) -> None:
    """1,437 images over 3 x 3 shifts and 2 flips: 80 each."""
    task = make_task(tmp_path, digits, workload=dataclasses.replace(TINY, evaluation=ONE_EVALUATION), salts=("",))
    data = opened(task)
    _, counts = torch.stack((data._rows, data._columns, data._flips)).unique(dim=1, return_counts=True)
    assert len(counts) == 18
    assert 50 < int(counts.min()) <= int(counts.max()) < 110


@pytest.mark.parametrize("workload", [w for w in registry() if w.dataset.files], ids=lambda workload: workload.id)
def test_definitions_fit_their_data(workload: Workload) -> None:
    assert workload.dataset.name in PIXELS
    assert shape(workload).channels == workload.input_shape[0]
    assert all(len(file.sha256) == 64 and file.size_bytes > 0 for file in workload.dataset.files)
