"""k(n) at exact values, with integers and rationals as the oracle."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcg_asymptotics.measures.cutoffs import Cutoff
from ndcg_asymptotics.specs.scanner import number_text

SIZES = [1, 2, 3, 7, 10, 99, 1000, 10**6, 10**6 + 1, 10**9, 10**12 + 1, 10**18]


@pytest.mark.parametrize("n", SIZES)
def test_no_cutoff(n):
    assert Cutoff.parse("")(n) == n


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("k", [1, 10, 10**18])
def test_fixed(n, k):
    assert Cutoff.parse(str(k))(n) == min(k, n)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("c", ["1", "0.2", "0.1", "0.3", "0.07", "1e-20"])
def test_fractions_are_those_of_the_decimal(n, c):
    assert Cutoff.parse(f"{c}n")(n) == max(1, math.ceil(Fraction(c) * n))


@given(st.floats(1e-6, 1), st.integers(1, 10**18))
def test_any_fraction(c, n):
    k = Cutoff.parse(f"{number_text(c)}n")(n)
    assert 1 <= k <= n
    assert k - 1 < Fraction(number_text(c)) * n <= k


@pytest.mark.parametrize("root", [1, 2, 3, 10, 1000, 10**6, 10**9])
def test_square_roots_of_squares(root):
    assert Cutoff.parse("n^0.5")(root**2) == root


@pytest.mark.parametrize(("root", "n"), [(3, 3**5), (7, 7**5), (1000, 10**15)])
def test_fifth_roots_of_fifth_powers(root, n):
    assert root <= n**0.2  # in floating point some lie just above the integer
    assert Cutoff.parse("n^0.2")(n) == root


@pytest.mark.parametrize("n", SIZES)
def test_square_roots_are_rounded_up(n):
    # math.isqrt rounds down; beyond 1e12 the double nearest to n may be the next square
    up = math.isqrt(n - 1) + 1
    assert Cutoff.parse("n^0.5")(n) in ({up} if n < 10**12 else {up, up - 1})


@pytest.mark.parametrize(("n", "k"), [(10**3, 10), (10**6, 100), (10**18, 10**6), (1001, 11)])
def test_cube_roots(n, k):
    third = "n^0.3333333333333333"
    assert Cutoff.parse(third)(n) == k


@pytest.mark.parametrize(
    ("text", "n", "k"), [("5log(n)", 10**6, 70), ("1log(n)", 1, 1), ("100log(n)", 20, 20)]
)
def test_logarithms(text, n, k):
    assert Cutoff.parse(text)(n) == k == min(n, max(1, math.ceil(float(text[:-6]) * math.log(n))))


@given(
    st.one_of(
        st.integers(1, 10**18).map(str),
        st.floats(1e-9, 1).map(lambda c: f"{number_text(c)}n"),
        st.floats(1e-9, 1, exclude_max=True).map(lambda a: f"n^{number_text(a)}"),
        st.floats(1e-9, 1e9).map(lambda c: f"{number_text(c)}log(n)"),
    ),
    st.integers(1, 10**18),
    st.integers(1, 10**18),
)
def test_cutoffs_stay_within_the_list_and_grow_with_it(text, n, m):
    cutoff = Cutoff.parse(text)
    assert 1 <= cutoff(n) <= n
    assert cutoff(min(n, m)) <= cutoff(max(n, m))


def test_regimes():
    regimes = [Cutoff.parse(text).regime for text in ("", "10", "0.2n", "n^0.5", "5log(n)")]
    assert regimes == ["none", "fixed", "fraction", "sublinear", "sublinear"]
