"""Values as tables write them with their errors."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ndcg_asymptotics.core.rows import Column, Estimate
from ndcg_asymptotics.core.tables import Table
from ndcg_asymptotics.core.text import with_error

SIZES = st.floats(1e-12, 1e9)


@given(SIZES, st.floats(-14, 2), st.sampled_from([1, -1]))
@example(0.99999996, -9, 1)
@example(9.9999996e-4, -9, 1)
@example(999999.7, -6, 1)
@example(1e-3, -3, -1)
def test_what_is_written_holds_the_value(size: float, power: float, sign: int) -> None:
    value, error = sign * size, size * 10**power
    text = with_error(value, error)
    if abs(value) <= error:
        bound = float(text.removeprefix("below "))
        assert abs(value) + error <= bound * (1 + 1e-8) <= 3.1 * (abs(value) + error)
        return
    written, of_it = map(float, text.split(" ±"))
    assert abs(written - value) + error <= of_it * (1 + 1e-6)
    assert of_it <= 4 * max(error, 1e-5 * size)  # and it is not much more
    digits = text.split(" ")[0].lstrip("-").split("e")[0].replace(".", "").lstrip("0")
    assert len(digits) <= 7


def test_special_values() -> None:
    assert with_error(0.5, 0.0) == "0.500000"
    assert with_error(0.0, 0.0) == "0"
    assert with_error(0.25, math.inf) == "0.25 ±∞"
    assert with_error(0.25, math.nan) == "0.25 ±∞"


def test_a_table_keeps_the_number_and_its_error() -> None:
    table = Table(
        "", (Column("mean", Estimate.text), Column("n", str)), ((Estimate(0.1234567, 1e-3), 5), (None, 6))
    )
    assert table.texts() == [["0.123 ±0.002", "5"], ["-", "6"]]
    assert table.to_csv().splitlines() == ["mean,error of mean,n", "0.1234567,0.001,5", ",,6"]
    assert Estimate.of(0.1, None) is None
    assert Estimate.of(0.1, 0.2) == pytest.approx(0.1)
