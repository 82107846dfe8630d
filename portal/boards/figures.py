"""Figures of a result, made in the worker at publication: Plotly data, a static SVG picture, the numbers as a table."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
from django.conf import settings
from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from matplotlib.figure import Figure

from portal.boards.captions import scopes

Document = Mapping[str, Any]
Point = Mapping[str, Any]

RUN_COLOURS = ("#1a76b8", "#c8501b", "#0a8a66", "#b0579a", "#857126")
"""One colour a run: apart from each other for colour-blind readers (blue, vermilion, green, purple, ochre after Okabe
and Ito), and at least 3:1 against the white of the light and the near-black of the dark page (tested)."""
RUN_DASHES = (("solid", "-"), ("dash", "--"), ("dot", ":"), ("dashdot", "-."), ("longdash", (0, (9, 3))))
"""Plotly's and matplotlib's names of one line style a run, so that no reader depends on colour."""
RUN_SYMBOLS = (("circle", "o"), ("square", "s"), ("diamond", "D"), ("triangle-up", "^"), ("x", "x"))

MAX_POINTS = 600
"""Points a run that a chart draws: about one a pixel of a wide chart; longer series are thinned, ends kept."""
TARGET_COLOUR = "#767676"
PICTURE_STYLE: dict[Any, Any] = {"svg.fonttype": "none", "font.family": "sans-serif", "font.size": 10}


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """What one figure shows: which curve of each run, its axes with units, and how a point becomes x and y."""

    name: str
    curve: str
    title: Promise
    x_title: Promise
    y_title: Promise
    columns: tuple[str, ...]
    x: Callable[[Point], float]
    y: Callable[[Point], float | None]
    markers: bool = False


SERIES = (
    Series(
        name="quality",
        curve="quality",
        title=_("Quality at every evaluation"),
        x_title=_("Time since the start of the run (s)"),
        y_title=_("Quality"),
        columns=("seconds", "samples", "quality", "loss"),
        x=lambda p: float(p["seconds"]),
        y=lambda p: p["quality"],
        markers=True,
    ),
    Series(
        name="throughput",
        curve="throughput",
        title=_("Training throughput over time"),
        x_title=_("Time since the start of the run (s)"),
        y_title=_("Samples per second"),
        columns=("seconds", "samples_per_s", "loss"),
        x=lambda p: float(p["seconds"]),
        y=lambda p: p["samples_per_s"],
    ),
    Series(
        name="power",
        curve="power",
        title=_("Power over time"),
        x_title=_("Time since the start of the run (s)"),
        y_title=_("Power (W)"),
        columns=("seconds", "watts"),
        x=lambda p: float(p["seconds"]),
        y=lambda p: p["watts"],
    ),
    Series(
        name="utilisation",
        curve="utilisation",
        title=_("Utilisation over time"),
        x_title=_("Time since the start of the run (s)"),
        y_title=_("Utilisation (%)"),
        columns=("seconds", "percent"),
        x=lambda p: float(p["seconds"]),
        y=lambda p: p["percent"],
    ),
)

MEASURED: dict[tuple[str, str], Promise] = {
    ("power", "accelerators"): _("Power of all accelerators (W)"),
    ("power", "package"): _("Power of the CPU package (W)"),
    ("utilisation", "accelerators"): _("Utilisation of the accelerators (%)"),
    ("utilisation", "host"): _("Utilisation of the host's CPU (%)"),
}
"""Axis titles of curves that say which part of the machine was measured."""


def build(document: Document) -> dict[str, Any]:
    """All figures of a report document by name: ``{"quality": {"title", "plotly", "svg", "table"}, ...}``.

    A figure without a single point is left out, for example power where nothing could be read. What is stored is the
    same for every reader, so its words are in the portal's own language; captions are translated where they are shown.
    """
    with translation.override(settings.LANGUAGE_CODE):
        return {series.name: _figure(series, document) for series in SERIES if _has_points(series, document)}


def _has_points(series: Series, document: Document) -> bool:
    return any(series.y(p) is not None for run in document["runs"] for p in _curve(series, run))


def _curve(series: Series, run: Document) -> Sequence[Point]:
    points: Sequence[Point] = run["curves"].get(series.curve, ())
    return points


def _figure(series: Series, document: Document) -> dict[str, Any]:
    target = _target(series, document)
    return {
        "title": str(series.title),
        "plotly": {"data": _traces(series, document), "layout": _layout(series, document, target)},
        "svg": _picture(series, document, target),
        "table": _table(series, document),
    }


def _target(series: Series, document: Document) -> float | None:
    score = document.get("score")
    return float(score["target_quality"]) if series.name == "quality" and score else None


def thinned(points: Sequence[Point], limit: int = MAX_POINTS) -> list[Point]:
    """At most ``limit`` of ``points``, evenly spaced, the first and the last among them."""
    if len(points) <= limit:
        return list(points)
    step = (len(points) - 1) / (limit - 1)
    return [points[round(i * step)] for i in range(limit)]


def _run_name(run: Document) -> str:
    name = gettext("Run %(number)d") if run["counted"] else gettext("Run %(number)d, dropped")
    return name % {"number": run["index"] + 1}


def _y_title(series: Series, document: Document) -> str:
    found = scopes(document, series.name)
    return str(MEASURED.get((series.name, found[0]), series.y_title) if len(found) == 1 else series.y_title)


def _target_name(target: float) -> str:
    return gettext("target %(value)s") % {"value": f"{target:.4f}"}


def _traces(series: Series, document: Document) -> list[dict[str, Any]]:
    return [_trace(series, run) for run in document["runs"]]


def _trace(series: Series, run: Document) -> dict[str, Any]:
    style = run["index"] % len(RUN_COLOURS)
    points = thinned(_curve(series, run))
    return {
        "type": "scatter",
        "mode": "lines+markers" if series.markers else "lines",
        "name": _run_name(run),
        "x": [series.x(p) for p in points],
        "y": [series.y(p) for p in points],
        "line": {"color": RUN_COLOURS[style], "dash": RUN_DASHES[style][0], "width": 2},
        "marker": {"symbol": RUN_SYMBOLS[style][0], "size": 7},
    }


def _layout(series: Series, document: Document, target: float | None) -> dict[str, Any]:
    layout: dict[str, Any] = {
        "xaxis": {"title": {"text": str(series.x_title)}, "rangemode": "tozero"},
        "yaxis": {"title": {"text": _y_title(series, document)}} | ({} if series.markers else {"rangemode": "tozero"}),
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "itemwidth": 44},
        "margin": {"l": 64, "r": 16, "t": 48, "b": 56},
        "hovermode": "closest",
    }
    if target is not None:
        layout |= _target_line(target)
    return layout


def _target_line(target: float) -> dict[str, Any]:
    line = {"color": TARGET_COLOUR, "dash": "dash", "width": 1}
    place = {"xref": "paper", "x": 1, "y": target, "xanchor": "right", "yanchor": "top", "showarrow": False}
    return {
        "shapes": [{"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": target, "y1": target, "line": line}],
        "annotations": [place | {"text": _target_name(target)}],
    }


def _table(series: Series, document: Document) -> dict[str, Any]:
    rows = [
        [run["index"] + 1, *(point.get(column) for column in series.columns)]
        for run in document["runs"]
        for point in thinned(_curve(series, run))
    ]
    return {"columns": ["run", *series.columns], "rows": rows}


def _picture(series: Series, document: Document, target: float | None) -> str:
    """The figure as SVG text: no script, no date, equal input gives equal bytes."""
    with mpl.rc_context({"svg.hashsalt": series.name, **PICTURE_STYLE}):
        figure = Figure(figsize=(8, 4), layout="constrained")
        _draw(figure.add_subplot(), series, document, target)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return re.sub(r"^.*?(?=<svg)", "", buffer.getvalue(), count=1, flags=re.DOTALL)


def _draw(axes: Any, series: Series, document: Document, target: float | None) -> None:
    for run in document["runs"]:
        style = run["index"] % len(RUN_COLOURS)
        points = [p for p in thinned(_curve(series, run)) if series.y(p) is not None]
        axes.plot(
            [series.x(p) for p in points],
            [series.y(p) for p in points],
            color=RUN_COLOURS[style],
            linestyle=RUN_DASHES[style][1],
            marker=RUN_SYMBOLS[style][1] if series.markers else None,
            markersize=4,
            label=_run_name(run),
        )
    if target is not None:
        axes.axhline(target, color=TARGET_COLOUR, linewidth=1, linestyle="--", label=_target_name(target))
    if not series.markers:
        axes.set_ylim(bottom=0)
    axes.set_xlabel(str(series.x_title))
    axes.set_ylabel(_y_title(series, document))
    axes.grid(visible=True, color="#dddddd", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8, ncols=3, loc="lower left", bbox_to_anchor=(0, 1))
