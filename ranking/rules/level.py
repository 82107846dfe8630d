"""Level rules: what the evidence shows to be changed is allowed at the level that the statement claims."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Final

from ranking.case import Case
from ranking.evidence import keys
from ranking.findings import Finding, reject
from ranking.trace import number
from workloads.definition import Configuration, Level, Precision

PLACE: Final = "statement.dsse.json"

ALLOWED_LAYERS: Final = {
    Level.HARDWARE: frozenset({1}),
    Level.SYSTEM: frozenset(range(1, 8)),
    Level.FREE: frozenset(range(1, 9)),
}
"""Layers that a submission may change, of HPC AI500's nine; releases of layers 2 to 6 are no changes."""

TF32_OVERRIDES: Final = ("NVIDIA_TF32_OVERRIDE", "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE")
"""Variables of NVIDIA's libraries and of PyTorch that turn TF32 on whatever a program sets."""

LOG_KEYS: Final = {"momentum": "sgd_opt_momentum", "weight_decay": "opt_weight_decay"}
"""Hyper-parameters that MLPerf's logging has another name for than the definition; the rest keep theirs."""

WARMUP_EPOCHS: Final = "opt_learning_rate_warmup_epochs"

RELATIVE_TOLERANCE: Final = 1e-6
"""Of a hyper-parameter: wide enough for one computed in single precision, far too narrow to tune with."""


def configuration(case: Case) -> Iterator[Finding]:
    """Precision, memory format and compilation belong to level system; the configuration decides, not the claim."""
    claim = case.claim.configuration
    needed = Configuration(
        global_batch_size=claim.global_batch_size,
        precision=Precision(claim.precision),
        channels_last=claim.channels_last,
        compile=claim.compile,
        threads=claim.threads,
    ).required_level(case.workload)
    if _order(Level(case.claim.level)) < _order(needed):
        expected = f"level {needed} or above for this configuration"
        yield reject("level.configuration", place=PLACE, expected=expected, got=case.claim.level)


def overridden_precision(case: Case) -> Iterator[Finding]:
    """fp32 means TF32 off: two variables turn it on beneath the framework's own setting."""
    system = case.run_set.evidence.system or {}
    own = system.get("vflops")
    environment = own.get("environment") if isinstance(own, Mapping) else None
    if not isinstance(environment, Mapping) or case.claim.configuration.precision != Precision.FP32:
        return
    for name in TF32_OVERRIDES:
        if environment.get(name) == "1":
            yield reject("level.overridden_precision", place="system.json", expected=f"{name} not 1", got="1")


def layers(case: Case) -> Iterator[Finding]:
    """The layers said to be changed are allowed at that level; the ninth, the problem itself, never is."""
    level = Level(case.claim.level)
    beyond = sorted(set(case.claim.layers_changed) - ALLOWED_LAYERS[level])
    if beyond:
        expected = f"at level {level} only layers {', '.join(map(str, sorted(ALLOWED_LAYERS[level])))}"
        yield reject("level.layers", place=PLACE, expected=expected, got=", ".join(map(str, beyond)))


def global_batch_size(case: Case) -> Iterator[Finding]:
    """Below level free the batch stays where the learning-rate rule was calibrated."""
    most = case.workload.learning_rate.max_global_batch_size
    batch = case.claim.configuration.global_batch_size
    if _keeps_recipe(case) and batch > most:
        yield reject("level.global_batch_size", place=PLACE, expected=f"at most {most}", got=batch)


def learning_rate(case: Case) -> Iterator[Finding]:
    """Below level free the base learning rate follows from the global batch size by the definition's linear rule."""
    rule = case.workload.learning_rate
    expected = rule.base * case.claim.configuration.global_batch_size / rule.base_batch
    for trace in case.traces:
        line = trace.first(keys.OPT_BASE_LEARNING_RATE)
        if _keeps_recipe(case) and line is not None and not _equal(line.value, expected):
            place = trace.place(line.number)
            yield reject("level.learning_rate", place=place, expected=f"{expected:.6g}", got=line.value)


def hyperparameters(case: Case) -> Iterator[Finding]:
    """Below level free every other hyper-parameter is the recipe's, and each of them stands in every log."""
    if not _keeps_recipe(case):
        return
    recipe = {LOG_KEYS.get(name, name): value for name, value in case.workload.hyperparameters.items()}
    recipe[WARMUP_EPOCHS] = case.workload.learning_rate.warmup_epochs
    for trace in case.traces:
        for key, value in recipe.items():
            line = trace.first(key)
            if line is None or not _equal(line.value, value):
                place = trace.place(None if line is None else line.number)
                got = "no line" if line is None else line.value
                yield reject("level.hyperparameter", place=place, expected=f"{key} {value}", got=got)


def _keeps_recipe(case: Case) -> bool:
    return Level(case.claim.level) is not Level.FREE


def _equal(got: object, expected: float | str) -> bool:
    if isinstance(expected, str):
        return got == expected
    value = number(got)
    return value is not None and math.isclose(value, expected, rel_tol=RELATIVE_TOLERANCE)


def _order(level: Level) -> int:
    return list(Level).index(level)
