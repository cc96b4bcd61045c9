"""k(n) at exact values, with integers and rationals as the oracle."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcg_asymptotics.measures.cutoffs import Cutoff
from ndcg_asymptotics.measures.growth import UNKNOWN_GROWTH, CutoffGrowth
from ndcg_asymptotics.specs.scanner import number_text

SIZES = [1, 2, 3, 7, 10, 99, 1000, 10**6, 10**6 + 1, 10**9, 10**12 + 1, 10**18]


@given(st.one_of(st.floats(1e-20, 1), st.sampled_from([0.1, 0.2, 0.3, 0.07])), st.integers(1, 10**18))
def test_fractions_are_those_of_the_decimal(c, n):
    k = Cutoff.parse(f"{number_text(c)}n")(n)
    assert 1 <= k <= n
    assert k - 1 < Fraction(number_text(c)) * n <= k


@pytest.mark.parametrize("n", SIZES)
def test_square_roots_are_rounded_up(n):
    # math.isqrt rounds down; beyond 1e12 the double nearest to n may be the next square
    up = math.isqrt(n - 1) + 1
    assert Cutoff.parse("n^0.5")(n) in ({up} if n < 10**12 else {up, up - 1})


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("5log(n)", {10**6: 70}),
        ("1log(n)", {1: 1, 1000: 7}),
        ("100log(n)", {20: 20}),
        ("n/log(n)", {1: 1, 2: 2, 3: 3, 10: 5, 1000: 145, 10**6: 72383}),
        ("n^0.2", {3**5: 3, 7**5: 7, 10**15: 1000}),  # in floating point some lie just above the root
    ],
)
def test_values_of_k(text, sizes):
    assert {n: Cutoff.parse(text)(n) for n in sizes} == sizes


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


def usual(member: type[Cutoff]) -> Cutoff:
    """Return a member with the usual values of its sliders, or with parameters of 1/2."""
    sliders = member.sliders()
    return member(*([0.5] * len(member._fields()) if sliders is None else [s.usual for s in sliders]))


def error_of_growth(cutoff: Cutoff, growth: CutoffGrowth) -> float:
    """Return how far k(n) is from its leading term at n = 1e18, apart from rounding up."""
    n = 10**18
    leading = growth.factor * n**growth.power * math.log(n) ** growth.logs
    return max(abs(cutoff.exact(n) - leading) - 1, 0.0) / leading


@pytest.mark.parametrize("member", Cutoff.members.values(), ids=str)
def test_every_cutoff_grows_as_it_states(member: type[Cutoff]) -> None:
    cutoff = usual(member)
    growth = cutoff.growth
    assert error_of_growth(cutoff, growth) < 1e-3
    for wrong in (
        replace(growth, power=growth.power + 0.01),
        replace(growth, logs=growth.logs + 0.1),
        replace(growth, factor=growth.factor * 1.2),
    ):
        assert error_of_growth(cutoff, wrong) > 0.03


def test_kinds_of_growth() -> None:
    texts = ("", "1n", "10", "0.2n", "n^0.5", "n/log(n)", "5log(n)")
    kinds = ["whole", "whole", "fixed", "fraction", "vanishing", "vanishing", "vanishing"]
    growths = [Cutoff.parse(text).growth for text in texts]
    assert [growth.kind for growth in growths] == kinds
    assert [growth.exceeds_log() for growth in growths] == [True, True, False, True, True, True, False]
    assert (UNKNOWN_GROWTH.kind, UNKNOWN_GROWTH.exceeds_log()) == ("unknown", None)
    assert not any((UNKNOWN_GROWTH.bounded, UNKNOWN_GROWTH.vanishing, UNKNOWN_GROWTH.share > 0))


@pytest.mark.parametrize("text", ["", "1n", "10", "0.2n", "n^0.5", "n/log(n)", "5log(n)"])
def test_which_cutoffs_are_whole_and_which_depend_on_n(text: str) -> None:
    cutoff = Cutoff.parse(text)
    assert cutoff.whole == all(cutoff(n) == n for n in SIZES)
    assert cutoff.depends_on_n == (cutoff(10**9) not in (10**9, cutoff(10**10)))
