"""The law of the rank of one relevant item, P(rank <= r) = E[nDCG(constant)@r], against other ways to it."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from scipy import stats

from ndcg_asymptotics.theory.mean import expected_ndcg

LONG = (1000, 10**6, 10**18)


def rank_law(spec: str, n: int, ranks: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """P(rank <= r) of the one relevant item, and bounds of the errors."""
    found = [expected_ndcg(spec, f"nDCG(constant)@{r}", [n]) for r in ranks]
    return np.array([mean.value[0] for mean in found]), np.array([mean.error[0] for mean in found])


@pytest.mark.parametrize("n", LONG)
@pytest.mark.parametrize("kappa", [0.05, 0.3, 1.0, 4.0])
def test_ranks_under_powers(kappa: float, n: int) -> None:
    """E B^kappa = Gamma(r + kappa) Gamma(n) / (Gamma(r) Gamma(n + kappa)), B ~ Beta(r, n - r)."""
    ranks = [1, 2, 19, 20, 100, 999, 1000, n // 10, n // 2, n // 2 + 1, n - 1]
    lg = mpmath.loggamma
    with mpmath.workdps(50):
        x = mpmath.mpf(kappa)
        exact = [float(mpmath.exp(lg(r + x) + lg(n) - lg(r) - lg(n + x))) if r < n else 1.0 for r in ranks]
    found, error = rank_law(f"relevant(1, roc_power({kappa}))", n, ranks)
    assert (np.abs(found - exact) <= error).all()
    assert error.max() < 1e-9
    assert found == pytest.approx(exact, rel=1e-7)  # in their digits, however small


@pytest.mark.slow
@pytest.mark.parametrize(("n", "r"), [(1000, 12), (10**12, 1), (10**12, 300), (10**18, 12)])
def test_ranks_of_binormal_scores(n: int, r: int) -> None:
    """E Phi(d + Z), Phi(Z) ~ Beta(r, n - r), by mpmath's quadrature over z."""
    with mpmath.workdps(30):
        lg = mpmath.loggamma
        constant = lg(n) - lg(r) - lg(n - r)

        def share(z: mpmath.mpf) -> mpmath.mpf:
            logs = (r - 1) * mpmath.log(mpmath.ncdf(z)) + (n - r - 1) * mpmath.log(mpmath.ncdf(-z))
            return mpmath.ncdf(1.5 + z) * mpmath.npdf(z) * mpmath.exp(constant + logs)

        middle = float(stats.norm.ppf(r / n))
        exact = float(mpmath.quad(share, [middle + step for step in (-8, -2, -0.5, -0.1, 0, 0.1, 0.5, 2)]))
    (found,), _ = rank_law("relevant(1, roc_binormal(1.5))", n, [r])
    assert found == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("n", [10**6, 10**12])  # longer ones have no cutoff n - 1 in doubles
@pytest.mark.parametrize(("a", "b"), [(0.3, 0.2), (2.0, 0.1)])
def test_a_density_that_is_infinite_at_the_bottom(a: float, b: float, n: int) -> None:
    """Doubles near 1 are too far apart for it, which the stated error says; the rank is beta-binomial."""
    lg = mpmath.loggamma
    with mpmath.workdps(50):
        x, y = mpmath.mpf(a), mpmath.mpf(b)
        whole = lg(n) + lg(x + y) - lg(x) - lg(y) - lg(x + y + n - 1)
        ranks = range(n - 30, n)
        last = [mpmath.exp(whole - lg(k + 1) - lg(n - k) + lg(x + k) + lg(y + n - 1 - k)) for k in ranks]
        exact = np.array([float(1 - sum(last[-back:])) for back in (1, 2, 30)])
    found, error = rank_law(f"relevant(1, roc_beta({a}, {b}))", n, [n - back for back in (1, 2, 30)])
    assert (np.abs(found - exact) <= error).all()
