"""The predicate of a bundle's statement: what it claims of its run set, checked field by field."""

from __future__ import annotations

import re
from dataclasses import asdict
from datetime import datetime
from typing import Final

from ranking.evidence import names
from ranking.evidence.canonical import decode64
from ranking.evidence.fields import Fields
from ranking.evidence.model import (
    ConfigurationClaim,
    Json,
    Predicate,
    RestartClaim,
    RunClaim,
    RunnerClaim,
    WorkloadClaim,
)
from workloads.definition import Level, Precision, Scale

RULE: Final = "statement.field"
"""Finding of a field that is not as format 1 asks."""

FORMAT: Final = 1

_RESERVED: Final[dict[str, Json]] = {
    "format": FORMAT,
    "ticket": None,
    "salts": [],
    "receipts": [],
    "challenge": None,
    "answer": None,
}
"""Places kept for tickets, witness and replay, with the only values that format 1 allows."""

_FREE: Final = frozenset(
    {
        "nonce",
        "created",
        "public_key",
        "organisation",
        "system_name",
        "workload",
        "level",
        "layers_changed",
        "configuration",
        "seeds",
        "runner",
        "runs",
        "restarts",
    }
)
_MOST_RESTARTS: Final = 100
"""Restarts that a run set may tell of: a run that was begun anew this often will not end either."""

_REASON = re.compile(r"[a-z][a-z_]{0,39}")
_NAME = re.compile(r"[a-z0-9_]{1,64}")
_VERSION = re.compile(r"[0-9]{1,6}")
_SLUG = re.compile(r"([a-z0-9]+(-[a-z0-9]+)*)?")
_UTC = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")


def document(claims: Predicate) -> dict[str, object]:
    """The predicate as it is signed."""
    return {**_RESERVED, **asdict(claims)}


def read(fields: Fields) -> Predicate:
    """The predicate in ``fields``. Raises EvidenceError for the first field that is missing, unknown or wrong."""
    fields.only(frozenset(_RESERVED) | _FREE)
    for name, value in _RESERVED.items():
        fields.constant(name, value)
    return Predicate(
        nonce=fields.hex("nonce", 32),
        created=_created(fields),
        public_key=_public_key(fields),
        organisation=fields.text("organisation", pattern=_SLUG),
        system_name=fields.text("system_name"),
        workload=_workload(fields.object("workload")),
        level=fields.word("level", Level),
        layers_changed=_layers(fields),
        configuration=_configuration(fields.object("configuration")),
        seeds=fields.word("seeds", ("own", "ticket")),
        runner=_runner(fields.object("runner")),
        runs=_runs(fields),
        restarts=_restarts(fields),
    )


def _created(fields: Fields) -> str:
    created = fields.text("created", pattern=_UTC)
    try:
        datetime.fromisoformat(created)
    except ValueError as error:
        raise fields.wrong("created", "a date and time in UTC") from error
    return created


def _public_key(fields: Fields) -> str:
    encoded = fields.text("public_key")
    if len(decode64(encoded, place=fields.place)) != 32:
        raise fields.wrong("public_key", "32 bytes in base64")
    return encoded


def _workload(fields: Fields) -> WorkloadClaim:
    fields.only(frozenset({"name", "scale", "version"}))
    return WorkloadClaim(
        name=fields.text("name", pattern=_NAME),
        scale=fields.word("scale", Scale),
        version=fields.text("version", pattern=_VERSION),
    )


def _layers(fields: Fields) -> tuple[int, ...]:
    layers = fields.integers("layers_changed", most=9)
    if sorted(set(layers) & set(range(1, 10))) != list(layers):
        raise fields.wrong("layers_changed", "distinct numbers from 1 to 9, ascending")
    return layers


def _configuration(fields: Fields) -> ConfigurationClaim:
    fields.only(frozenset({"global_batch_size", "precision", "channels_last", "compile", "threads"}))
    return ConfigurationClaim(
        global_batch_size=fields.integer("global_batch_size", least=1),
        precision=fields.word("precision", Precision),
        channels_last=fields.boolean("channels_last"),
        compile=fields.boolean("compile"),
        threads=None if fields.any("threads") is None else fields.integer("threads", least=1),
    )


def _runner(fields: Fields) -> RunnerClaim:
    fields.only(frozenset({"version", "source_digest"}))
    return RunnerClaim(version=fields.text("version"), source_digest=fields.hex("source_digest", 64))


def _runs(fields: Fields) -> tuple[RunClaim, ...]:
    values = fields.array("runs", most=names.MOST_RUNS)
    runs = tuple(_run(Fields(value, fields.place, rule=RULE, where="runs")) for value in values)
    if [run.index for run in runs] != list(range(len(runs))):
        raise fields.wrong("runs", "runs numbered from 0, in order")
    return runs


def _restarts(fields: Fields) -> tuple[RestartClaim, ...]:
    values = fields.array("restarts", most=_MOST_RESTARTS)
    return tuple(_restart(Fields(value, fields.place, rule=RULE, where="restarts")) for value in values)


def _restart(fields: Fields) -> RestartClaim:
    fields.only(frozenset({"run", "reason", "lost_s"}))
    return RestartClaim(
        run=fields.integer("run", most=names.MOST_RUNS),
        reason=fields.text("reason", pattern=_REASON),
        lost_s=fields.integer("lost_s"),
    )


def _run(fields: Fields) -> RunClaim:
    fields.only(frozenset({"index", "seed", "log_head", "telemetry_head"}))
    return RunClaim(
        index=fields.integer("index", most=names.MOST_RUNS),
        seed=fields.integer("seed", most=2**31 - 1),
        log_head=fields.hex("log_head", 64),
        telemetry_head=fields.hex("telemetry_head", 64),
    )
