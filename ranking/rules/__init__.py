"""Rules: rule set 1, in the order in which its findings are told; frozen once published, a change is a new number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from ranking.case import Case, RunSet
from ranking.findings import Finding
from ranking.rules import (
    checkpoints,
    counts,
    level,
    plausibility,
    quality,
    recipe,
    repeatability,
    schema,
    stated,
    support,
    telemetry,
    ticket,
    time,
    values,
)

RULE_SET: Final = "1"
"""Number of this rule set; a report names it, and a result is checked again with its own."""

FAMILIES: Final = (
    "container",
    "statement",
    "schema",
    "chain",
    "ticket",
    "time",
    "level",
    "counts",
    "quality",
    "repeatability",
    "plausibility",
    "replay",
    "key",
)
"""First halves of finding ids, in the order of a report. The first two and ``chain`` come from reading a bundle."""

RunSetRule = Callable[[RunSet], Iterator[Finding]]
CaseRule = Callable[[Case], Iterator[Finding]]

RUN_SET_RULES: Final[tuple[RunSetRule, ...]] = (
    schema.known_workload,
    schema.required_keys,
    schema.namespaces,
    schema.key_order,
    values.event_types,
    values.values,
    schema.begins_bound,
    schema.unknown_keys,
    schema.system_fields,
    stated.submission,
    stated.system_agrees,
    ticket.marked_own,
    ticket.own_seeds_follow,
    ticket.ticket_present,
    time.run_interval,
    time.clock_forward,
    time.telemetry_forward,
    time.evaluation_times,
    time.preparation,
    time.runs_apart,
    telemetry.in_step,
    telemetry.period,
    counts.distinct_seeds,
    counts.seed_in_log,
    counts.distinct_logs,
    stated.seams,
    checkpoints.logged,
    checkpoints.in_place,
    checkpoints.distinct_weights,
    checkpoints.one_network,
    telemetry.heads,
    telemetry.distinct,
    telemetry.readings,
    telemetry.counters,
)
"""Rules that need no definition, so that they run even where the workload is unknown."""

CASE_RULES: Final[tuple[CaseRule, ...]] = (
    time.created_before,
    time.parts,
    time.clock_steps,
    time.restarts,
    level.configuration,
    level.overridden_precision,
    level.layers,
    level.global_batch_size,
    level.learning_rate,
    level.hyperparameters,
    recipe.undeclared_layers,
    recipe.schedule,
    recipe.no_other_hyperparameters,
    checkpoints.wide_weights,
    counts.runs,
    counts.evaluation_schedule,
    counts.whole_evaluations,
    counts.dataset_sizes,
    counts.global_batch_size,
    counts.total_samples,
    counts.interval_samples,
    counts.steps,
    counts.epoch_numbers,
    quality.in_range,
    quality.is_a_count,
    quality.ends_evaluated,
    quality.useless_runs,
    quality.enough_useful_runs,
    quality.late_changes,
    quality.evaluation_loss,
    support.loss_in_range,
    support.supported_by_loss,
    support.within_reference,
    quality.scored,
    repeatability.speed,
    repeatability.calibrated,
    repeatability.quality_spread,
    repeatability.epochs_spread,
    repeatability.too_good,
    repeatability.too_early,
    plausibility.known_device,
    plausibility.below_peak,
    plausibility.evaluation_below_peak,
    plausibility.energy_within_limit,
    plausibility.telemetry_covers,
    plausibility.device_was_used,
    plausibility.device_count,
    checkpoints.no_hidden_device,
    telemetry.energy_agrees,
)
"""Rules that hold a run set against the definition of its workload."""
