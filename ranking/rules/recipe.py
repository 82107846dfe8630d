"""Recipe rules: below level free a log names the recipe's hyper-parameters and no others, and changes are declared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ranking.case import Case
from ranking.evidence import keys
from ranking.findings import Finding, reject
from ranking.rules.level import LOG_KEYS, PLACE, WARMUP_EPOCHS
from ranking.rules.schema import KNOWN_KEYS
from ranking.trace import Trace
from workloads.definition import Configuration, Level, Precision

SCHEDULE: Final = "opt_learning_rate_schedule"
COSINE: Final = "cosine"
"""The one schedule of the definitions' learning-rate rule."""

BEYOND_HARDWARE: Final = frozenset(range(2, 10))
"""Layers of which one is changed by every configuration that is not the released code's."""


def undeclared_layers(case: Case) -> Iterator[Finding]:
    """A configuration that is not the released code's changes a layer, and a statement tells every layer it changed."""
    claim = case.claim.configuration
    configuration = Configuration(
        global_batch_size=claim.global_batch_size,
        precision=Precision(claim.precision),
        channels_last=claim.channels_last,
        compile=claim.compile,
        threads=claim.threads,
    )
    changed = configuration.required_level(case.workload) is not Level.HARDWARE
    if changed and not BEYOND_HARDWARE & set(case.claim.layers_changed):
        got = ", ".join(map(str, case.claim.layers_changed)) or "none"
        yield reject("level.undeclared", place=PLACE, expected="the layer that this configuration changes", got=got)


def schedule(case: Case) -> Iterator[Finding]:
    """Below level free the learning rate follows the definition's curve; in released code no gradients are gathered."""
    wanted: dict[str, object] = {SCHEDULE: COSINE} if Level(case.claim.level) is not Level.FREE else {}
    if Level(case.claim.level) is Level.HARDWARE:
        wanted[keys.GRADIENT_ACCUMULATION_STEPS] = 1
    for trace in case.traces:
        for key, value in wanted.items():
            line = trace.first(key)
            if line is None or line.value != value:
                place, got = (
                    trace.place(None if line is None else line.number),
                    "no line" if line is None else line.value,
                )
                yield reject("level.schedule", place=place, expected=f"{key} {value}", got=got)


def no_other_hyperparameters(case: Case) -> Iterator[Finding]:
    """Below level free nothing else is said to be set: a further hyper-parameter is another recipe."""
    if Level(case.claim.level) is Level.FREE:
        return
    known = {LOG_KEYS.get(name, name) for name in case.workload.hyperparameters}
    known |= {WARMUP_EPOCHS, SCHEDULE, keys.GRADIENT_ACCUMULATION_STEPS, *KNOWN_KEYS}
    for trace in case.traces:
        unknown = _prepared(trace) - known
        if unknown:
            expected, got = "the recipe's hyper-parameters alone", ", ".join(sorted(unknown))
            yield reject("level.extra_hyperparameter", place=trace.place(), expected=expected, got=got)


def _prepared(trace: Trace) -> set[str]:
    """Keys up to the end of preparation; later ones that nobody reads are ``schema.unknown_key``."""
    stop = trace.first(keys.INIT_STOP)
    return {line.key for line in trace.lines if stop is not None and line.number < stop.number}
