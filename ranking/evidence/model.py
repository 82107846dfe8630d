"""Evidence once read: frozen, typed, and free of everything that the door has already refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
"""A JSON value as ``canonical.loads`` returns it. RFC 8785 writes 1.0 as 1, so a whole float comes back as an int."""


@dataclass(frozen=True, slots=True)
class Unavailable:
    """A quantity that could not be read, and why. Never 0."""

    reason: str


Reading: TypeAlias = int | float | Unavailable
"""A measured number in the unit of its field's name, or the reason why there is none."""


def measured(reading: Reading) -> int | float | None:
    """The number of a reading; None where it was unavailable."""
    return None if isinstance(reading, Unavailable) else reading


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """One line of a run's log; ``number`` counts from 1, ``metadata`` lacks the five fields that every line has."""

    number: int
    event_type: str
    namespace: str
    key: str
    value: Json
    metadata: Mapping[str, Json]
    time_ms: int
    clock_us: int
    seq: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HostSample:
    """The host at one moment; read and written bytes count up since boot."""

    cpu_percent: Reading
    memory_used_bytes: Reading
    load_1m: Reading
    read_bytes: Reading
    written_bytes: Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceSample:
    """One accelerator at one moment; energy is the device's own counter, which only counts up."""

    index: int
    utilisation_percent: Reading
    memory_used_bytes: Reading
    power_watts: Reading
    energy_millijoules: Reading
    clock_mhz: Reading
    temperature_c: Reading
    pcie_tx_bytes_per_s: Reading
    pcie_rx_bytes_per_s: Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class TelemetrySample:
    """One line of a run's telemetry; ``head`` is the SHA-256 of that line, which the log names at evaluations.

    ``package_energy_microjoules`` is the sum of the processor packages' counters.
    """

    number: int
    seq: int
    time_ms: int
    clock_us: int
    host: HostSample
    devices: tuple[DeviceSample, ...]
    package_energy_microjoules: Reading
    head: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tensor:
    """One tensor of a checkpoint, as its header states and its offsets confirm."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointFile:
    """A checkpoint in the bundle: digest and size of the whole file, tensors in the order of their data.

    ``workload``, ``integers`` and ``weights`` are as in ``ranking.evidence.checkpoint.Contents``.
    """

    name: str
    sha256: str
    size_bytes: int
    tensors: tuple[Tensor, ...]
    workload: str | None
    integers: Mapping[str, int]
    weights: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A file that the statement vouches for."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunClaim:
    """What the statement says of one run."""

    index: int
    seed: int
    log_head: str
    telemetry_head: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadClaim:
    """Name, scale and version of the definition that a run set claims to have trained."""

    name: str
    scale: str
    version: str

    @property
    def id(self) -> str:
        """As in ``workloads.definition.Workload.id``."""
        return f"{self.name}/{self.scale}/{self.version}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigurationClaim:
    """The configuration that a run set claims; fields as in ``workloads.definition.Configuration``."""

    global_batch_size: int
    precision: str
    channels_last: bool
    compile: bool
    threads: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerClaim:
    """The program that says to have made the bundle; a digest is a claim, not a proof."""

    version: str
    source_digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartClaim:
    """A run that was begun anew from its start: why, and the seconds of its first try that were thrown away."""

    run: int
    reason: str
    lost_s: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicate:
    """What a statement says of its run set, format 1. Places kept for later formats hold their only legal value."""

    nonce: str
    created: str
    public_key: str
    organisation: str
    system_name: str
    workload: WorkloadClaim
    level: str
    layers_changed: tuple[int, ...]
    configuration: ConfigurationClaim
    seeds: str
    runner: RunnerClaim
    runs: tuple[RunClaim, ...]
    restarts: tuple[RestartClaim, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A statement: its predicate, subjects, the identity of its bundle, and the key that is said to sign it."""

    predicate: Predicate
    subjects: tuple[Subject, ...]
    bundle_id: str
    key_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEvidence:
    """One run's files. Lines and samples that were faulty are left out and have a finding.

    ``log_sha256`` is None where the bundle has no such log.
    """

    index: int
    seed: int
    lines: tuple[LogLine, ...]
    telemetry: tuple[TelemetrySample, ...]
    checkpoints: tuple[CheckpointFile, ...]
    log_sha256: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSetEvidence:
    """All that could be read of a bundle; ``runs`` are those that the statement names, in its order.

    ``statement`` is None where no well-formed one was found (then ``runs`` is empty), ``system`` where system.json was
    missing or unreadable. ``file_sha256`` is empty where the file could not be read to its end.
    """

    statement: Statement | None
    system: Mapping[str, Any] | None
    runs: tuple[RunEvidence, ...]
    file_sha256: str
    size_bytes: int

    @property
    def bundle_id(self) -> str | None:
        """SHA-256 of the statement's payload."""
        return self.statement.bundle_id if self.statement else None
