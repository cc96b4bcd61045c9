"""Relevance curves against their formulas in mpmath: values and means over any interval."""

from __future__ import annotations

import numpy as np
import pytest
from mpmath import mp
from oracles.curves import BINORMAL, CURVES, binormal, binormal_score, number, upper

from ndcg_asymptotics.populations import Curve

DIGITS = 40

# depth intervals: everything, halves, hair-thin ones inside and at both ends
INTERVALS = [
    (0.0, 1.0),
    (0.0, 0.2),
    (0.2, 0.7),
    (0.7, 1.0),
    (0.0, 1e-18),
    (1e-18, 1.01e-18),
    (1e-9, 1.5e-9),
    (0.01, 0.0101),
    (0.3, 0.3 + 1e-9),
    (0.3, 0.3 + 1e-15),
    (0.999, 1.0),
    (1 - 1e-9, 1.0),
]


@pytest.fixture(autouse=True)
def precision():
    with mp.workdps(DIGITS):
        yield


@pytest.mark.parametrize("text", CURVES)
def test_values(text):
    depths = [0.0, 1e-18, 1e-9, 0.1, 0.25, 0.5, 0.75, 0.999999, 1.0]
    values = Curve.parse(text).value(depths)
    exact = [float(CURVES[text](number(t))) for t in depths]
    np.testing.assert_allclose(values, exact, rtol=0, atol=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("text", CURVES)
def test_means(text):
    curve, formula = Curve.parse(text), CURVES[text]
    for a, b in INTERVALS:
        ends = [number(a), *(number(x) for x in curve.breaks if a < x < b), number(b)]
        exact = mp.quad(formula, ends) / (ends[-1] - ends[0])
        assert float(curve.mean(a, b)) == pytest.approx(float(exact), rel=0, abs=1e-13), (a, b)
        assert float(curve.integral(a, b)) == pytest.approx(
            float(exact) * (b - a), rel=0, abs=1e-13 * (b - a)
        )


@pytest.mark.slow
@pytest.mark.parametrize(("prevalence", "separation"), BINORMAL)
def test_binormal(prevalence, separation):
    curve, formula = Curve.parse(f"binormal({prevalence}, {separation})"), binormal(prevalence, separation)
    p, d = number(prevalence), number(separation)
    depths = [1e-18, 1e-9, 0.1, 0.5, 0.9, 0.999999]
    exact = [float(formula(number(t))) for t in depths]
    np.testing.assert_allclose(curve.value(depths), exact, rtol=0, atol=1e-13)
    for a, b in INTERVALS:
        # relevant items above depth t: those whose score, N(d, 1), exceeds x(t)
        found = [
            p * upper(binormal_score(prevalence, separation, number(t)) - d) if t < 1 else p for t in (a, b)
        ]
        mean = (found[1] - found[0]) / (number(b) - number(a))
        assert float(curve.mean(a, b)) == pytest.approx(float(mean), rel=0, abs=1e-13), (a, b)
    assert curve.mass == pytest.approx(prevalence, abs=1e-13)
