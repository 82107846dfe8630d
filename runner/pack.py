"""Packs the evidence of a whole run set: statement, signature, and the canonical container."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ranking.evidence import names
from ranking.evidence.bundle import seal_bundle
from ranking.evidence.model import ConfigurationClaim, Predicate, RunClaim, RunnerClaim, WorkloadClaim
from runner import __version__
from runner.keys import SigningKey
from runner.run_folder import CHECKPOINTS, LOG, SYSTEM, TELEMETRY, RunFolder

BUNDLE_SUFFIX = ".vflops"


def pack(folder: RunFolder, key: SigningKey) -> str:
    """Write the signed bundle to where the plan says; returns its identity."""
    return seal_bundle(
        folder.plan.output, predicate=_claims(folder, key), files=list(_files(folder)), private_key=key.private
    )


def _files(folder: RunFolder) -> Iterator[tuple[str, Path]]:
    """Names in the bundle and where the files lie, in the container's order."""
    yield names.SYSTEM, folder.path / SYSTEM
    for index in range(len(folder.plan.seeds)):
        path = folder.run_path(index)
        yield names.log_name(index), path / LOG
        yield names.telemetry_name(index), path / TELEMETRY
        for number, checkpoint in enumerate(_checkpoints(path), start=1):
            yield names.checkpoint_name(index, number), checkpoint


def _checkpoints(path: Path) -> Sequence[Path]:
    return sorted((path / CHECKPOINTS).glob("*.safetensors"))


def _claims(folder: RunFolder, key: SigningKey) -> Predicate:
    plan, finished = folder.plan, folder.finished()
    configuration = plan.configuration
    return Predicate(
        nonce=plan.nonce,
        created=plan.created,
        public_key=key.public_text,
        organisation=plan.organisation,
        system_name=plan.system_name,
        workload=WorkloadClaim(name=plan.workload.name, scale=plan.workload.scale.value, version=plan.workload.version),
        level=plan.level.value,
        layers_changed=plan.layers_changed,
        configuration=ConfigurationClaim(
            global_batch_size=configuration.global_batch_size,
            precision=configuration.precision.value,
            channels_last=configuration.channels_last,
            compile=configuration.compile,
            threads=configuration.threads,
        ),
        seeds="own",
        runner=RunnerClaim(version=__version__, source_digest=plan.source_digest),
        runs=tuple(
            RunClaim(
                index=index,
                seed=seed,
                log_head=finished[index].log_head,
                telemetry_head=finished[index].telemetry_head,
            )
            for index, seed in enumerate(plan.seeds)
        ),
        restarts=folder.restarts(),
    )
