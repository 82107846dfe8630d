"""Layout: a report's document as text for a person at a terminal, 100 columns wide."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

WIDTH = 100
"""Columns of a terminal that text is broken for."""

_PREFIXES = (("", 1.0), ("k", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12), ("P", 1e15), ("E", 1e18))
_VERDICTS = {"accept": "ACCEPTED", "hold": "HELD FOR REVIEW", "reject": "REJECTED"}
_MISSING = "-"


def layout(document: Mapping[str, Any]) -> str:
    """``document`` as ``Report.to_document`` makes it, as text that ends with a newline."""
    return "\n".join([*_head(document), *_findings(document["findings"]), *_score(document), *_end(document)]) + "\n"


def with_prefix(value: float | None, unit: str) -> str:
    """``value`` with four digits and the SI prefix that keeps it below 1000: ``12.35 GFLOPS``."""
    if value is None:
        return _MISSING
    prefix, size = max((p for p in _PREFIXES if p[1] <= abs(value)), key=lambda p: p[1], default=_PREFIXES[0])
    return f"{value / size:#.4g} {prefix}{unit}"


def _head(document: Mapping[str, Any]) -> Iterator[str]:
    submission = document["submission"]
    yield f"Bundle    {document['bundle'] or 'no readable statement'}"
    if submission:
        yield f"Workload  {submission['workload']}, {submission['scale']}, version {submission['version']}"
        yield f"Level     {submission['level']}, {document['precision']}"
        yield f"System    {_system(document)}"
        yield f"Key       {submission['key_id']}"
    yield f"Rules     {document['rule_set']}, verifier {document['verifier']}"


def _system(document: Mapping[str, Any]) -> str:
    device = document["accelerator"]
    parts = [document["submission"]["system_name"], document["framework"]]
    if device:
        parts.insert(1, f"{device['count']} x {device['canonical'] or device['name']}")
    return ", ".join(part for part in parts if part)


def _findings(findings: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield ""
    if not findings:
        yield "Findings  none"
        return
    yield f"Findings  {len(findings)}"
    for found in findings:
        yield from _finding(found)


def _finding(found: Mapping[str, Any]) -> Iterator[str]:
    where = f"  {found['place']}" if found["place"] else ""
    yield f"  {found['verdict'].upper():<7} {found['id']}{where}"
    yield from _wrapped(found["sentence"])
    if found["expected"] or found["got"]:
        yield from _wrapped(f"expected {found['expected'] or _MISSING}; got {found['got'] or _MISSING}")
    yield from _wrapped(found["action"])


def _wrapped(sentence: str) -> Iterator[str]:
    yield from textwrap.wrap(sentence, WIDTH, initial_indent=" " * 10, subsequent_indent=" " * 10)


_COLUMNS = ("run", "Valid FLOPS", "FLOPS", "quality", "factor", "time", "to target", "energy", "")
_FORMAT = "  {:<4}{:>16}{:>16}{:>9}{:>8}{:>10}{:>11}{:>11}  {}"


def _score(document: Mapping[str, Any]) -> Iterator[str]:
    if document["runs"]:
        yield ""
        yield _FORMAT.format(*_COLUMNS).rstrip()
        for run in document["runs"]:
            yield _row(run["index"], run, _standing(run))
    score = document["score"]
    if score:
        yield _row("set", score, f"runs {', '.join(map(str, score['counted']))}")
        yield ""
        yield from _steps(score)


def _standing(run: Mapping[str, Any]) -> str:
    return "counted" if run["counted"] else "ranks as worst" if run["useless"] else ""


def _row(name: object, figures: Mapping[str, Any], note: str) -> str:
    energy = figures["energy"]
    return _FORMAT.format(
        str(name),
        with_prefix(figures["valid_flops"], "FLOPS"),
        with_prefix(figures["flops"], "FLOPS"),
        _number(figures["quality"], ".4f"),
        _number(figures["factor"], ".3f"),
        _number(figures["seconds"], ".2f", " s"),
        _number(figures["time_to_target_s"], ".2f", " s"),
        with_prefix(energy["joules"], "J") if energy else _MISSING,
        note,
    ).rstrip()


def _number(value: float | None, form: str, unit: str = "") -> str:
    return _MISSING if value is None else f"{value:{form}}{unit}"


def _steps(score: Mapping[str, Any]) -> Iterator[str]:
    """How the score comes about, in figures that can be multiplied again."""
    runs = len(score["counted"])
    yield f"Score     {runs} x {score['samples']:,.0f} samples x {with_prefix(score['flops_per_sample'], 'FLOP')}"
    yield f"          / {score['seconds'] * runs:.2f} s = {with_prefix(score['flops'], 'FLOPS')}"
    yield f"          x {_ratio(score)}^{score['sensitivity_n']} = {with_prefix(score['valid_flops'], 'FLOPS')}"
    yield f"Spread    counted runs {_span(score['low'], score['high'])}"
    yield f"          all runs {_span(score['all_low'], score['all_high'])}, FLOPS vary by {score['cv_flops']:.2%}"
    share = "" if score["share_of_peak"] is None else f", {score['share_of_peak'] * 100:.2g} % of peak"
    yield f"Speed     {score['throughput']:,.0f} samples/s{share}"


def _ratio(score: Mapping[str, Any]) -> str:
    achieved, target = f"{score['quality']:.4f}", f"{score['target_quality']:.4f}"
    return f"({achieved} / {target})" if score["better"] == "higher" else f"({target} / {achieved})"


def _span(low: float, high: float) -> str:
    return f"{with_prefix(low, 'FLOPS')} to {with_prefix(high, 'FLOPS')}"


def _end(document: Mapping[str, Any]) -> Iterator[str]:
    yield ""
    verdict = _VERDICTS[document["verdict"]]
    score = document["score"]
    yield f"{verdict}: Valid FLOPS {with_prefix(score['valid_flops'], 'FLOPS')}" if score else f"{verdict}: no score"
