"""A factory of bundles for tests: honest by default, and dishonest in any way before they are hashed and signed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZipFile

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ranking.evidence import canonical, names
from ranking.evidence.bundle import seal_bundle, write_bundle
from ranking.evidence.canonical import encode64
from ranking.evidence.clock import Moment
from ranking.evidence.log import LogWriter
from ranking.evidence.model import ConfigurationClaim, Predicate, RunClaim, RunnerClaim, WorkloadClaim
from ranking.evidence.seeds import own_seeds
from ranking.evidence.statement import public_bytes
from ranking.evidence.telemetry import TelemetryWriter
from tests.honest_runs import (
    BOOT_US,
    CREATED,
    EPOCH_MS,
    NONCE,
    QUALITIES,
    SPREADS,
    TELEMETRY_NOW,
    UNREADABLE,
    Event,
    Run,
    Sample,
    checkpoint_bytes,
    honest_run,
    hyperparameters,
    safetensors,
    training_checkpoint,
)
from workloads.definition import EvaluationSchedule, Workload, find

__all__ = [
    "KEY",
    "NONCE",
    "OTHER_KEY",
    "QUALITIES",
    "TELEMETRY_NOW",
    "TINY",
    "UNREADABLE",
    "Event",
    "Run",
    "Sample",
    "checkpoint_bytes",
    "entries_of",
    "honest_run",
    "hyperparameters",
    "make_bundle",
    "rewrite",
    "safetensors",
    "system_document",
    "training_checkpoint",
]

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER_KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32, 64)))
SOURCE_DIGEST = sha256(b"source").hexdigest()
_MEMORY = Path("/dev/shm")  # noqa: S108 - only a folder of its own in it, to flush to disk without one

TINY = replace(
    find("image_classification", "smoke", "1"),
    epoch_budget=1,
    evaluation=EvaluationSchedule(offset_samples=719, interval_samples=719),
)
"""A workload of two evaluations that no registry knows: for tests of the container, whose bundles can be small."""

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
            system_name=system_name,
        )
        for index, seed in enumerate(own_seeds(nonce, runs) if seeds is None else seeds)
    ]
    if edit_run:
        for run in planned:
            edit_run(run)
    files = {names.SYSTEM: canonical.dumps(system_document(system_name, accelerators) if system is None else system)}
    claims = [_write_run(run, nonce, files) for run in planned]
    predicate = _predicate(workload, claims, nonce=nonce, key=key, organisation=organisation, system_name=system_name)
    if edit_predicate:
        predicate = edit_predicate(predicate)
    if edit_files:
        edit_files(files)
    path = folder / name
    seal_bundle(path, predicate=predicate, files=list(files.items()), private_key=key)
    return path


def entries_of(bundle: Path) -> dict[str, bytes]:
    """Names and contents of a bundle's entries, in their order."""
    with ZipFile(bundle) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rewrite(bundle: Path, edit: EditFiles) -> Path:
    """Change a bundle's entries behind the back of its statement, in a container that is canonical again."""
    files = entries_of(bundle)
    edit(files)
    write_bundle(bundle, list(files.items()))
    return bundle


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
            "device": "cuda" if accelerators else "cpu",
            "devices": [{"name": "NVIDIA H200"}] * accelerators,
            "device_ids": [sha256(b"device %d" % index).hexdigest() for index in range(max(accelerators, 1))],
            "environment": {"OMP_NUM_THREADS": "1"},
            "kernel_release": "6.1.0",
            "packages": {"torch": "2.13.0"},
            "python": "CPython 3.11.7",
            "runner": "0.1.0",
            "source_digest": SOURCE_DIGEST,
            "torch": "2.13.0",
        },
    }


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
        runner=RunnerClaim(version="0.1.0", source_digest=SOURCE_DIGEST),
        runs=tuple(claims),
    )
