"""Level rules: what the evidence shows decides the level, not what the statement says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ranking.evidence import keys
from ranking.evidence.model import Predicate
from tests.bundles import Run, system_document
from tests.ranking.rules.judging import SMOKE, Forgery, above_note, assert_found, claims, configured, judged, value_of

RULE = SMOKE.learning_rate


def without_momentum(run: Run) -> None:
    run.events = [event for event in run.events if event.key != "sgd_opt_momentum"]


def batch(size: int, level: str = "hardware", *, rate: float | None = None) -> dict[str, Any]:
    """Another batch in statement and logs, with the learning rate of the rule, and progress at interval ends only."""

    def edit_run(run: Run) -> None:
        run.find(keys.GLOBAL_BATCH_SIZE)[0].value = size
        run.find(keys.OPT_BASE_LEARNING_RATE)[0].value = RULE.base * size / RULE.base_batch if rate is None else rate
        run.events = [event for event in run.events if event.key != keys.PROGRESS]

    def edit_predicate(predicate: Predicate) -> Predicate:
        configuration = replace(predicate.configuration, global_batch_size=size)
        return replace(predicate, level=level, configuration=configuration)

    return {"edit_run": edit_run, "edit_predicate": edit_predicate}


def environment(**variables: str) -> dict[str, Any]:
    system = system_document(accelerators=2)
    return {"accelerators": 2, "system": system | {"vflops": {**system["vflops"], "environment": variables}}}


FORGERIES = [
    Forgery(id="level.configuration", name="bf16", options=configured(precision="bf16")),
    Forgery(id="level.configuration", name="TF32", options=configured(precision="tf32")),
    Forgery(id="level.configuration", name="channels last", options=configured(channels_last=True)),
    Forgery(id="level.configuration", name="compiled", options=configured(compile=True)),
    *(
        Forgery(id="level.overridden_precision", name=name, options=environment(**{name: "1"}))
        for name in ("NVIDIA_TF32_OVERRIDE", "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE")
    ),
    Forgery(id="level.layers", name="own implementation", options=claims(layers_changed=(1, 7))),
    Forgery(id="level.layers", name="hyper-parameters", options=claims(level="system", layers_changed=(7, 8))),
    Forgery(id="level.layers", name="the problem", options=claims(level="free", layers_changed=(9,))),
    Forgery(id="level.global_batch_size", name="beyond the rule", options=batch(2 * RULE.max_global_batch_size)),
    Forgery(id="level.learning_rate", name="tuned", options=value_of(keys.OPT_BASE_LEARNING_RATE, 1.1 * RULE.base)),
    Forgery(id="level.learning_rate", name="not scaled", options=batch(RULE.base_batch // 2, rate=RULE.base)),
    Forgery(id="level.hyperparameter", name="momentum", options=value_of("sgd_opt_momentum", 0.95)),
    Forgery(id="level.hyperparameter", name="weight decay", options=value_of("opt_weight_decay", 1e-3)),
    Forgery(id="level.hyperparameter", name="optimizer", options=value_of(keys.OPT_NAME, "lamb")),
    Forgery(id="level.hyperparameter", name="warm-up", options=value_of("opt_learning_rate_warmup_epochs", 0.01)),
    Forgery(id="level.hyperparameter", name="momentum unsaid", options={"edit_run": without_momentum}),
]


@pytest.mark.parametrize("forgery", FORGERIES, ids=str)
def test_a_change_above_the_level_is_found(forgery: Forgery, tmp_path: Path) -> None:
    assert_found(tmp_path, forgery)


@pytest.mark.parametrize(
    "options",
    [
        environment(NVIDIA_TF32_OVERRIDE="0"),
        claims(layers_changed=()),
        batch(RULE.base_batch // 2),
        batch(RULE.max_global_batch_size, "system"),
        batch(4096, "free", rate=0.7),
        claims(level="free", layers_changed=(8,)) | value_of("sgd_opt_momentum", 0.95),
    ],
    ids=[
        "TF32 turned off by hand",
        "nothing changed",
        "half the batch",
        "largest batch",
        "free batch and rate",
        "free momentum",
    ],
)
def test_a_change_within_the_level_is_no_finding(options: dict[str, Any], tmp_path: Path) -> None:
    assert not above_note(judged(tmp_path, **options))


@pytest.mark.parametrize("change", [{"precision": "bf16"}, {"compile": True}, {"channels_last": True}])
def test_level_system_allows_another_configuration(change: dict[str, Any], tmp_path: Path) -> None:
    def edit(predicate: Predicate) -> Predicate:
        raised = replace(predicate, level="system", layers_changed=(7,))
        return replace(raised, configuration=replace(raised.configuration, **change))

    assert not above_note(judged(tmp_path, edit_predicate=edit))
