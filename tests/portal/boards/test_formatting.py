"""Numbers are written one way, whatever their size."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.boards import formatting

SPACE = formatting.UNIT_SPACE


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0 FLOPS"),
        (12.0, "12.00 FLOPS"),
        (999.94, "999.9 FLOPS"),
        (999.96, "1.000 kFLOPS"),
        (36_540_000_000, "36.54 GFLOPS"),
        (999_960_000_000, "1.000 TFLOPS"),
        (1.21e14, "121.0 TFLOPS"),
        (2.5e18, "2.500 EFLOPS"),
        (4.2e21, "4,200 EFLOPS"),
        (None, formatting.MISSING),
        (float("nan"), formatting.MISSING),
        (float("inf"), formatting.MISSING),
    ],
)
def test_flops_have_four_significant_digits_and_a_fitting_prefix(value: float | None, text: str) -> None:
    """Rounding never leaves 1000 of a prefix."""
    assert formatting.flops(value) == text.replace(" ", SPACE)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0_s"),
        (0.8421, "0.842_s"),
        (59.94, "59.9_s"),
        (59.96, "1_min 00.0_s"),
        (245.2, "4_min 05.2_s"),
        (3599.96, "1_h 00_min"),
        (11_040, "3_h 04_min"),
        (86_399, "1_d 00_h"),
        (190_800, "2_d 05_h"),
        (None, formatting.MISSING),
    ],
)
def test_durations_use_two_units_and_carry_over(value: float | None, text: str) -> None:
    """No 60 seconds, no 60 minutes, no 24 hours."""
    assert formatting.seconds(value) == text.replace("_", SPACE)


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0_B"), (999, "999_B"), (290_123, "290_kB"), (31e6, "31.0_MB"), (4.2e9, "4.20_GB")]
)
def test_sizes_use_decimal_prefixes(value: float, text: str) -> None:
    """As disks and networks are sold."""
    assert formatting.size(value) == text.replace("_", SPACE)


def test_a_missing_value_is_a_dash_and_zero_is_zero() -> None:
    """Unknown and nothing are two things."""
    functions = (formatting.percent, formatting.factor, formatting.count, formatting.size, formatting.operations)
    assert {function(None) for function in functions} == {formatting.MISSING}
    assert formatting.percent(0.0) == f"0.00{SPACE}%"
    assert formatting.count(0) == "0"


@given(st.floats(min_value=1e-3, max_value=1e21))
def test_what_is_written_is_within_half_a_unit_of_the_last_digit(value: float) -> None:
    """Reading the text back gives the value to four digits."""
    number, _, unit = formatting.flops(value).partition(SPACE)
    factor = {prefix: step for step, prefix in formatting.SI_STEPS}.get(unit.removesuffix("FLOPS"), 1.0)
    assert float(number.replace(",", "")) * factor == pytest.approx(value, rel=5.1e-4)
    assert len(re.sub(r"^0\.0*|[.,]", "", number)) >= formatting.SIGNIFICANT_DIGITS
