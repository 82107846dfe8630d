"""What a run set is to do: the request of a user, checked and resolved into a plan before anything runs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ranking.evidence.seeds import own_seeds
from runner.errors import RunnerError, UsageError
from workloads.definition import (
    Configuration,
    Level,
    Precision,
    Scale,
    UnknownWorkload,
    Workload,
    find,
    registry,
    released,
)

IMPLEMENTATION_LAYER = 7
"""Number of the layer that precision, memory format and compilation belong to, of the nine layers of the levels."""

SLUG_PATTERN = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
NAME_LIMIT = 100
"""Characters of a system's name: one line of a ranking."""

FORMAT = 1
"""Version of ``plan.json``; another version's folder is not resumed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSetRequest:
    """What the user asked for; None leaves the choice to the definition or to this program."""

    workload: str
    scale: str = Scale.LITE.value
    level: str | None = None
    global_batch_size: int | None = None
    precision: str = Precision.FP32.value
    channels_last: bool | None = None
    compile: bool = False
    threads: int | None = None
    device: str = "auto"
    system_name: str = ""
    organisation: str = ""
    key: str = "default"
    data_dir: Path | None = None
    output: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSetPlan:
    """A run set, decided: all that its runs and its statement depend on; kept in the run folder."""

    workload: Workload
    level: Level
    configuration: Configuration
    layers_changed: tuple[int, ...]
    nonce: str
    seeds: tuple[int, ...]
    created: str
    device: str
    system_name: str
    organisation: str
    key: str
    data_dir: Path
    output: Path
    source_digest: str


def workload_of(request: RunSetRequest) -> Workload:
    """The definition that the request names; raises ``usage.workload``."""
    try:
        return find(request.workload, request.scale)
    except UnknownWorkload:
        known = sorted({f"{w.name} --scale {w.scale}" for w in registry()})
        raise UsageError(
            "usage.workload",
            "There is no such workload at this scale.",
            expected="; ".join(known),
            got=f"{request.workload} --scale {request.scale}",
            action="See: vflops list",
        ) from None


def configuration_of(request: RunSetRequest, workload: Workload) -> Configuration:
    """The configuration asked for; raises where the workload's rules do not allow it."""
    base = released(workload)
    configuration = Configuration(
        global_batch_size=base.global_batch_size if request.global_batch_size is None else request.global_batch_size,
        precision=Precision(request.precision),
        channels_last=base.channels_last if request.channels_last is None else request.channels_last,
        compile=request.compile,
        threads=base.threads if request.threads is None else request.threads,
    )
    _check_batch(configuration.global_batch_size, workload)
    if request.threads is not None and request.threads < 1:
        raise UsageError("usage.threads", "A run needs at least one thread.", expected="1 or more", got=request.threads)
    return configuration


def _check_batch(batch: int, workload: Workload) -> None:
    most = workload.learning_rate.max_global_batch_size
    if not 1 <= batch <= most:
        raise UsageError(
            "level.global_batch_size",
            "The learning-rate rule of this workload does not reach this global batch size.",
            place="--global-batch-size",
            expected=f"1 to {most}",
            got=batch,
            action=f"Leave it out for the default of {workload.default_global_batch_size}.",
        )


def level_of(request: RunSetRequest, configuration: Configuration, workload: Workload) -> Level:
    """The level asked for, or the lowest that the configuration may be submitted at; raises where it is too low."""
    needed = configuration.required_level(workload)
    wanted = Level(request.level) if request.level else needed
    order = list(Level)
    if order.index(wanted) < order.index(needed):
        raise UsageError(
            "level.configuration",
            f"Level {wanted} does not allow this configuration.",
            place="--level",
            expected=f"at level {wanted}: precision fp32, the released memory format, no --compile",
            got=", ".join(_changes(configuration, workload)),
            action=f"Run it at --level {needed}, or leave these options out.",
        )
    return wanted


def _changes(configuration: Configuration, workload: Workload) -> list[str]:
    found = [] if configuration.precision is Precision.FP32 else [f"--precision {configuration.precision}"]
    if configuration.channels_last != workload.channels_last:
        found.append("--channels-last" if configuration.channels_last else "--no-channels-last")
    return found + (["--compile"] if configuration.compile else [])


def layers_changed(configuration: Configuration, workload: Workload) -> tuple[int, ...]:
    """Layers that differ from the released code, as the statement declares them."""
    return (IMPLEMENTATION_LAYER,) if _changes(configuration, workload) else ()


def check_names(request: RunSetRequest) -> None:
    """Refuse a system's name or an organisation's slug that could not be published."""
    name, slug = request.system_name, request.organisation
    if len(name) > NAME_LIMIT or not name.isprintable():
        raise UsageError(
            "usage.system_name",
            "This cannot be the name of a system.",
            expected=f"at most {NAME_LIMIT} printable characters",
            got=f"{len(name)} characters",
        )
    if slug and not SLUG_PATTERN.fullmatch(slug):
        raise UsageError(
            "usage.organisation",
            "This is no organisation's short name.",
            expected="words of a-z and 0-9, joined by '-', as in its address on the portal",
            got=slug,
        )


def seeds_of(nonce: str, workload: Workload) -> tuple[int, ...]:
    """The seeds of a run set that has no ticket."""
    return own_seeds(nonce, workload.runs)


def to_json(plan: RunSetPlan) -> bytes:
    """The plan as kept in the run folder."""
    document = asdict(plan) | {
        "format": FORMAT,
        "workload": {"name": plan.workload.name, "scale": plan.workload.scale, "version": plan.workload.version},
        "data_dir": str(plan.data_dir),
        "output": str(plan.output),
    }
    return json.dumps(document, indent=1).encode() + b"\n"


def from_json(data: bytes, place: Path) -> RunSetPlan:
    """The plan of a run folder; raises ``resume.unreadable``."""
    try:
        return _plan(json.loads(data))
    except (ValueError, KeyError, TypeError, UnknownWorkload) as error:
        raise RunnerError(
            "resume.unreadable",
            "This folder was not made by this version of vflops, or its plan is damaged.",
            place=place,
            got=f"{type(error).__name__}: {error}",
            action="Begin a new run set: vflops run WORKLOAD",
        ) from error


def _plan(document: Mapping[str, Any]) -> RunSetPlan:
    fields = dict(document)
    if fields.pop("format") != FORMAT:
        raise ValueError(f"format {document['format']}")
    configuration = dict(fields["configuration"])
    return RunSetPlan(
        **fields
        | {
            "workload": find(**fields["workload"]),
            "level": Level(fields["level"]),
            "configuration": Configuration(**configuration | {"precision": Precision(configuration["precision"])}),
            "layers_changed": tuple(fields["layers_changed"]),
            "seeds": tuple(fields["seeds"]),
            "data_dir": Path(fields["data_dir"]),
            "output": Path(fields["output"]),
        }
    )
