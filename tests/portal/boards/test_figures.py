"""Figures: what the browser draws, the static picture and the table say the same."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from portal.boards import figures
from portal.boards.captions import caption
from portal.trail.fields import parse_json
from tests.portal.boards.documents import document, run

LIGHT, DARK = (0xFD, 0xFD, 0xFB), (0x0F, 0x13, 0x14)
"""The paper of both modes, as static/css/tokens.css has it."""
CONTRAST = 3.0
"""What WCAG asks of graphics."""


def luminance(colour: tuple[int, ...]) -> float:
    """Relative luminance after WCAG 2."""
    parts = [c / 255 for c in colour]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: tuple[int, ...], b: tuple[int, ...]) -> float:
    """Contrast ratio after WCAG 2."""
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colour", [*figures.RUN_COLOURS, figures.TARGET_COLOUR])
def test_every_line_stands_out_on_light_and_on_dark_paper(colour: str) -> None:
    """One palette for both modes."""
    rgb = tuple(bytes.fromhex(colour[1:]))
    assert contrast(rgb, LIGHT) >= CONTRAST
    assert contrast(rgb, DARK) >= CONTRAST


def test_a_run_is_told_by_dash_and_symbol_too() -> None:
    """Nobody depends on colour."""
    traces = figures.build(document())["quality"]["plotly"]["data"]
    assert len({trace["line"]["dash"] for trace in traces}) == len(traces) == 5
    assert len({trace["marker"]["symbol"] for trace in traces}) == len(traces)


def test_chart_and_table_hold_the_same_numbers() -> None:
    """Run by run, point by point."""
    figure = figures.build(document())["throughput"]
    drawn = [
        (number + 1, x, y)
        for number, trace in enumerate(figure["plotly"]["data"])
        for x, y in zip(trace["x"], trace["y"], strict=True)
    ]
    columns = figure["table"]["columns"]
    x, y = columns.index("seconds"), columns.index("samples_per_s")
    assert [(row[0], row[x], row[y]) for row in figure["table"]["rows"]] == drawn


def test_runs_that_do_not_count_say_so() -> None:
    """In the legend."""
    names = [trace["name"] for trace in figures.build(document())["quality"]["plotly"]["data"]]
    assert names == ["Run 1", "Run 2", "Run 3", "Run 4, dropped", "Run 5, dropped"]


def test_the_target_is_drawn_where_it_is() -> None:
    """As a line of its own, with its value."""
    layout = figures.build(document())["quality"]["plotly"]["layout"]
    assert [shape["y0"] for shape in layout["shapes"]] == [0.9]
    assert [note["text"] for note in layout["annotations"]] == ["target 0.9000"]


@pytest.mark.parametrize(
    ("scopes", "title"),
    [
        (("accelerators", "accelerators"), "Utilisation of the accelerators (%)"),
        (("host", "host"), "Utilisation of the host's CPU (%)"),
        (("accelerators", "host"), "Utilisation (%)"),
        ((None, None), "Utilisation (%)"),
    ],
)
def test_an_axis_says_what_was_measured_where_all_runs_agree(scopes: tuple[str | None, ...], title: str) -> None:
    """Devices and host are two things."""
    busy: list[dict[str, Any]] = [{"seconds": 1.0, "percent": 50.0}]
    runs = [run(i, utilisation=busy) | {"measured": {"utilisation": {"scope": s}}} for i, s in enumerate(scopes)]
    layout = figures.build(document(runs=runs))["utilisation"]["plotly"]["layout"]
    assert layout["yaxis"]["title"]["text"] == title


def test_a_caption_names_every_scope_once() -> None:
    """And says nothing where that needs no saying."""
    runs = [
        run(i) | {"measured": {"power": {"scope": s}}} for i, s in enumerate(("accelerators", "package", "package"))
    ]
    text = caption(document(runs=runs), "power")
    assert text.count("Measured:") == 2
    assert "CPU package" in text
    assert "Measured" not in caption(document(), "quality")


def test_a_figure_without_a_point_is_left_out() -> None:
    """Power that nobody could read is no empty chart."""
    assert set(figures.build(document())) == {"quality", "throughput"}
    watts: list[dict[str, Any]] = [{"seconds": 1.0, "watts": None}, {"seconds": 2.0, "watts": 250.0}]
    with_power = document(runs=[run(0, power=watts)])
    assert set(figures.build(with_power)) == {"quality", "throughput", "power"}
    assert figures.build(document(runs=[])) == {}


def test_the_picture_is_the_same_bytes_every_time_and_holds_no_script() -> None:
    """So that a stored picture can be compared, and opened alone."""
    first, second = (figures.build(document())["quality"]["svg"] for _ in range(2))
    assert first == second
    assert first.startswith("<svg")
    assert not re.search(r"<script|\son\w+=|href=\"(?!#)", first)


def test_figures_survive_storage() -> None:
    """As JSON without NaN."""
    built = figures.build(document())
    for figure in built.values():
        for part in (figure["plotly"], figure["table"]):
            assert parse_json(json.dumps(part, allow_nan=False)) == part


@pytest.mark.parametrize("count", [1, 2, figures.MAX_POINTS, figures.MAX_POINTS + 1, 10 * figures.MAX_POINTS])
def test_thinning_keeps_both_ends_and_the_order(count: int) -> None:
    """The last point of a curve is its result."""
    points: list[dict[str, Any]] = [{"seconds": i} for i in range(count)]
    kept = [point["seconds"] for point in figures.thinned(points)]
    assert len(kept) == min(count, figures.MAX_POINTS)
    assert (kept[0], kept[-1]) == (0, count - 1)
    assert kept == sorted(set(kept))
