"""Devices: what a run set says it ran on, held against the vocabulary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ranking.trace import integer, text
from ranking.vocabulary.accelerators import Accelerator, find_accelerator
from ranking.vocabulary.cpus import find_cpu
from workloads.definition import Precision

MAX_COUNT = 1_000_000
"""Of nodes, or of devices in one: ten times the largest machine that trains today."""


class Kind(StrEnum):
    """What a system trains on."""

    ACCELERATOR = "accelerator"
    CPU = "cpu"


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """The devices of a system: the name as its machine gives it, the canonical one where known, and how many.

    ``peak_flops`` and ``power_limit_watts`` are one device's; None where nothing is tabulated, as for every CPU.
    """

    kind: Kind
    name: str
    canonical: str | None
    count: int
    vendor: str | None
    peak_flops: float | None
    power_limit_watts: float | None


def device_of(system: Mapping[str, Any] | None, precision: str) -> Device | None:
    """The devices that ``system`` trains on: its accelerators, or its processors where it has none.

    None where the description names neither.
    """
    if system is None:
        return None
    nodes = count_of(system.get("number_of_nodes")) or 1
    per_node = count_of(system.get("accelerators_per_node")) or 0
    accelerator = text(system.get("accelerator_model_name"))
    if per_node and accelerator:
        return _accelerator(accelerator, nodes * per_node, precision)
    cpu = text(system.get("host_processor_model_name"))
    return _cpu(cpu, nodes * (count_of(system.get("host_processors_per_node")) or 1)) if cpu else None


def count_of(value: object) -> int | None:
    """A number of nodes or devices; None for what cannot be one."""
    count = integer(value)
    return count if count is not None and 0 <= count <= MAX_COUNT else None


def _accelerator(name: str, count: int, precision: str) -> Device:
    known = find_accelerator(name)
    return Device(
        kind=Kind.ACCELERATOR,
        name=name,
        canonical=known.name if known else None,
        count=count,
        vendor=known.vendor if known else None,
        peak_flops=_peak(known, precision),
        power_limit_watts=known.power_limit_watts if known else None,
    )


def _peak(known: Accelerator | None, precision: str) -> float | None:
    if known is None or precision not in {p.value for p in Precision}:
        return None
    return known.peak_flops(Precision(precision))


def _cpu(name: str, count: int) -> Device:
    known = find_cpu(name)
    return Device(
        kind=Kind.CPU,
        name=name,
        canonical=known.name if known else None,
        count=count,
        vendor=known.vendor if known else None,
        peak_flops=None,
        power_limit_watts=None,
    )
