"""Schema rules: each log that is not as format 1 asks is refused with its own id."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ranking.evidence import keys
from ranking.findings import Verdict
from ranking.verify import FINDINGS_OF_A_RULE
from tests.bundles import Event, Run, system_document
from tests.ranking.rules.judging import (
    SMOKE,
    Forgery,
    above_note,
    assert_found,
    claims,
    ids,
    judged,
    of_event,
    of_run,
    value_of,
)
from workloads.definition import UnknownWorkload, find


def without(key: str) -> dict[str, Any]:
    def drop(run: Run) -> None:
        run.events = [event for event in run.events if event.key != key]

    return of_run(2, drop)


def twice(key: str) -> dict[str, Any]:
    def repeat(run: Run) -> None:
        place = run.events.index(run.find(key)[0])
        run.events.insert(place, run.events[place])

    return of_run(2, repeat)


def swapped(first: str, second: str) -> dict[str, Any]:
    """Two events change places but keep the clock of their place."""

    def swap(run: Run) -> None:
        a, b = (run.events.index(run.find(key)[0]) for key in (first, second))
        one, other = run.events[a], run.events[b]
        one.clock_us, other.clock_us = other.clock_us, one.clock_us
        run.events[a], run.events[b] = other, one

    return of_run(0, swap)


def namespaced(key: str, namespace: str) -> dict[str, Any]:
    return of_event(key, lambda event: setattr(event, "namespace", namespace))


def metadata(key: str, **changes: Any) -> dict[str, Any]:
    return of_event(key, lambda event: event.metadata.update(changes))


def appended(key: str) -> dict[str, Any]:
    """One more event, behind the end of the log."""
    return of_run(0, lambda run: run.events.append(Event(key, 1, run.events[-1].clock_us)))


def inserted_after_preparation(key: str) -> dict[str, Any]:
    def insert(run: Run) -> None:
        place = run.events.index(run.find(keys.RUN_START)[0])
        run.events.insert(place, Event(key, 1, run.events[place].clock_us))

    return of_run(0, insert)


def late_evaluation() -> dict[str, Any]:
    """The last evaluation of a run once more, between run_stop and end."""

    def repeat(run: Run) -> None:
        again = [replace(run.find(key)[-1], clock_us=run.events[-1].clock_us) for key in keys_of_an_evaluation]
        run.events[-1:-1] = again

    keys_of_an_evaluation = (keys.EVAL_START, keys.EVAL_ACCURACY, keys.EVAL_STOP)
    return of_run(0, repeat)


def described(**changes: Any) -> dict[str, Any]:
    return {"accelerators": 1, "system": {**system_document(accelerators=1), **changes}}


def begun(**changes: Any) -> dict[str, Any]:
    return of_event(keys.BEGIN, lambda event: event.value.update(changes))


def parts(**changes: Any) -> dict[str, Any]:
    return of_event(keys.INTERVAL, lambda event: event.value.update(changes), number=2)


WORKLOAD_OF_TOMORROW = {"name": "image_classification", "scale": "smoke", "version": "999"}

FORGERIES = [
    *(
        Forgery(id="schema.missing_key", name=f"no {key}", options=without(key))
        for key in (keys.SEED, keys.GLOBAL_BATCH_SIZE, keys.INIT_START, keys.RUN_START, keys.RUN_STOP, keys.END)
    ),
    *(
        Forgery(id="schema.repeated_key", name=f"{key} twice", options=twice(key))
        for key in (keys.SEED, keys.RUN_START, keys.RUN_STOP, "sgd_opt_momentum", keys.SUBMISSION_STATUS)
    ),
    Forgery(id="schema.namespace", name="accuracy as ours", options=namespaced(keys.EVAL_ACCURACY, keys.NAMESPACE)),
    Forgery(id="schema.namespace", name="checkpoint as MLPerf's", options=namespaced(keys.CHECKPOINT, "")),
    Forgery(id="schema.key_order", name="stop of evaluation first", options=swapped(keys.EVAL_START, keys.EVAL_STOP)),
    Forgery(id="schema.key_order", name="run before preparation", options=swapped(keys.INIT_STOP, keys.RUN_START)),
    Forgery(id="schema.key_order", name="seed before begin", options=swapped(keys.BEGIN, keys.SEED)),
    Forgery(id="schema.key_order", name="a line behind the end", options=appended(keys.EVAL_ACCURACY)),
    Forgery(id="schema.key_order", name="a better evaluation after run_stop", options=late_evaluation()),
    Forgery(id="schema.value", name="accuracy in quotes", options=value_of(keys.EVAL_ACCURACY, "0.95")),
    Forgery(id="schema.value", name="accuracy true", options=value_of(keys.EVAL_ACCURACY, True)),
    Forgery(id="schema.value", name="accuracy null", options=value_of(keys.EVAL_ACCURACY, None)),
    Forgery(id="schema.value", name="accuracy beyond all", options=value_of(keys.EVAL_ACCURACY, 1e300)),
    Forgery(id="schema.value", name="seed with a fraction", options=value_of(keys.SEED, 1.5)),
    Forgery(id="schema.value", name="progress no object", options=value_of(keys.PROGRESS, 7)),
    Forgery(id="schema.value", name="progress negative", options=value_of(keys.PROGRESS, {"samples": -1, "loss": 1})),
    Forgery(id="schema.value", name="status done", options=metadata(keys.RUN_STOP, status="done")),
    Forgery(id="schema.value", name="status a list", options=metadata(keys.RUN_STOP, status=["success"])),
    Forgery(id="schema.value", name="samples a text", options=metadata(keys.EVAL_ACCURACY, samples="many")),
    Forgery(id="schema.begin", name="another nonce", options=value_of(keys.BEGIN, {"nonce": "0" * 32})),
    Forgery(id="schema.begin", name="another format", options=begun(format=2)),
    Forgery(id="schema.begin", name="no boot", options=begun(boot=None)),
    Forgery(id="schema.begin", name="a boot by name", options=begun(boot="yesterday")),
    Forgery(id="schema.value", name="records negative", options=value_of(keys.TELEMETRY, {"records": -99, "head": ""})),
    Forgery(id="schema.value", name="negative seconds", options=parts(compute_s=-1)),
    Forgery(id="schema.value", name="seconds in words", options=parts(data_s="few")),
    Forgery(id="schema.system", name="no nodes", options=described(number_of_nodes=0)),
    Forgery(id="schema.system", name="a billion nodes", options=described(number_of_nodes=10**9)),
    Forgery(id="schema.system", name="eight in words", options=described(accelerators_per_node="eight")),
    Forgery(id="schema.system", name="no name", options=described(accelerator_model_name="")),
    Forgery(id="schema.system", name="no framework", options=described(framework={"unavailable": "no"})),
    Forgery(id="schema.system", name="a list for a name", options=described(host_processor_model_name=[])),
    Forgery(id="schema.system", name="a book for a name", options=described(cooling="x" * 1_000)),
    Forgery(id="schema.system", name="a line break", options=described(operating_system="Debian\n12")),
    Forgery(id="schema.system", name="unavailable for no reason", options=described(cooling={"unavailable": None})),
    Forgery(id="schema.system", name="a number beyond all", options=described(host_memory_capacity=1e308)),
    Forgery(id="schema.system", name="software in words", options=described(other_software_stack="python")),
    Forgery(id="schema.system", name="a field of nobody's", options=described(extra={"a": {}})),
    Forgery(id="schema.system", name="another system", options=described(system_name="Another system")),
    Forgery(
        id="schema.unknown_key",
        name="a key of nobody's",
        verdict=Verdict.NOTE,
        options=inserted_after_preparation("tflops"),
    ),
]


@pytest.mark.parametrize("forgery", FORGERIES, ids=str)
def test_a_log_of_another_form_is_found(forgery: Forgery, tmp_path: Path) -> None:
    assert_found(tmp_path, forgery)


def unknown_workload() -> dict[str, Any]:
    def edit(predicate: Any) -> Any:
        return replace(predicate, workload=replace(predicate.workload, version="999"))

    return {"edit_predicate": edit}


def test_an_unknown_workload_is_refused_and_the_other_rules_still_run(tmp_path: Path) -> None:
    report = judged(tmp_path, **unknown_workload(), **value_of(keys.SEED, 1))
    assert {"schema.unknown_workload", "counts.seed_differs"} <= ids(report)
    assert report.to_document()["score"] is None
    with pytest.raises(UnknownWorkload):
        find(**WORKLOAD_OF_TOMORROW)


def test_an_unread_key_of_preparation_is_a_hyperparameter_and_no_finding_at_level_free(tmp_path: Path) -> None:
    def edit(run: Run) -> None:
        run.events.insert(12, Event("dropout", 0, run.events[12].clock_us))

    report = judged(tmp_path, **of_run(0, edit), **claims(level="free"))
    assert not above_note(report)
    assert "schema.unknown_key" not in ids(report)


def test_a_million_wrong_lines_give_some_findings_and_their_number(tmp_path: Path) -> None:
    def wrong(run: Run) -> None:
        for key in (keys.EVAL_ACCURACY, keys.PROGRESS, keys.CHECKPOINT, keys.INTERVAL):
            for event in run.find(key):
                event.value = "high"

    report = judged(tmp_path, edit_run=wrong)
    assert [f.id for f in report.findings].count("schema.value") == FINDINGS_OF_A_RULE
    many = next(found for found in report.findings if found.id == "schema.many_faults")
    assert (many.verdict, many.got) == (Verdict.NOTE, f"{5 * 4 * len(SMOKE.evaluation_points)} in all")


def test_an_aborted_run_may_stop_anywhere(tmp_path: Path) -> None:
    def abort(run: Run) -> None:
        place = run.events.index(run.find(keys.EVAL_START)[4])
        stop, end = run.events[-2], run.events[-1]
        stop.metadata = {keys.STATUS: keys.ABORTED}
        run.events = [*run.events[: place + 1], stop, end]
        run.checkpoints = run.checkpoints[:4]

    report = judged(tmp_path, **of_run(3, abort))
    assert not above_note(report)
    assert "quality.aborted" in ids(report)


def test_any_name_is_a_name(tmp_path: Path) -> None:
    assert not above_note(judged(tmp_path, system_name="Another name", organisation="alpha"))
