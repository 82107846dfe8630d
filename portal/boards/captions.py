"""What stands below a figure: what it shows, and of which part of the machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Document = Mapping[str, Any]

SHOWN: dict[str, Promise] = {
    "quality": _("Quality at every evaluation, against the time since the run started. The dashed line is the target."),
    "throughput": _(
        "Training samples per second. Evaluation lies between the stretches; warm-up and data loading show as dips."
    ),
    "power": _("Power while the clock ran."),
    "utilisation": _("How busy the machine was while the clock ran."),
}
SCOPES: dict[tuple[str, str], Promise] = {
    ("power", "accelerators"): _("Measured: all accelerators together, without their host."),
    ("power", "package"): _("Measured: the CPU package of the host."),
    ("utilisation", "accelerators"): _("Measured: the accelerators, mean of all."),
    ("utilisation", "host"): _("Measured: the CPU of the host, mean of all its cores, other programs included."),
}


def scopes(document: Document, name: str) -> tuple[str, ...]:
    """What curve ``name`` was measured on, each scope once; empty where that needs no saying."""
    measured = (run.get("measured", {}).get(name, {}) for run in document["runs"])
    return tuple(dict.fromkeys(scope for one in measured if (scope := one.get("scope"))))


def caption(document: Document, name: str) -> str:
    """The sentences below figure ``name``."""
    sentences = [SHOWN.get(name, ""), *(SCOPES.get((name, scope), scope) for scope in scopes(document, name))]
    return " ".join(str(sentence) for sentence in sentences if sentence)
