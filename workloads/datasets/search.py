"""Where a data set comes from: the folders of this machine first, then its Debian package, then its public home."""

from __future__ import annotations

from pathlib import Path

from workloads.datasets import debian
from workloads.datasets.download import download
from workloads.datasets.files import Progress, ProgressCallback, candidates, complete, home_folder
from workloads.definition import Workload
from workloads.errors import DatasetError


def _silent(_: Progress) -> None:
    """For callers that show no progress."""


def locate(workload: Workload, root: Path | None = None) -> Path | None:
    """The first folder that holds all files of the workload's data set; None where none does.

    A damaged file raises DatasetError ``data.corrupt``, a data set without a reader ``data.not_available``.
    """
    if not workload.dataset.files:
        raise not_available(workload)
    return next((folder for folder in candidates(workload.dataset, root) if complete(folder, workload.dataset)), None)


def ensure(workload: Workload, root: Path | None = None, progress: ProgressCallback = _silent) -> Path:
    """The folder with the workload's data, fetched where it is nowhere on this machine.

    ``root`` is the folder of fetched data sets; the user's own where it is None.
    """
    found = locate(workload, root)
    return found if found is not None else _obtain(workload, root, progress)


def _obtain(workload: Workload, root: Path | None, progress: ProgressCallback) -> Path:
    dataset = workload.dataset
    folder = home_folder(dataset) if root is None else root / dataset.name
    failures: list[DatasetError] = []
    for obtain in (_from_debian, _from_home):
        try:
            if obtain(workload, folder, progress):
                return folder
        except DatasetError as error:
            failures.append(error)
        except OSError as error:
            failures.append(_not_writable(folder, error))
    raise _missing(workload, root, failures)


def _from_debian(workload: Workload, folder: Path, progress: ProgressCallback) -> bool:
    if not debian.available(workload.dataset):
        return False
    debian.unpack(workload.dataset, folder, progress)
    return True


def _from_home(workload: Workload, folder: Path, progress: ProgressCallback) -> bool:
    files = workload.dataset.files
    if not all(file.urls for file in files):
        return False
    for file in files:
        if not (folder / file.name).is_file():
            download(file, folder, progress)
    return complete(folder, workload.dataset)


def _missing(workload: Workload, root: Path | None, failures: list[DatasetError]) -> DatasetError:
    dataset = workload.dataset
    return DatasetError(
        "data.missing",
        f"The data set {dataset.title} is not on this machine and could not be fetched.",
        place=", ".join(map(str, candidates(dataset, root))),
        expected=", ".join(file.name for file in dataset.files),
        got="; ".join(f"{failure.id}: {failure.got}" for failure in failures) or "no such files",
        action="Put the files into a folder and name that folder in VFLOPS_DATA, or run again with a network.",
    )


def _not_writable(folder: Path, error: OSError) -> DatasetError:
    return DatasetError(
        "data.not_writable",
        "The folder of fetched data sets cannot be written.",
        place=folder,
        got=str(error),
        action="Make room or give yourself the right to write there, or name another folder in VFLOPS_HOME.",
    )


def not_available(workload: Workload) -> DatasetError:
    """The error of a workload whose data set no reader exists for."""
    return DatasetError(
        "data.not_available",
        f"{workload.id} cannot be trained yet: the reader of {workload.dataset.title} does not exist.",
        place=workload.id,
        expected=f"{workload.dataset.train_samples} training and {workload.dataset.eval_samples} evaluation samples",
        got="a definition without a reader",
        action="Train the same code at scale lite or smoke.",
    )
