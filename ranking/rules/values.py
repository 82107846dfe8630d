"""Value rules: lines of a log have the type of event, and values and metadata of the kind, that their key asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from ranking.case import RunSet
from ranking.evidence import keys
from ranking.evidence.model import LogLine
from ranking.findings import Finding, reject
from ranking.trace import PARTS, integer, number, text

STARTS: Final = frozenset({keys.INIT_START, keys.RUN_START, keys.BLOCK_START, keys.EVAL_START})
STOPS: Final = frozenset({keys.INIT_STOP, keys.RUN_STOP, keys.BLOCK_STOP, keys.EVAL_STOP})


def event_types(run_set: RunSet) -> Iterator[Finding]:
    """Stretches of time begin and end as MLPerf's tools read them, and everything else is a point in time."""
    for trace in run_set.traces:
        for line in trace.lines:
            expected = _event_type(line.key)
            if line.event_type != expected:
                place = trace.place(line.number)
                yield reject("schema.event_type", place=place, expected=f"{line.key} {expected}", got=line.event_type)
                break


def _event_type(key: str) -> str:
    if key in STARTS:
        return keys.INTERVAL_START
    return keys.INTERVAL_END if key in STOPS else keys.POINT_IN_TIME


def values(run_set: RunSet) -> Iterator[Finding]:
    """Values and metadata have the type that their key asks for; MLPerf's checker crashes on an accuracy in quotes."""
    for trace in run_set.traces:
        for line in trace.lines:
            expected = _wrong_value(line)
            if expected is not None:
                yield reject("schema.value", place=trace.place(line.number), expected=expected, got=line.value)


def _wrong_value(line: LogLine) -> str | None:
    """What a line lacks, in words; None where it is as it should be."""
    for name, is_right, what in _VALUE_CHECKS.get(line.key, ()):
        if not is_right(_field(line.value, name) if name else line.value):
            return f"{line.key}: {name or 'value'} {what}"
    for name, is_right, what in _METADATA_CHECKS.get(line.key, ()):
        if not is_right(line.metadata.get(name)):
            return f"{line.key}: metadata {name} {what}"
    return None


def _field(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, Mapping) else None


def _is_count(value: object) -> bool:
    count = integer(value)
    return count is not None and count >= 0


def _is_number(value: object) -> bool:
    return number(value) is not None


def _is_amount(value: object) -> bool:
    amount = number(value)
    return amount is not None and amount >= 0


def _is_number_or_null(value: object) -> bool:
    return value is None or _is_number(value)


def _is_text(value: object) -> bool:
    return text(value) is not None


def _is_status(value: object) -> bool:
    return value in {keys.SUCCESS, keys.ABORTED} if isinstance(value, str) else False


Check = tuple[str, Callable[[object], bool], str]
"""Name of a field (empty: the value itself), what it must be, and that in words."""

_COUNT = "a count"
_VALUE_CHECKS: Final[Mapping[str, tuple[Check, ...]]] = {
    keys.SUBMISSION_BENCHMARK: (("", _is_text, "a text"),),
    keys.SUBMISSION_PLATFORM: (("", _is_text, "a text"),),
    keys.SEED: (("", _is_count, _COUNT),),
    keys.GLOBAL_BATCH_SIZE: (("", _is_count, _COUNT),),
    keys.TRAIN_SAMPLES: (("", _is_count, _COUNT),),
    keys.EVAL_SAMPLES: (("", _is_count, _COUNT),),
    keys.OPT_NAME: (("", _is_text, "a text"),),
    keys.OPT_BASE_LEARNING_RATE: (("", _is_number, "a number"),),
    keys.EVAL_ACCURACY: (("", _is_number, "a number"),),
    keys.PROGRESS: ((keys.SAMPLES, _is_count, _COUNT), (keys.LOSS, _is_number_or_null, "a number or null")),
    keys.CHECKPOINT: (("name", _is_text, "a text"), ("sha256", _is_text, "a text"), ("bytes", _is_count, _COUNT)),
    keys.TELEMETRY: (("records", _is_count, _COUNT), ("head", _is_text, "a text")),
    keys.INTERVAL: (
        (keys.SAMPLES, _is_count, _COUNT),
        (keys.LOSS, _is_number, "a number"),
        *((part, _is_amount, "a number of seconds") for part in PARTS),
    ),
}
_METADATA_CHECKS: Final[Mapping[str, tuple[Check, ...]]] = {
    keys.BLOCK_START: ((keys.SAMPLES, _is_count, _COUNT),),
    keys.EVAL_START: ((keys.SAMPLES, _is_count, _COUNT),),
    keys.EVAL_STOP: ((keys.SAMPLES, _is_count, _COUNT),),
    keys.BLOCK_STOP: ((keys.SAMPLES, _is_count, _COUNT),),
    keys.EVAL_ACCURACY: (
        (keys.SAMPLES, _is_count, _COUNT),
        (keys.EPOCH_NUM, _is_number, "a number"),
        (keys.EVAL_SAMPLES, _is_count, _COUNT),
        (keys.LOSS, _is_number, "a number"),
    ),
    keys.CHECKPOINT: ((keys.SAMPLES, _is_count, _COUNT),),
    keys.RUN_STOP: ((keys.STATUS, _is_status, "success or aborted"),),
}
