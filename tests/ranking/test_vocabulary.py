"""The vocabulary: one name a device, whatever its machine calls it, and nothing guessed."""

from __future__ import annotations

import pytest

from ranking.devices import Kind, device_of
from ranking.vocabulary.accelerators import ACCELERATORS, find_accelerator
from ranking.vocabulary.cpus import find_cpu
from tests.bundles import system_document
from workloads.definition import Precision


@pytest.mark.parametrize(
    ("stated", "canonical"),
    [
        ("NVIDIA H200", "NVIDIA H200 SXM"),
        ("nvidia h200", "NVIDIA H200 SXM"),
        ("NVIDIA H100 80GB HBM3", "NVIDIA H100 SXM5"),
        ("NVIDIA H100 PCIe", "NVIDIA H100 PCIe"),
        ("NVIDIA A100-SXM4-80GB", "NVIDIA A100 SXM4"),
        ("A100-SXM4-40GB", "NVIDIA A100 SXM4"),
        ("Tesla V100-SXM2-16GB", "NVIDIA V100 SXM2"),
        ("NVIDIA GeForce RTX 4090", "NVIDIA GeForce RTX 4090"),
        ("GeForce RTX 3090", "NVIDIA GeForce RTX 3090"),
        ("AMD Instinct MI300X", "AMD Instinct MI300X"),
        ("AMD Instinct(TM) MI250X", "AMD Instinct MI250X"),
        ("tpu-v3", "Google TPU v3"),
        ("NVIDIA B200", "NVIDIA B200 SXM"),
    ],
)
def test_aliases_map_to_one_name(stated: str, canonical: str) -> None:
    found = find_accelerator(stated)
    assert found is not None
    assert found.name == canonical


@pytest.mark.parametrize("stated", ["", "NVIDIA", "NVIDIA H2000", "H200 x 8", "GeForce", "Frobnicator 9000", "\x00"])
def test_unknown_accelerators_are_not_guessed(stated: str) -> None:
    assert find_accelerator(stated) is None


def test_no_name_means_two_devices() -> None:
    names = [name.casefold() for item in ACCELERATORS for name in {item.name, *item.aliases}]
    assert len(names) == len(set(names))
    assert all(find_accelerator(name) is item for item in ACCELERATORS for name in (item.name, *item.aliases))


def test_peaks_are_dense_ordered_and_have_a_source() -> None:
    for item in ACCELERATORS:
        peaks = [item.peaks[p] for p in (Precision.FP32, Precision.TF32, Precision.BF16) if p in item.peaks]
        assert peaks == sorted(peaks)
        assert all(1e12 < peak < 1e16 for peak in peaks)
        assert item.source
        assert item.power_limit_watts is None or 50 < item.power_limit_watts < 2_000


@pytest.mark.parametrize(
    ("model", "name", "vendor"),
    [
        ("Intel(R) Xeon(R) Platinum 8480+", "Intel Xeon Platinum 8480+", "Intel"),
        ("Intel(R) Xeon(R) CPU E5-2690 v4 @ 2.60GHz", "Intel Xeon E5-2690 v4", "Intel"),
        ("Intel(R) Xeon(R) Processor @ 2.90GHz", "Intel Xeon", "Intel"),
        ("13th Gen Intel(R) Core(TM) i7-13700K", "Intel Core i7-13700K", "Intel"),
        ("AMD EPYC 7742 64-Core Processor", "AMD EPYC 7742", "AMD"),
        ("AMD Ryzen 9 5950X 16-Core Processor", "AMD Ryzen 9 5950X", "AMD"),
        ("AMD Ryzen 7 7840U w/ Radeon 780M Graphics", "AMD Ryzen 7 7840U", "AMD"),
        ("Apple M2 Max", "Apple M2 Max", "Apple"),
        ("Neoverse-N1", "Neoverse-N1", "Arm"),
    ],
)
def test_cpus_get_one_name(model: str, name: str, vendor: str) -> None:
    found = find_cpu(model)
    assert found is not None
    assert (found.name, found.vendor) == (name, vendor)


@pytest.mark.parametrize("model", ["", "QEMU Virtual CPU version 2.5+", "Frobnicator"])
def test_unknown_cpus_are_not_guessed(model: str) -> None:
    assert find_cpu(model) is None


def test_devices_are_accelerators_where_there_are_some() -> None:
    device = device_of(system_document(accelerators=8) | {"number_of_nodes": 2}, "bf16")
    assert device is not None
    assert (device.kind, device.count, device.canonical) == (Kind.ACCELERATOR, 16, "NVIDIA H200 SXM")
    assert device.peak_flops == 989.5e12


def test_devices_are_processors_where_there_is_no_accelerator() -> None:
    device = device_of(system_document() | {"host_processors_per_node": 2}, "fp32")
    assert device is not None
    assert (device.kind, device.count, device.peak_flops) == (Kind.CPU, 2, None)


@pytest.mark.parametrize(
    "system",
    [None, {}, {"accelerators_per_node": "eight"}, {"host_processor_model_name": {"unavailable": "no permission"}}],
)
def test_a_description_without_devices_gives_none(system: dict[str, object] | None) -> None:
    assert device_of(system, "fp32") is None


def test_an_unknown_precision_has_no_peak() -> None:
    device = device_of(system_document(accelerators=1), "fp4")
    assert device is not None
    assert device.peak_flops is None
