"""How a score comes about, step by step, with every figure that a reader needs to recompute it by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from portal.boards import formatting

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step: what is done, the sum as it can be typed into a calculator, its outcome with unit."""

    title: str | Promise
    sum: str
    outcome: str
    sign: str = "="


def workings(document: Document, *, lower_is_better: bool = False) -> tuple[Step, ...]:
    """The steps from the counted runs to Valid FLOPS; empty where a document has no score."""
    score = document.get("score")
    if not score:
        return ()
    counted = [run for run in document["runs"] if run["counted"]]
    samples = sum(run["samples"] for run in counted)
    seconds = sum(run["seconds"] for run in counted)
    return (
        _choice(document, counted),
        _credit(counted, samples, score["flops_per_sample"]),
        _time(counted, seconds),
        Step(
            title=_("FLOPS: operations divided by time"),
            sum=f"{samples * score['flops_per_sample']:.6e} FLOP / {seconds:.6f} s",
            outcome=f"{score['flops']:.6e} FLOP/s",
        ),
        _quality(counted, score["quality"]),
        _factor(score, lower_is_better=lower_is_better),
        Step(
            title=_("Valid FLOPS: FLOPS times factor"),
            sum=f"{score['flops']:.6e} FLOP/s × {score['factor']:.6f}",
            outcome=f"{score['valid_flops']:.6e} FLOP/s = {formatting.flops(score['valid_flops'])}",
        ),
    )


def _choice(document: Document, counted: list[Document]) -> Step:
    order = sorted(document["runs"], key=lambda run: run["valid_flops"] if run["valid_flops"] is not None else -1.0)
    listing = " < ".join(f"{_run(run)}: {formatting.flops(run['valid_flops'])}" for run in order)
    return Step(
        title=_("The best and the worst of five runs are dropped; the middle three count"),
        sum=listing,
        outcome=", ".join(_run(run) for run in counted),
        sign="\N{RIGHTWARDS ARROW}",
    )


def _run(run: Document) -> str:
    return gettext("run %(number)d") % {"number": run["index"] + 1}


def _credit(counted: list[Document], samples: int, flops_per_sample: int) -> Step:
    terms = " + ".join(f"{run['samples']:,}" for run in counted)
    return Step(
        title=_("Operations credited: training samples times operations per sample"),
        sum=gettext("(%(terms)s) samples") % {"terms": terms} + f" × {flops_per_sample:,} FLOP",
        outcome=f"{samples * flops_per_sample:.6e} FLOP",
    )


def _time(counted: list[Document], seconds: float) -> Step:
    return Step(
        title=_("Time: from the first touch of training data to the end of the last evaluation"),
        sum=" + ".join(f"{run['seconds']:.6f}" for run in counted) + " s",
        outcome=f"{seconds:.6f} s",
    )


def _quality(counted: list[Document], mean: float) -> Step:
    return Step(
        title=_("Quality: mean of the last evaluations"),
        sum="(" + " + ".join(f"{run['quality']:.6f}" for run in counted) + f") / {len(counted)}",
        outcome=f"{mean:.6f}",
    )


def _factor(score: Document, *, lower_is_better: bool) -> Step:
    achieved, target = f"{score['quality']:.6f}", f"{score['target_quality']:g}"
    above, below = (target, achieved) if lower_is_better else (achieved, target)
    return Step(
        title=_("Factor: quality over target, to the power n"),
        sum=f"({above} / {below})^{score['sensitivity_n']}",
        outcome=f"{score['factor']:.6f}",
    )
