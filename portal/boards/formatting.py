"""One way to write numbers, for pages, pictures and mails: FLOPS, seconds, percents, counts, bytes."""

from __future__ import annotations

import math

MISSING = "\N{EM DASH}"
"""Shown where a value is missing: never 0, never an empty cell."""

SI_STEPS = ((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
BYTE_STEPS = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
SIGNIFICANT_DIGITS = 4
UNIT_SPACE = "\N{NO-BREAK SPACE}"
"""Between a number and its unit. Common fonts draw the narrow one so narrow that figure and unit run together."""
MINUTE_S, HOUR_S, DAY_S = 60, 3600, 86400


def significant(value: float, digits: int = SIGNIFICANT_DIGITS) -> str:
    """``value`` rounded to ``digits`` significant digits, written without an exponent, trailing zeros kept."""
    if value == 0:
        return "0"
    exponent = math.floor(math.log10(abs(value)))
    if round(abs(value) / 10.0**exponent, digits - 1) >= 10:
        exponent += 1
    decimals = max(0, digits - 1 - exponent)
    return f"{round(value, digits - 1 - exponent):,.{decimals}f}"


def scaled(value: float | None, unit: str, digits: int = SIGNIFICANT_DIGITS) -> str:
    """``value`` with an SI prefix before ``unit``: 36540000000 and FLOPS give 36.54 GFLOPS."""
    if value is None or not math.isfinite(value):
        return MISSING
    for step, prefix in SI_STEPS:
        if abs(value) >= step * (1 - 0.5 * 10.0**-digits):
            return f"{significant(value / step, digits)}{UNIT_SPACE}{prefix}{unit}"
    return f"{significant(value, digits)}{UNIT_SPACE}{unit}"


def flops(value: float | None) -> str:
    """FLOPS (floating-point operations a second) with the fitting prefix."""
    return scaled(value, "FLOPS")


def operations(value: float | None) -> str:
    """A count of floating-point operations with the fitting prefix."""
    return scaled(value, "FLOP")


def joules(value: float | None) -> str:
    """Energy with the fitting prefix."""
    return scaled(value, "J")


def seconds(value: float | None) -> str:
    """A duration: 0.84 s, 12.3 s, 4 min 05.2 s, 3 h 04 min, 2 d 05 h."""
    if value is None or not math.isfinite(value):
        return MISSING
    if round(value, 1) < MINUTE_S:
        return f"{significant(value, 3)}{UNIT_SPACE}s"
    if round(value, 1) < HOUR_S:
        minutes, rest = divmod(round(value, 1), MINUTE_S)
        return f"{minutes:.0f}{UNIT_SPACE}min {rest:04.1f}{UNIT_SPACE}s"
    if round(value / MINUTE_S) < DAY_S / MINUTE_S:
        hours, rest = divmod(round(value / MINUTE_S), MINUTE_S)
        return f"{hours}{UNIT_SPACE}h {rest:02d}{UNIT_SPACE}min"
    days, rest = divmod(round(value / HOUR_S), 24)
    return f"{days}{UNIT_SPACE}d {rest:02d}{UNIT_SPACE}h"


def percent(value: float | None, decimals: int = 2) -> str:
    """A fraction as percent: 0.8912 gives 89.12 %."""
    if value is None or not math.isfinite(value):
        return MISSING
    return f"{value * 100:.{decimals}f}{UNIT_SPACE}%"


def factor(value: float | None) -> str:
    """A dimensionless factor with four decimals, as it stands beside every score."""
    return MISSING if value is None or not math.isfinite(value) else f"{value:.4f}"


def count(value: float | None) -> str:
    """A whole number with thousands separated."""
    return MISSING if value is None or not math.isfinite(value) else f"{value:,.0f}"


def size(value: float | None) -> str:
    """A size in bytes with a decimal prefix, as disks and networks are sold."""
    if value is None:
        return MISSING
    for step, unit in BYTE_STEPS:
        if value >= step:
            return f"{significant(value / step, 3)}{UNIT_SPACE}{unit}"
    return f"{value:.0f}{UNIT_SPACE}B"
