"""CPUs: a canonical name out of what the system reports; no peaks, because clocks under load vary too much."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Cpu:
    """A CPU model: canonical name, family and vendor."""

    name: str
    family: str
    vendor: str


FAMILIES: tuple[tuple[str, str], ...] = (
    ("Intel Xeon", "Intel"),
    ("Intel Core", "Intel"),
    ("Intel Atom", "Intel"),
    ("Intel Pentium", "Intel"),
    ("Intel Celeron", "Intel"),
    ("AMD EPYC", "AMD"),
    ("AMD Ryzen", "AMD"),
    ("AMD Opteron", "AMD"),
    ("Apple M", "Apple"),
    ("AWS Graviton", "Amazon"),
    ("Ampere Altra", "Ampere"),
    ("AmpereOne", "Ampere"),
    ("Neoverse", "Arm"),
    ("Cortex", "Arm"),
    ("NVIDIA Grace", "NVIDIA"),
    ("POWER9", "IBM"),
    ("POWER10", "IBM"),
    ("A64FX", "Fujitsu"),
    ("Kunpeng", "HiSilicon"),
)
"""Families as the names begin once trade marks are gone, with their vendors."""

_NOISE = re.compile(r"\((?:r|tm|c)\)|[®™]|@.*$|\bw(?:ith|/) .*$|\bCPU\b|\b\w+-Core\b|\bProcessor\b", re.IGNORECASE)


def find_cpu(model: str) -> Cpu | None:
    """The CPU of a model string such as ``AMD EPYC 7742 64-Core Processor``; None where its family is not known."""
    words = re.sub(r"\s+", " ", _NOISE.sub(" ", model)).strip()
    name = re.sub(r"^\d+th Gen ", "", words, flags=re.IGNORECASE)
    for family, vendor in FAMILIES:
        if name.casefold().startswith(family.casefold()):
            return Cpu(name=family + name[len(family) :], family=family, vendor=vendor)
    return None
