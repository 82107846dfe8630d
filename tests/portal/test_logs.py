"""Log lines: one JSON object each, with the ids of what they are about, whoever logged."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from portal import celery, logs


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    """What a deployment's handler writes."""
    options = dict(logs.logging_config(json=True, level="INFO")["formatters"]["structured"])
    formatter = options.pop("()")(**options)
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(formatter)
    logging.getLogger().addHandler(handler)
    yield written
    logging.getLogger().removeHandler(handler)


def lines(stream: io.StringIO) -> list[dict[str, object]]:
    """Every line as an object."""
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_line_names_the_submission_it_is_about(stream: io.StringIO) -> None:
    """Bound by the task, for every line until its end."""

    class Task:
        name = "submissions.verify"

    celery.bind_task(task_id="t1", task=Task(), args=["abc"])
    structlog.get_logger("portal.test").warning("verification.no_report", id="verification.crashed")
    logging.getLogger("somebody.else").warning("plain")
    celery.unbind_task()
    structlog.get_logger("portal.test").warning("later")
    ours, others, later = lines(stream)
    assert (ours["event"], ours["id"], ours["public_id"]) == ("verification.no_report", "verification.crashed", "abc")
    assert (others["event"], others["public_id"], others["level"]) == ("plain", "abc", "warning")
    assert "public_id" not in later


def test_an_exception_stays_on_one_line(stream: io.StringIO) -> None:
    """So that a reader of lines sees it whole."""
    try:
        raise ValueError("why")
    except ValueError:
        logging.getLogger("portal.test").exception("failed")
    (line,) = lines(stream)
    assert "ValueError: why" in str(line["exception"])
