"""Accelerators: canonical names, the names drivers and logs use for them, and the vendors' dense peaks.

Peaks are dense (no sparsity), in FLOP/s with one multiply-add counted as 2, for one device; where a data sheet states
only the figure with 2:4 sparsity, half of it stands here. ``fp16`` is the fastest accumulation the vendor states.
A name that is not here is unknown: it is held for review, never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from workloads.definition import Precision

TERA = 1e12


@dataclass(frozen=True, slots=True, kw_only=True)
class Accelerator:
    """One device as its vendor describes it. ``power_limit_watts`` is the default limit; None where none is stated."""

    name: str
    vendor: str
    peaks: Mapping[Precision, float]
    power_limit_watts: float | None
    source: str
    aliases: tuple[str, ...] = ()

    def peak_flops(self, precision: Precision) -> float | None:
        """Dense peak of the fastest number format that a run at ``precision`` uses; None where none is stated."""
        return self.peaks.get(precision)


def find_accelerator(name: str) -> Accelerator | None:
    """The accelerator of that canonical or driver's name; None where it is not in the vocabulary."""
    return _by_name().get(_normal(name))


def _normal(name: str) -> str:
    """Names compared without case, punctuation, trade marks and the vendor's own name in front."""
    words = re.sub(r"\((?:r|tm)\)", " ", name.casefold())
    return re.sub(r"^(nvidia|amd|google|tesla) ", "", re.sub(r"[^a-z0-9]+", " ", words).strip())


@cache
def _by_name() -> Mapping[str, Accelerator]:
    return {_normal(name): item for item in ACCELERATORS for name in (item.name, *item.aliases)}


def _peaks(
    *, fp32: float | None = None, tf32: float | None = None, bf16: float | None = None, fp16: float | None = None
) -> Mapping[Precision, float]:
    """Peaks in TFLOP/s as data sheets state them, as FLOP/s by precision."""
    stated = {Precision.FP32: fp32, Precision.TF32: tf32, Precision.BF16: bf16, Precision.FP16: fp16}
    return {precision: value * TERA for precision, value in stated.items() if value is not None}


ACCELERATORS: tuple[Accelerator, ...] = (
    Accelerator(
        name="NVIDIA P100 SXM2",
        vendor="NVIDIA",
        peaks=_peaks(fp32=10.6, fp16=21.2),
        power_limit_watts=300,
        source="NVIDIA Tesla P100 data sheet",
        aliases=("Tesla P100-SXM2-16GB",),
    ),
    Accelerator(
        name="NVIDIA P100 PCIe",
        vendor="NVIDIA",
        peaks=_peaks(fp32=9.3, fp16=18.7),
        power_limit_watts=250,
        source="NVIDIA Tesla P100 data sheet",
        aliases=("Tesla P100-PCIE-16GB", "Tesla P100-PCIE-12GB"),
    ),
    Accelerator(
        name="NVIDIA V100 SXM2",
        vendor="NVIDIA",
        peaks=_peaks(fp32=15.7, fp16=125),
        power_limit_watts=300,
        source="NVIDIA V100 data sheet",
        aliases=("Tesla V100-SXM2-16GB", "Tesla V100-SXM2-32GB"),
    ),
    Accelerator(
        name="NVIDIA V100 PCIe",
        vendor="NVIDIA",
        peaks=_peaks(fp32=14, fp16=112),
        power_limit_watts=250,
        source="NVIDIA V100 data sheet",
        aliases=("Tesla V100-PCIE-16GB", "Tesla V100-PCIE-32GB"),
    ),
    Accelerator(
        name="NVIDIA V100S PCIe",
        vendor="NVIDIA",
        peaks=_peaks(fp32=16.4, fp16=130),
        power_limit_watts=250,
        source="NVIDIA V100 data sheet",
        aliases=("Tesla V100S-PCIE-32GB",),
    ),
    Accelerator(
        name="NVIDIA T4",
        vendor="NVIDIA",
        peaks=_peaks(fp32=8.1, fp16=65),
        power_limit_watts=70,
        source="NVIDIA T4 data sheet",
        aliases=("Tesla T4",),
    ),
    Accelerator(
        name="NVIDIA A100 SXM4",
        vendor="NVIDIA",
        peaks=_peaks(fp32=19.5, tf32=156, bf16=312, fp16=312),
        power_limit_watts=400,
        source="NVIDIA A100 data sheet",
        aliases=("NVIDIA A100-SXM4-40GB", "NVIDIA A100-SXM4-80GB", "A100-SXM4-40GB", "A100-SXM-80GB"),
    ),
    Accelerator(
        name="NVIDIA A100 PCIe 40GB",
        vendor="NVIDIA",
        peaks=_peaks(fp32=19.5, tf32=156, bf16=312, fp16=312),
        power_limit_watts=250,
        source="NVIDIA A100 data sheet",
        aliases=("NVIDIA A100-PCIE-40GB",),
    ),
    Accelerator(
        name="NVIDIA A100 PCIe 80GB",
        vendor="NVIDIA",
        peaks=_peaks(fp32=19.5, tf32=156, bf16=312, fp16=312),
        power_limit_watts=300,
        source="NVIDIA A100 data sheet",
        aliases=("NVIDIA A100 80GB PCIe", "NVIDIA A100-PCIE-80GB"),
    ),
    Accelerator(
        name="NVIDIA L4",
        vendor="NVIDIA",
        peaks=_peaks(fp32=30.3, tf32=60, bf16=121, fp16=121),
        power_limit_watts=72,
        source="NVIDIA L4 data sheet; half of the figures with sparsity",
    ),
    Accelerator(
        name="NVIDIA L40S",
        vendor="NVIDIA",
        peaks=_peaks(fp32=91.6, tf32=183, bf16=362.05, fp16=362.05),
        power_limit_watts=350,
        source="NVIDIA L40S data sheet",
    ),
    Accelerator(
        name="NVIDIA H100 SXM5",
        vendor="NVIDIA",
        peaks=_peaks(fp32=67, tf32=494.5, bf16=989.5, fp16=989.5),
        power_limit_watts=700,
        source="NVIDIA H100 data sheet; half of the figures with sparsity",
        aliases=("NVIDIA H100 80GB HBM3", "NVIDIA H100-SXM5-80GB", "H100-SXM5-80GB", "NVIDIA H100 SXM"),
    ),
    Accelerator(
        name="NVIDIA H100 PCIe",
        vendor="NVIDIA",
        peaks=_peaks(fp32=51, tf32=378, bf16=756.5, fp16=756.5),
        power_limit_watts=350,
        source="NVIDIA H100 data sheet of 2022; half of the figures with sparsity",
        aliases=("NVIDIA H100-PCIE-80GB",),
    ),
    Accelerator(
        name="NVIDIA H100 NVL",
        vendor="NVIDIA",
        peaks=_peaks(fp32=60, tf32=417.5, bf16=835.5, fp16=835.5),
        power_limit_watts=400,
        source="NVIDIA H100 data sheet; half of the figures with sparsity",
    ),
    Accelerator(
        name="NVIDIA H200 SXM",
        vendor="NVIDIA",
        peaks=_peaks(fp32=67, tf32=494.5, bf16=989.5, fp16=989.5),
        power_limit_watts=700,
        source="NVIDIA H200 data sheet; half of the figures with sparsity",
        aliases=("NVIDIA H200", "NVIDIA H200-SXM5-141GB", "NVIDIA H200 141GB HBM3e"),
    ),
    Accelerator(
        name="NVIDIA H200 NVL",
        vendor="NVIDIA",
        peaks=_peaks(fp32=60, tf32=417.5, bf16=835.5, fp16=835.5),
        power_limit_watts=600,
        source="NVIDIA H200 data sheet; half of the figures with sparsity",
    ),
    Accelerator(
        name="NVIDIA B200 SXM",
        vendor="NVIDIA",
        peaks=_peaks(fp32=75, tf32=1125, bf16=2250, fp16=2250),
        power_limit_watts=1000,
        source="NVIDIA HGX data sheet, an eighth of eight B200, half with sparsity",
        aliases=("NVIDIA B200",),
    ),
    Accelerator(
        name="NVIDIA GeForce RTX 3090",
        vendor="NVIDIA",
        peaks=_peaks(fp32=35.6, tf32=35.6, bf16=71, fp16=142),
        power_limit_watts=350,
        source="NVIDIA GA102 whitepaper",
        aliases=("GeForce RTX 3090", "RTX 3090"),
    ),
    Accelerator(
        name="NVIDIA GeForce RTX 4090",
        vendor="NVIDIA",
        peaks=_peaks(fp32=82.6, tf32=82.6, bf16=165.2, fp16=330.3),
        power_limit_watts=450,
        source="NVIDIA Ada GPU architecture whitepaper",
        aliases=("GeForce RTX 4090", "RTX 4090"),
    ),
    Accelerator(
        name="NVIDIA GeForce RTX 5090",
        vendor="NVIDIA",
        peaks=_peaks(fp32=104.8, tf32=104.8, bf16=209.5, fp16=419),
        power_limit_watts=575,
        source="NVIDIA RTX Blackwell GPU architecture whitepaper",
        aliases=("GeForce RTX 5090", "RTX 5090"),
    ),
    Accelerator(
        name="AMD Instinct MI250X",
        vendor="AMD",
        peaks=_peaks(fp32=95.7, bf16=383, fp16=383),
        power_limit_watts=560,
        source="AMD Instinct MI250X data sheet: a module of two dies; matrix figures",
        aliases=("MI250X", "Instinct MI250X"),
    ),
    Accelerator(
        name="AMD Instinct MI300X",
        vendor="AMD",
        peaks=_peaks(fp32=163.4, tf32=653.7, bf16=1307.4, fp16=1307.4),
        power_limit_watts=750,
        source="AMD Instinct MI300X data sheet",
        aliases=("MI300X", "Instinct MI300X", "AMD Instinct MI300X OAM"),
    ),
    Accelerator(
        name="Google TPU v3",
        vendor="Google",
        peaks=_peaks(bf16=123),
        power_limit_watts=None,
        source="Google Cloud documentation, TPU v3, one chip",
        aliases=("TPU v3", "tpu-v3", "TPUv3"),
    ),
    Accelerator(
        name="Google TPU v4",
        vendor="Google",
        peaks=_peaks(bf16=275),
        power_limit_watts=None,
        source="Google Cloud documentation, TPU v4, one chip",
        aliases=("TPU v4", "tpu-v4", "TPUv4"),
    ),
)
