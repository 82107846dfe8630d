"""Displays: the same events as a live table, as plain lines and as JSON, with the time that is left."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from runner import events
from runner.board import Board
from runner.display import JsonLines, LiveTable, PlainLines, display_for
from runner.errors import Problem
from runner.events import (
    Event,
    Failed,
    Fetching,
    Notice,
    Packed,
    Packing,
    Progress,
    RunFinished,
    RunStarted,
    SetStarted,
)
from runner.wording import duration

STARTED = SetStarted(
    workload="image_classification/smoke/1",
    title="Image classification",
    level="hardware",
    device="1 x CPU",
    folder="/runs/1",
    seeds=(11, 12, 13, 14, 15),
    finished=(0,),
    total_samples=1000,
    train_samples=500,
    target_quality=0.9,
    metric="top-1 accuracy",
)
TRAINING = Progress(
    run=1, phase="training", samples=500, epoch=1.0, loss=0.25, quality=0.5, samples_per_s=100.0, flops=2e9, elapsed_s=5
)
ENDED = RunFinished(run=1, status="success", seconds=9.75, quality=0.95)
STORY: list[Event] = [
    Notice(text="made a key"),
    STARTED,
    RunStarted(run=1, seed=12),
    TRAINING,
    ENDED,
    Packing(path="/runs/1/x.vflops"),
    Packed(path="/runs/1/x.vflops", bundle="ab" * 32, size_bytes=3 << 20),
]


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("stream", "as_json", "kind"),
    [(Terminal(), False, LiveTable), (io.StringIO(), False, PlainLines), (Terminal(), True, JsonLines)],
)
def test_the_display_suits_where_output_goes(stream: io.StringIO, as_json: bool, kind: type[Any]) -> None:
    assert isinstance(display_for(stream, as_json=as_json), kind)


def test_plain_lines_tell_the_story() -> None:
    stream = io.StringIO()
    with PlainLines(stream) as display:
        for event in STORY:
            display.tell(event)
    assert stream.getvalue().splitlines() == [
        "made a key",
        "Image classification",
        "image_classification/smoke/1, level hardware, on 1 x CPU; target top-1 accuracy 0.9",
        "evidence in /runs/1",
        "1 of 5 runs are whole already",
        "run 2/5: seed 12",
        "run 2/5: success in 9.8 s, quality 0.9500",
        "packing and signing the evidence",
        "bundle: /runs/1/x.vflops (3.0 MiB)",
    ]


def test_plain_lines_show_progress_every_few_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, stream = Clock(), io.StringIO()
    monkeypatch.setattr("time.monotonic", clock)
    display = PlainLines(stream)
    for second in range(11):
        clock.now = second
        display.tell(TRAINING)
    assert stream.getvalue().count("epoch 1.00, loss 0.2500, quality 0.5000, 100 images/s, 2.000 GFLOPS") == 2


def test_the_table_shows_every_run_and_the_current_ones_figures() -> None:
    stream = Terminal()
    with LiveTable(stream) as display:
        for event in STORY[:4]:
            display.tell(event)
        drawn = Console(file=io.StringIO(), width=120, record=True)
        drawn.print(display._render())
    text = drawn.export_text()
    assert "1/5 whole" in " ".join(text.split())
    for figure in ("training", "1.00", "0.2500", "0.5000", "100", "2.000 GFLOPS", "5.0 s", "30%"):
        assert figure in text
    assert "made a key" in stream.getvalue()


def test_json_lines_can_be_read_by_a_program() -> None:
    stream = io.StringIO()
    with JsonLines(stream) as display:
        for event in STORY:
            display.tell(event)
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [line["event"] for line in lines] == [
        "notice",
        "set_started",
        "run_started",
        "progress",
        "run_finished",
        "packing",
        "packed",
    ]
    assert lines[3]["samples_per_s"] == 100.0


def test_time_left_counts_only_what_was_done_since_the_start() -> None:
    clock = Clock()
    board = Board(clock=clock)
    board.take(STARTED)
    assert board.done() == 0.2
    assert board.left_s() is None
    clock.now = 9.0
    board.take(Progress(run=1, phase="training", samples=1))
    assert board.left_s() is None, "a first step tells no pace"
    clock.now = 10.0
    board.take(TRAINING)
    assert board.done() == pytest.approx(0.3)
    assert board.left_s() == pytest.approx(70.0)
    board.take(ENDED)
    assert board.done() == pytest.approx(0.4)
    assert board.left_s() == pytest.approx(30.0)


def test_an_interval_that_ended_tells_the_pace_however_small_its_part_is() -> None:
    clock = Clock()
    board = Board(clock=clock)
    board.take(STARTED)
    clock.now = 1.0
    board.take(Progress(run=1, phase="training", samples=50))
    assert board.left_s() is None
    board.take(Progress(run=1, phase="saving", samples=50, quality=0.5))
    assert board.left_s() == pytest.approx(79.0)


@pytest.mark.parametrize(
    ("seconds", "text"), [(None, "-"), (0, "0:00"), (59.6, "1:00"), (3599, "59:59"), (3600, "1:00:00")]
)
def test_durations_read_as_clocks_do(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text


numbers = st.none() | st.floats(allow_nan=False, allow_infinity=False)


@given(
    st.one_of(
        st.builds(Notice, text=st.text()),
        st.builds(Fetching, source=st.text(), name=st.text(), done_bytes=st.integers(0), total_bytes=st.integers(0)),
        st.builds(RunStarted, run=st.integers(0, 64), seed=st.integers(0, 2**31)),
        st.builds(Progress, run=st.integers(0, 4), phase=st.text(), loss=numbers, quality=numbers, flops=numbers),
        st.builds(Failed, problem=st.builds(Problem, id=st.text(), message=st.text(), got=st.text())),
    )
)
def test_an_event_survives_the_way_between_processes(event: Event) -> None:
    line = events.dump(event)
    assert line.count(b"\n") == 1
    assert events.load(line) == event
