"""A statement of docs/theory.md about means where limits and tops agree."""

from __future__ import annotations

import numpy as np
from robustness.value_statements import mean_dcg
from scipy.special import zeta

from ndcg_asymptotics.theory.mean import expected_ndcg


def test_the_mean_where_limits_and_tops_agree_falls_like_n_to_the_minus_b() -> None:
    """Section 7.1, equation (17): int Dm = int t^-b Dm = 0, Dm(0) = 0, b = 0.7; the next term is 1/n."""
    b = 0.7
    equations = np.array([[1 / 3, 1 / 4], [1 / (3 - b), 1 / (4 - b)]])
    coefficients = (1.0, *np.linalg.solve(equations, [-1 / 2, -1 / (2 - b)]))  # of t, t^2, t^3
    integral = sum(c / (j - b) for j, c in enumerate(coefficients, 1))

    def difference(n: int) -> float:
        return sum(c * mean_dcg(n, b, j) for j, c in enumerate(coefficients, 1))

    stated = -b * (1 - b) / 2 * integral
    after = [(difference(n) - stated * n**-b) * n for n in (10**3, 10**4, 10**5)]
    np.testing.assert_allclose(after[1:], float(zeta(b - 1)), rtol=1e-2)  # the next term, with Dm'(0) = 1
    assert abs(difference(10**5) / (stated * 10 ** (-5 * b)) - 1) < 0.07
    assert abs(difference(10**5) * 10**5 / float(zeta(b - 1))) > 10  # it does not lead

    high, low = (
        "polynomial(0, 0.6, {}, {})".format(*(0.1 * c for c in coefficients[1:])),
        "linear(0.5, 0)",
    )
    values = [expected_ndcg(curve, f"DCG(power({b}))", [10**4]) for curve in (high, low)]
    gap, error = values[0].value[0] - values[1].value[0], values[0].error[0] + values[1].error[0]
    assert abs(gap - 0.1 * difference(10**4)) <= error + 1e-11 * values[0].value[0]
