"""Words of the codes that documents hold: codes stay as they are in data, pages show these in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

WORDS: Mapping[str, Mapping[str, Promise]] = {
    "verdict": {
        "note": pgettext_lazy("verdict", "note"),
        "hold": pgettext_lazy("verdict", "hold"),
        "reject": pgettext_lazy("verdict", "reject"),
        "accept": pgettext_lazy("verdict", "accept"),
    },
    "status": {"success": _("complete"), "aborted": _("aborted")},
    "scope": {"accelerators": _("accelerators"), "package": _("CPU package"), "host": _("CPU of the host")},
    "scale": {"reference": _("reference"), "lite": _("lite"), "smoke": _("smoke")},
    "level": {"hardware": _("hardware"), "system": _("system"), "free": pgettext_lazy("level", "free")},
    "phase": {
        "preparation": _("preparation"),
        "training": _("training"),
        "evaluation": _("evaluation"),
        "checkpoint": _("checkpoint"),
    },
    "figure": {
        "quality": _("Quality"),
        "throughput": _("Training throughput"),
        "power": _("Power"),
        "utilisation": _("Utilisation"),
    },
    "column": {
        "run": _("Run"),
        "seconds": _("Time (s)"),
        "samples": _("Samples"),
        "quality": _("Quality"),
        "loss": _("Loss"),
        "samples_per_s": _("Samples per second"),
        "watts": _("Power (W)"),
        "percent": _("Utilisation (%)"),
    },
    "field": {
        "accelerator_interconnect": _("Accelerator interconnect"),
        "accelerator_memory_capacity": _("Accelerator memory"),
        "accelerator_model_name": _("Accelerator"),
        "accelerators_per_node": _("Accelerators per node"),
        "channels_last": _("Channels last"),
        "compile": _("Compiled"),
        "compiler": _("Compiler found"),
        "cooling": _("Cooling"),
        "device": _("Device"),
        "division": _("Division"),
        "driver": _("Driver"),
        "framework": _("Framework"),
        "global_batch_size": _("Global batch size"),
        "host_memory_bytes": _("Host memory (bytes)"),
        "host_memory_capacity": _("Host memory"),
        "host_networking": _("Host networking"),
        "host_processor_core_count": _("Cores of a host"),
        "host_processor_model_name": _("Host processor"),
        "host_processor_vcpu_count": _("Threads of a host"),
        "host_processors_per_node": _("Host processors per node"),
        "host_storage_capacity": _("Host storage"),
        "host_storage_type": _("Host storage type"),
        "kernel_release": _("Kernel"),
        "machine": _("Machine"),
        "number_of_nodes": _("Nodes"),
        "operating_system": _("Operating system"),
        "precision": _("Precision"),
        "processors_allowed": _("Processors allowed"),
        "python": _("Python"),
        "runner": _("Runner"),
        "source_digest": _("Digest of the runner's source"),
        "status": _("Status"),
        "system_name": _("System name"),
        "threads": _("CPU threads"),
        "torch": _("PyTorch"),
    },
}
"""By kind of code, then by code."""


def word(code: object, kind: str) -> str:
    """The word of ``code``; one that nobody knows here is shown as it stands."""
    text = str(code)
    found = WORDS[kind].get(text)
    return text if found is None else str(found)


def field_name(code: str) -> str:
    """The name of a field of a system description; an unknown one is its code made readable."""
    found = word(code, "field")
    return readable(code) if found == code else found


def readable(code: object) -> str:
    """An identifier as words: ``image_classification`` gives ``Image classification``."""
    return str(code).replace("_", " ").replace("-", " ").capitalize()
