"""Labels with errors: curves, limits, and means against lists with labels flipped one by one."""

from __future__ import annotations

import numpy as np
import pytest

from ndcg_asymptotics.populations import Curve

CURVES = (
    "linear(0.1, 0.7)",
    "step(0.05, 0.9, 0.8)",
    "cusp(0, 1, 0.5)",
    "binormal(0.001, 2)",
    "power(0, 1, 20)",
    "logistic(0.3, -4)",
    "piecewise(0=0, 0.5=0.2, 1=1)",
)
T = np.concatenate(([0.0], np.geomspace(1e-18, 1, 60)))


@pytest.mark.parametrize("text", CURVES)
@pytest.mark.parametrize(("fpr", "fnr"), [(0.0, 0.0), (0.05, 0.2), (0.0, 0.9), (1e-9, 0.3), (0.6, 0.3)])
def test_a_noisy_curve_is_that_of_flipped_labels(text: str, fpr: float, fnr: float) -> None:
    curve = Curve.parse(text)
    reported = Curve.parse(f"noisy({text}, fpr={fpr}, fnr={fnr})")
    expected = fpr * (1 - curve.value(T)) + (1 - fnr) * curve.value(T)
    np.testing.assert_allclose(reported.value(T), expected, rtol=1e-14, atol=0)
    assert reported.mass == pytest.approx(fpr * (1 - curve.mass) + (1 - fnr) * curve.mass, rel=1e-13)
    narrow = reported.mean(T[1:], 1.01 * T[1:] * (T[1:] < 0.9) + (T[1:] >= 0.9))
    assert np.all((narrow >= reported.value(T[1:]).min() - 1e-15) & (narrow <= 1))
    low, high = reported.bounds(T[1:-1], T[2:])
    assert np.all(low <= reported.value(T[2:]) + 1e-15)
    assert np.all(high >= reported.value(T[2:]) - 1e-15)
    if reported.complement is not None:
        np.testing.assert_allclose(reported.complement.value(T), 1 - reported.value(T), atol=1e-15)
    assert (reported.breaks, reported.is_continuous, reported.holder) == (
        curve.breaks,
        curve.is_continuous,
        curve.holder,
    )
    assert Curve.parse(str(reported)) == reported
