"""A factory of bundles for tests: honest by default, and dishonest in any way before they are hashed and signed."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ranking.evidence import canonical, keys, names
from ranking.evidence.bundle import seal_bundle
from ranking.evidence.canonical import encode64
from ranking.evidence.clock import Moment
from ranking.evidence.log import LogWriter
from ranking.evidence.model import (
    ConfigurationClaim,
    DeviceSample,
    HostSample,
    Predicate,
    RunClaim,
    RunnerClaim,
    Unavailable,
    WorkloadClaim,
)
from ranking.evidence.seeds import own_seeds
from ranking.evidence.statement import public_bytes
from ranking.evidence.telemetry import TelemetryWriter
from workloads.definition import Workload, find

NONCE = "00112233445566778899aabbccddeeff"
CREATED = "2026-11-30T20:00:00Z"
EPOCH_MS = 1_796_068_800_000
"""CREATED in milliseconds: what the clocks of the first run show at its begin."""

BOOT_US = 86_400_000_000
"""The machine had been up for a day."""

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER_KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32, 64)))
QUALITIES = (0.95, 0.952, 0.948, 0.955, 0.951)
"""Final quality of the runs, in turn: above every target and apart, as those of real runs are."""

SPREADS = (1.0, 1.004, 0.997, 1.002, 0.999)
"""Length of the runs, in turn, as a part of ``run_seconds``."""

PREPARATION_US = 200_000
SAMPLE_US = 100_000
"""Telemetry every 100 ms, as runs under a minute have it."""

UNREADABLE = Unavailable("no permission")
TELEMETRY_NOW = "records and head of the telemetry at this moment"
"""As the value of an event: is replaced by what it says when the event is written."""

_MEMORY = Path("/dev/shm")  # noqa: S108 - only a folder of its own in it, to flush to disk without one


@dataclass
class Event:
    """A log line to be: everything but sequence and chain; ``utc_offset_us`` puts UTC and the boot clock apart."""

    key: str
    value: Any
    clock_us: int
    event_type: str = keys.POINT_IN_TIME
    namespace: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)
    utc_offset_us: int = 0


@dataclass
class Sample:
    """A telemetry record to be."""

    clock_us: int
    host: HostSample
    devices: Sequence[DeviceSample] = ()
    package_energy_microjoules: int | float | Unavailable = UNREADABLE


@dataclass
class Run:
    """A run to be; tests change it before it is written. ``bound_seed`` is what the chains begin with."""

    index: int
    seed: int
    bound_seed: int
    events: list[Event]
    samples: list[Sample]
    checkpoints: list[bytes]

    def find(self, key: str) -> list[Event]:
        """All events of ``key``."""
        return [event for event in self.events if event.key == key]


EditRun = Callable[[Run], None]
EditPredicate = Callable[[Predicate], Predicate]
EditFiles = Callable[[dict[str, bytes]], None]


def make_bundle(
    folder: Path,
    *,
    name: str = "run-set.vflops",
    workload: Workload | None = None,
    runs: int = 5,
    key: Ed25519PrivateKey = KEY,
    nonce: str = NONCE,
    seeds: Sequence[int] | None = None,
    qualities: Sequence[float] = QUALITIES,
    run_seconds: float = 2.5,
    accelerators: int = 0,
    checkpoint_floats: int = 4,
    organisation: str = "",
    system_name: str = "Test system",
    system: Mapping[str, Any] | None = None,
    edit_run: EditRun | None = None,
    edit_predicate: EditPredicate | None = None,
    edit_files: EditFiles | None = None,
) -> Path:
    """Write a bundle of a whole run set into ``folder``: complete, consistent, signed; gives its path.

    ``edit_run`` changes a run's events, samples and checkpoints before chains are computed, ``edit_predicate`` the
    statement before it is signed, ``edit_files`` the files before the statement takes their digests.
    """
    workload = workload or find("image_classification", "smoke", "1")
    planned = [
        honest_run(
            workload,
            index=index,
            seed=seed,
            nonce=nonce,
            quality=qualities[index % len(qualities)],
            seconds=run_seconds * SPREADS[index % len(SPREADS)],
            begin_us=BOOT_US + index * round((run_seconds * 1.1 + 2) * 1e6),
            accelerators=accelerators,
            checkpoint_floats=checkpoint_floats,
        )
        for index, seed in enumerate(own_seeds(nonce, runs) if seeds is None else seeds)
    ]
    if edit_run:
        for run in planned:
            edit_run(run)
    files = {names.SYSTEM: canonical.dumps(system or system_document(system_name, accelerators))}
    claims = [_write_run(run, nonce, files) for run in planned]
    predicate = _predicate(workload, claims, nonce=nonce, key=key, organisation=organisation, system_name=system_name)
    if edit_predicate:
        predicate = edit_predicate(predicate)
    if edit_files:
        edit_files(files)
    path = folder / name
    seal_bundle(path, predicate=predicate, files=list(files.items()), private_key=key)
    return path


def honest_run(
    workload: Workload,
    *,
    index: int,
    seed: int,
    nonce: str = NONCE,
    quality: float = QUALITIES[0],
    seconds: float = 2.5,
    begin_us: int = BOOT_US,
    accelerators: int = 0,
    checkpoint_floats: int = 4,
) -> Run:
    """A run that followed its definition, with all evaluations, and telemetry from its begin to its end."""
    checkpoints = [
        safetensors({"weights": [float(seed % 997 + number)] * checkpoint_floats})
        for number in range(len(workload.evaluation_points))
    ]
    start_us, stop_us = begin_us + PREPARATION_US, begin_us + PREPARATION_US + round(seconds * 1e6)
    events = [
        *_head(workload, index, seed, nonce, begin_us),
        Event(keys.RUN_START, None, start_us, keys.INTERVAL_START),
        *_intervals(
            workload, index=index, quality=quality, checkpoints=checkpoints, start_us=start_us, stop_us=stop_us
        ),
        Event(keys.RUN_STOP, None, stop_us, keys.INTERVAL_END, metadata={keys.STATUS: keys.SUCCESS}),
        Event(keys.END, {"load_average": [1, 0.5, 0.25]}, stop_us + 1_000, namespace=keys.NAMESPACE),
    ]
    times = range(begin_us, stop_us + 1, SAMPLE_US)
    samples = [_sample(number, clock_us, accelerators) for number, clock_us in enumerate(times)]
    return Run(index=index, seed=seed, bound_seed=seed, events=events, samples=samples, checkpoints=checkpoints)


def _head(workload: Workload, index: int, seed: int, nonce: str, begin_us: int) -> Iterator[Event]:
    begin = {
        "boot": sha256(f"{nonce}boot".encode("ascii")).hexdigest(),
        "format": 1,
        "index": index,
        "load_average": [0.5, 0.25, 0.25],
        "nonce": nonce,
        "workload": workload.id,
    }
    yield Event(keys.BEGIN, begin, begin_us, namespace=keys.NAMESPACE)
    stated = {
        keys.SUBMISSION_BENCHMARK: workload.name,
        keys.SUBMISSION_DIVISION: "closed",
        keys.SUBMISSION_ORG: "",
        keys.SUBMISSION_PLATFORM: "Test system",
        keys.SUBMISSION_STATUS: "onprem",
        keys.SEED: seed,
        keys.GRADIENT_ACCUMULATION_STEPS: 1,
        keys.TRAIN_SAMPLES: workload.dataset.train_samples,
        keys.EVAL_SAMPLES: workload.dataset.eval_samples,
    }
    for number, (key, value) in enumerate(stated.items(), start=1):
        yield Event(key, value, begin_us + number * 100)
    yield Event(keys.INIT_START, None, begin_us + 10_000, keys.INTERVAL_START)
    for number, (key, value) in enumerate(hyperparameters(workload).items(), start=1):
        yield Event(key, value, begin_us + 10_000 + number * 100)
    yield Event(keys.INIT_STOP, None, begin_us + PREPARATION_US - 1_000, keys.INTERVAL_END)


def hyperparameters(workload: Workload) -> dict[str, Any]:
    """What a run at the workload's own batch reports: the recipe, by MLPerf's keys where it has one."""
    recipe, rule = dict(workload.hyperparameters), workload.learning_rate
    batch = workload.default_global_batch_size
    return {
        keys.GLOBAL_BATCH_SIZE: batch,
        keys.OPT_NAME: recipe.pop("opt_name"),
        keys.OPT_BASE_LEARNING_RATE: rule.base * batch / rule.base_batch,
        "opt_learning_rate_warmup_epochs": rule.warmup_epochs,
        "opt_learning_rate_schedule": "cosine",
        "sgd_opt_momentum": recipe.pop("momentum"),
        "opt_weight_decay": recipe.pop("weight_decay"),
        **recipe,
    }


def _intervals(
    workload: Workload, *, index: int, quality: float, checkpoints: Sequence[bytes], start_us: int, stop_us: int
) -> Iterator[Event]:
    points = workload.evaluation_points
    step_us = (stop_us - start_us) // len(points)
    for number, (first, last) in enumerate(zip((0, *points), points, strict=False)):
        reached = quality * (1 - 0.5 * (1 - (number + 1) / len(points)) ** 2)
        yield from _interval(
            workload,
            at=lambda part, begin=start_us + number * step_us: begin + round(part * step_us),  # type: ignore[misc]
            first=first,
            last=last,
            quality=round(reached, 6),
            loss=round(2.5 / (number + 2), 6),
            seconds=step_us / 1e6,
            checkpoint=(names.checkpoint_name(index, number + 1), checkpoints[number]),
        )


def _interval(
    workload: Workload,
    *,
    at: Callable[[float], int],
    first: int,
    last: int,
    quality: float,
    loss: float,
    seconds: float,
    checkpoint: tuple[str, bytes],
) -> Iterator[Event]:
    """The events of one interval; ``at`` gives the clock by the part of the interval that has passed."""
    epochs, now = workload.dataset.train_samples, {keys.SAMPLES: last}
    there = {keys.EPOCH_NUM: last / epochs, keys.SAMPLES: last}
    measured = {**there, keys.EVAL_SAMPLES: workload.dataset.eval_samples, keys.LOSS: loss * 1.1}
    block = {keys.FIRST_EPOCH_NUM: first / epochs, keys.EPOCH_COUNT: (last - first) / epochs, keys.SAMPLES: first}
    times = {"data_s": seconds / 8, "compute_s": seconds / 2, "evaluation_s": seconds / 8, "checkpoint_s": seconds / 8}
    name, data = checkpoint
    file = {"name": name, "sha256": sha256(data).hexdigest(), "bytes": len(data)}
    half = {"samples": (first + last) // 2, "loss": loss}
    ours = keys.NAMESPACE
    yield Event(keys.BLOCK_START, None, at(0), keys.INTERVAL_START, metadata=block)
    yield Event(keys.PROGRESS, half, at(0.4), namespace=ours)
    yield Event(keys.EVAL_START, None, at(0.8), keys.INTERVAL_START, metadata=there)
    yield Event(keys.EVAL_ACCURACY, quality, at(0.9), metadata=measured)
    yield Event(keys.EVAL_STOP, None, at(0.91), keys.INTERVAL_END, metadata=there)
    yield Event(keys.CHECKPOINT, file, at(0.95), namespace=ours, metadata=now)
    yield Event(keys.TELEMETRY, TELEMETRY_NOW, at(0.96), namespace=ours)
    yield Event(keys.INTERVAL, {keys.LOSS: loss, keys.SAMPLES: last, **times}, at(0.97), namespace=ours)
    yield Event(keys.BLOCK_STOP, None, at(0.98), keys.INTERVAL_END, metadata=now)


def _sample(number: int, clock_us: int, accelerators: int) -> Sample:
    host = HostSample(
        cpu_percent=87.5,
        memory_used_bytes=2_000_000_000,
        load_1m=1.25,
        read_bytes=4_096 * number,
        written_bytes=8_192 * number,
    )
    return Sample(clock_us=clock_us, host=host, devices=[_device(index, number) for index in range(accelerators)])


def _device(index: int, number: int) -> DeviceSample:
    return DeviceSample(
        index=index,
        utilisation_percent=90,
        memory_used_bytes=1_000_000_000,
        power_watts=250.5,
        energy_millijoules=10_000_000_000 + 25_050 * number,
        clock_mhz=1_980,
        temperature_c=45,
        pcie_tx_bytes_per_s=1_000_000,
        pcie_rx_bytes_per_s=Unavailable("not supported"),
    )


def system_document(system_name: str = "Test system", accelerators: int = 0) -> dict[str, Any]:
    """A system description; its devices are NVIDIA H200, or one Xeon where it has none."""
    unknown = {"unavailable": "not declared"}
    return {
        "division": "closed",
        "status": "onprem",
        "submitter": "",
        "system_name": system_name,
        "number_of_nodes": 1,
        "host_processors_per_node": 1,
        "host_processor_model_name": "Intel(R) Xeon(R) Platinum 8480+",
        "host_processor_core_count": 56,
        "host_memory_capacity": "128 GB",
        "host_storage_type": unknown,
        "host_storage_capacity": "1000 GB",
        "host_networking": unknown,
        "cooling": unknown,
        "accelerators_per_node": accelerators,
        "accelerator_model_name": "NVIDIA H200" if accelerators else "",
        "accelerator_memory_capacity": "141 GB" if accelerators else "",
        "accelerator_interconnect": "",
        "framework": "PyTorch 2.13.0",
        "operating_system": "Debian GNU/Linux 12",
        "other_software_stack": {"python": "3.11.7"},
        "vflops": {
            "device_ids": [sha256(b"device %d" % index).hexdigest() for index in range(max(accelerators, 1))],
            "environment": {"OMP_NUM_THREADS": "1"},
            "kernel_release": "6.1.0",
            "packages": {"torch": "2.13.0"},
            "python": "CPython 3.11.7",
            "torch": "2.13.0",
        },
    }


def safetensors(tensors: Mapping[str, Sequence[float]], metadata: Mapping[str, str] | None = None) -> bytes:
    """A checkpoint of one-dimensional F32 tensors, as the safetensors library writes it."""
    header: dict[str, Any] = {"__metadata__": dict(metadata)} if metadata else {}
    data = b""
    for name, values in tensors.items():
        packed = struct.pack(f"<{len(values)}f", *values)
        offsets = [len(data), len(data) + len(packed)]
        header[name] = {"dtype": "F32", "shape": [len(values)], "data_offsets": offsets}
        data += packed
    return checkpoint_bytes(canonical.dumps(header), data)


def checkpoint_bytes(header: bytes, data: bytes) -> bytes:
    """A checkpoint of that header, padded to eight bytes as the library does, and that data."""
    padded = header + b" " * (-len(header) % 8)
    return len(padded).to_bytes(8, "little") + padded + data


class _SetClock:
    """A clock that shows what it was set to."""

    def __init__(self) -> None:
        self.moment = Moment(0, 0)

    def __call__(self) -> Moment:
        return self.moment

    def set(self, clock_us: int, utc_offset_us: int = 0) -> None:
        self.moment = Moment(time_ms=EPOCH_MS + (clock_us - BOOT_US + utc_offset_us) // 1_000, clock_us=clock_us)


def _write_run(run: Run, nonce: str, files: dict[str, bytes]) -> RunClaim:
    """Write a run's files through the real writers into ``files``; gives what the statement says of them."""
    clock = _SetClock()
    bound: dict[str, Any] = {"nonce": nonce, "index": run.index, "seed": run.bound_seed, "clock": clock}
    with TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as scratch:
        log_path, telemetry_path = Path(scratch, "log"), Path(scratch, "telemetry")
        with LogWriter(log_path, **bound) as log, TelemetryWriter(telemetry_path, **bound) as telemetry:
            _write_events(run, clock, log, telemetry)
        files[names.log_name(run.index)] = log_path.read_bytes()
        files[names.telemetry_name(run.index)] = telemetry_path.read_bytes()
    for number, data in enumerate(run.checkpoints, start=1):
        files[names.checkpoint_name(run.index, number)] = data
    return RunClaim(index=run.index, seed=run.seed, log_head=log.head, telemetry_head=telemetry.state()[1])


def _write_events(run: Run, clock: _SetClock, log: LogWriter, telemetry: TelemetryWriter) -> None:
    """Events in their order; each sample before the first event that comes later by the clock."""
    samples = list(run.samples)
    for event in run.events:
        while samples and samples[0].clock_us <= event.clock_us:
            _write_sample(samples.pop(0), clock, telemetry)
        records, head = telemetry.state()
        clock.set(event.clock_us, event.utc_offset_us)
        log.write(
            event.key,
            {"records": records, "head": head} if event.value is TELEMETRY_NOW else event.value,
            event_type=event.event_type,
            namespace=event.namespace,
            metadata=event.metadata,
        )
    for sample in samples:
        _write_sample(sample, clock, telemetry)


def _write_sample(sample: Sample, clock: _SetClock, telemetry: TelemetryWriter) -> None:
    clock.set(sample.clock_us)
    package = sample.package_energy_microjoules
    telemetry.write(host=sample.host, devices=sample.devices, package_energy_microjoules=package)


def _predicate(
    workload: Workload,
    claims: Sequence[RunClaim],
    *,
    nonce: str,
    key: Ed25519PrivateKey,
    organisation: str,
    system_name: str,
) -> Predicate:
    return Predicate(
        nonce=nonce,
        created=CREATED,
        public_key=encode64(public_bytes(key)),
        organisation=organisation,
        system_name=system_name,
        workload=WorkloadClaim(name=workload.name, scale=workload.scale.value, version=workload.version),
        level="hardware",
        layers_changed=(1,),
        configuration=ConfigurationClaim(
            global_batch_size=workload.default_global_batch_size,
            precision="fp32",
            channels_last=False,
            compile=False,
            threads=1,
        ),
        seeds="own",
        runner=RunnerClaim(version="0.1.0", source_digest=sha256(b"source").hexdigest()),
        runs=tuple(claims),
    )
