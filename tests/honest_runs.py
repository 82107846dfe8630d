"""Honest runs for tests, as events, samples and checkpoints that a test can change before they are written."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from ranking.evidence import canonical, keys, names
from ranking.evidence.model import DeviceSample, HostSample, Unavailable
from workloads.definition import Workload

NONCE = "0a1b2c3d4e5f60718293a4b5c6d7e8f9"
CREATED = "2026-11-30T20:00:00Z"
EPOCH_MS = 1_796_068_800_000
"""CREATED in milliseconds: what the clocks of the first run show at its begin."""

BOOT_US = 86_400_000_000
"""The machine had been up for a day."""

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
    system_name: str = "Test system",
) -> Run:
    """A run that followed its definition, with all evaluations, and telemetry from its begin to its end."""
    checkpoints = [
        training_checkpoint(workload.id, seed=seed, interval=number, samples=samples, floats=checkpoint_floats)
        for number, samples in enumerate(workload.evaluation_points)
    ]
    start_us, stop_us = begin_us + PREPARATION_US, begin_us + PREPARATION_US + round(seconds * 1e6)
    events = [
        *_head(workload, index=index, seed=seed, nonce=nonce, begin_us=begin_us, system_name=system_name),
        Event(keys.RUN_START, None, start_us, keys.INTERVAL_START),
        *_intervals(
            workload, index=index, quality=quality, checkpoints=checkpoints, start_us=start_us, stop_us=stop_us
        ),
        Event(keys.RUN_STOP, None, stop_us, keys.INTERVAL_END, metadata={keys.STATUS: keys.SUCCESS}),
        Event(keys.END, {"load_average": [1, 0.5, 0.25]}, stop_us + 1_000, namespace=keys.NAMESPACE),
    ]
    times = range(begin_us, stop_us + 1, SAMPLE_US)
    samples = [_sample(clock_us, accelerators) for clock_us in times]
    return Run(index=index, seed=seed, bound_seed=seed, events=events, samples=samples, checkpoints=checkpoints)


def _head(workload: Workload, *, index: int, seed: int, nonce: str, begin_us: int, system_name: str) -> Iterator[Event]:
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
        keys.SUBMISSION_PLATFORM: system_name,
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
            quality=round(reached * workload.dataset.eval_samples) / workload.dataset.eval_samples,
            loss=round(1.75 / (number + 2) * (1 + index / 50), 6),
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
    times = {"data_s": seconds / 8, "compute_s": seconds / 2, "evaluation_s": seconds / 8, "checkpoint_s": seconds / 16}
    name, data = checkpoint
    file = {"name": name, "sha256": sha256(data).hexdigest(), "bytes": len(data)}
    steps = math.ceil((last - first) / workload.default_global_batch_size)
    half = {"samples": first + steps // 2 * (last - first) // steps, "loss": loss}
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


def _sample(clock_us: int, accelerators: int) -> Sample:
    """What was measured then; counters count from the machine's start on."""
    number = clock_us // SAMPLE_US
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
        energy_millijoules=25_050 * number,
        clock_mhz=1_980,
        temperature_c=45,
        pcie_tx_bytes_per_s=1_000_000,
        pcie_rx_bytes_per_s=Unavailable("not supported"),
    )


def training_checkpoint(workload: str, *, seed: int, interval: int, samples: int, floats: int = 4) -> bytes:
    """A checkpoint of ``floats`` weights that differ from those of every other seed and interval."""
    integers = {"position.interval": interval, "position.samples": samples, "rng.seed": seed}
    header: dict[str, Any] = {"__metadata__": {"vflops-checkpoint/1": workload}}
    for place, name in enumerate(integers):
        header[name] = {"dtype": "I64", "shape": [], "data_offsets": [8 * place, 8 * place + 8]}
    begin, end = 8 * len(integers), 8 * len(integers) + 4 * floats
    header["model.fc.weight"] = {"dtype": "F32", "shape": [floats, 1], "data_offsets": [begin, end]}
    weights = [float(seed % 9_999_991 + interval)] * floats
    return checkpoint_bytes(canonical.dumps(header), struct.pack(f"<3q{floats}f", *integers.values(), *weights))


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
