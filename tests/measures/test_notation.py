"""The notation of papers against the formulas that it writes."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from ndcg_asymptotics.measures import Measure


@pytest.mark.parametrize(
    ("text", "spec", "formula"),
    [
        ("1/r", "nDCG(zipf)", lambda r: 1 / r),
        ("r^-1", "nDCG(zipf)", lambda r: 1 / r),
        ("r^{-0.5}", "nDCG(power(0.5))", lambda r: r**-0.5),
        ("r ^ (-1/2)", "nDCG(power(0.5))", lambda r: r**-0.5),
        ("1/sqrt(r)", "nDCG(power(0.5))", lambda r: r**-0.5),
        ("1/r^2", "nDCG(power(2))", lambda r: r**-2.0),
        ("r^(-1.5/3)", "nDCG(power(0.5))", lambda r: r**-0.5),
        ("r**-.3", "nDCG(power(0.3))", lambda r: r**-0.3),
        ("2^-r", "nDCG(geometric(2))", lambda r: 2.0**-r),
        ("1.5^{−r}", "nDCG(geometric(1.5))", lambda r: 1.5**-r),
        ("1/2^r", "nDCG(geometric(2))", lambda r: 2.0**-r),
        ("1/log(1+r)", "nDCG", lambda r: 1 / math.log(1 + r)),
        ("1/log2(r + 1)", "nDCG", lambda r: 1 / math.log2(1 + r)),
    ],
)
def test_a_discount_is_read_as_its_formula(text: str, spec: str, formula: Callable[[float], float]) -> None:
    measure = Measure.parse(f"nDCG({text})")
    assert str(measure) == spec
    ratios = measure.discount(np.arange(1.0, 9.0)) / [formula(r) for r in range(1, 9)]
    np.testing.assert_allclose(ratios, ratios[0], rtol=1e-14)


@pytest.mark.parametrize(
    ("text", "spec", "formula"),
    [
        ("n/5", "nDCG@0.2n", lambda n: n / 5),
        ("n / 3", "nDCG@0.3333333333333333n", lambda n: n / 3),
        ("1/4 n", "nDCG@0.25n", lambda n: n / 4),
        ("0.5/2 n", "nDCG@0.25n", lambda n: n / 4),
        ("sqrt(n)", "nDCG@n^0.5", math.sqrt),
        ("n^{1/3}", "nDCG@n^0.3333333333333333", lambda n: n ** (1 / 3)),
        ("log n", "nDCG@1log(n)", math.log),
        ("5 ln(n)", "nDCG@5log(n)", lambda n: 5 * math.log(n)),
        ("n/log n", "nDCG@n/log(n)", lambda n: n / math.log(n)),
    ],
)
def test_a_cutoff_is_read_as_its_formula(text: str, spec: str, formula: Callable[[float], float]) -> None:
    measure = Measure.parse(f"ndcg@{text}")
    assert str(measure) == spec
    assert [measure.cutoff(n) for n in (7, 1000, 10**6)] == [
        min(math.ceil(round(formula(n), 9)), n) for n in (7, 1000, 10**6)
    ]


def test_the_cutoff_alone_and_that_of_rbp_have_the_same_notation() -> None:
    assert str(Measure(cutoff="n/5")) == str(Measure(cutoff="0.2 * n")) == "nDCG@0.2n"
    assert str(Measure.parse("RBP(0.8)@log(n)")) == "RBP(0.8)@1log(n)"
