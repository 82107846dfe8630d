"""What a workload is, as data: frozen definitions, their registry and the protocol that training reports to."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Protocol


class Scale(StrEnum):
    """Size of a workload. Boards never mix scales."""

    REFERENCE = "reference"
    LITE = "lite"
    SMOKE = "smoke"


class Level(StrEnum):
    """What a submitter may change, from least to most."""

    HARDWARE = "hardware"
    SYSTEM = "system"
    FREE = "free"


class Precision(StrEnum):
    """Number format of the matrix products of training."""

    FP32 = "fp32"
    TF32 = "tf32"
    BF16 = "bf16"
    FP16 = "fp16"


class Direction(StrEnum):
    """Whether a larger or a smaller value of the metric is better."""

    HIGHER = "higher"
    LOWER = "lower"


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """Quality metric of a workload; ``name`` is the field's term, for example ``top1``."""

    name: str
    title: str
    direction: Direction = Direction.HIGHER


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFile:
    """One file of a dataset as published: its pinned digest, size and public homes."""

    name: str
    sha256: str
    size_bytes: int
    urls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A dataset: sizes in samples, licence, and whether its samples are generated."""

    name: str
    title: str
    train_samples: int
    eval_samples: int
    licence: str
    synthetic: bool = False
    files: tuple[DataFile, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationSchedule:
    """When the whole evaluation set is evaluated, in training samples.

    The first evaluation lies ``offset_samples`` after the start, the next ones ``interval_samples`` apart, and one
    stands at the end of the budget whatever the interval.
    """

    offset_samples: int
    interval_samples: int

    def points(self, total_samples: int) -> tuple[int, ...]:
        """Sample counts of all evaluations of a run of ``total_samples``, ascending, the last one at the end."""
        inner = range(self.offset_samples, total_samples, self.interval_samples)
        return (*inner, total_samples)


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningRateRule:
    """Linear scaling from ``base`` per ``base_batch`` images, warm-up, then a cosine to zero.

    ``max_global_batch_size`` is the largest batch at which the calibration holds.
    """

    base: float
    base_batch: int
    warmup_epochs: float
    max_global_batch_size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Statistics of the calibration runs that the target and the repeatability bounds rest on.

    ``csv`` is the file's name in the workload's folder: one row a seed.
    """

    csv: str
    seeds: int
    quality_mean: float
    quality_std: float
    global_batch_size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """Definition of a reference training task at one scale; frozen once published under its version.

    ``flops_per_sample`` is forward plus backward, one multiply-add counted as 2; see ``workloads.flops``.
    ``hyperparameters`` holds what the recipe fixes besides the learning rate (momentum, weight decay, ...).
    ``model`` holds the parameters of the network (depths, width, ...), read by the workload's own ``model.py``.
    ``channels_last`` is the memory format of the released code, and ``cpu_threads`` its number of threads on a CPU;
    None leaves that to PyTorch. A network of small layers loses more to threads that wait than it gains.
    """

    name: str
    scale: Scale
    version: str
    title: str
    model: Mapping[str, int | float | str | tuple[int, ...]]
    input_shape: tuple[int, ...]
    classes: int
    dataset: Dataset
    metric: Metric
    target_quality: float
    sensitivity_n: int
    epoch_budget: int
    evaluation: EvaluationSchedule
    flops_per_sample: int
    flops_forward_per_sample: int
    learning_rate: LearningRateRule
    hyperparameters: Mapping[str, int | float | str]
    default_global_batch_size: int
    channels_last: bool = False
    cpu_threads: int | None = None
    calibration: Calibration | None = None
    runs: int = 5

    @property
    def id(self) -> str:
        """Stable address of the definition, for example ``image_classification/lite/1``."""
        return f"{self.name}/{self.scale}/{self.version}"

    @property
    def total_samples(self) -> int:
        """Training samples of one run over the whole epoch budget."""
        return self.epoch_budget * self.dataset.train_samples

    @property
    def evaluation_points(self) -> tuple[int, ...]:
        """Sample counts at which a run is evaluated."""
        return self.evaluation.points(self.total_samples)

    def quality_ratio(self, achieved: float) -> float:
        """Achieved over target quality, or its inverse where lower is better."""
        if self.metric.direction is Direction.HIGHER:
            return achieved / self.target_quality
        return self.target_quality / achieved


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """What a submitter chooses for a run set; the level that it needs follows (``required_level``)."""

    global_batch_size: int
    precision: Precision = Precision.FP32
    channels_last: bool = False
    compile: bool = False
    threads: int | None = None
    """Intra-operation CPU threads; None leaves PyTorch's own choice."""

    def required_level(self, workload: Workload) -> Level:
        """Lowest level at which this configuration of ``workload`` may be submitted."""
        relaid = self.channels_last != workload.channels_last
        changed = self.precision is not Precision.FP32 or relaid or self.compile
        return Level.SYSTEM if changed else Level.HARDWARE


def released(workload: Workload) -> Configuration:
    """The configuration of the released code: what runs where a submitter chooses nothing."""
    return Configuration(
        global_batch_size=workload.default_global_batch_size,
        channels_last=workload.channels_last,
        threads=workload.cpu_threads,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingTask:
    """One run, as handed to a workload's ``train``: everything it may depend on.

    ``salts`` has one entry an interval; an empty string where no witness took part.
    """

    workload: Workload
    configuration: Configuration
    seed: int
    salts: tuple[str, ...]
    data_dir: Path
    checkpoint_dir: Path
    device: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalTimes:
    """Where an interval's time went, in seconds; parts may overlap and need not sum to the interval."""

    data_s: float
    compute_s: float
    evaluation_s: float
    checkpoint_s: float


class Recorder(Protocol):
    """What training reports to. Calls come in this order; all sample counts are cumulative within the run.

    Sequence: ``init_start``, ``hyperparameters``, ``init_stop``, ``run_start``, then for each interval
    ``interval_start``, many ``step``, ``evaluation_start``, ``evaluation_stop``, ``checkpoint``, ``interval_stop``;
    at last ``run_stop``.
    """

    def init_start(self) -> None:
        """Preparation begins: model, optimizer, compilation, warm-up on made-up data."""

    def hyperparameters(self, values: Mapping[str, int | float | str]) -> None:
        """All optimizer and schedule values in use, by the keys of MLPerf logging where it has one."""

    def init_stop(self) -> None:
        """Preparation ends."""

    def run_start(self) -> None:
        """The next statement touches training data for the first time."""

    def interval_start(self, *, index: int, first_sample: int, salt: str) -> None:
        """Interval ``index`` begins at cumulative sample ``first_sample``."""

    def step(self, *, samples: int, loss: float | None) -> None:
        """A training step ended; ``loss`` is given only where reading it costs no synchronisation."""

    def evaluation_start(self, *, samples: int) -> None:
        """Evaluation over the whole evaluation set begins after ``samples`` training samples."""

    def evaluation_stop(self, *, samples: int, quality: float, loss: float, eval_samples: int) -> None:
        """Evaluation ended with ``quality`` over ``eval_samples``."""

    def checkpoint(self, path: Path, *, samples: int) -> None:
        """A whole safetensors checkpoint of this moment lies at ``path``."""

    def interval_stop(self, *, index: int, samples: int, loss: float, times: IntervalTimes) -> None:
        """Interval ``index`` ended; ``loss`` is its mean training loss."""

    def run_stop(self, *, status: str) -> None:
        """The run ended: ``success`` or ``aborted``."""


class UnknownWorkload(LookupError):
    """No definition has this name, scale and version."""


@cache
def registry() -> tuple[Workload, ...]:
    """All definitions: every ``DEFINITIONS`` of a ``workloads/<name>/definition.py``. Imports no torch."""
    package = importlib.import_module("workloads")
    folders = sorted(module.name for module in pkgutil.iter_modules(package.__path__) if module.ispkg)
    found: list[Workload] = []
    for folder in folders:
        if (Path(package.__path__[0]) / folder / "definition.py").is_file():
            found.extend(importlib.import_module(f"workloads.{folder}.definition").DEFINITIONS)
    return tuple(found)


def find(name: str, scale: str, version: str | None = None) -> Workload:
    """The definition of that name and scale: the given version, else the newest.

    Raises UnknownWorkload where there is none.
    """
    matching = [w for w in registry() if w.name == name and w.scale == scale and version in (None, w.version)]
    if not matching:
        raise UnknownWorkload(f"{name}/{scale}/{version or '*'}")
    return max(matching, key=lambda w: int(w.version))
