"""The recursion over ranks: short lists and small cutoffs against sums that share nothing with it."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from mpmath import mp
from oracles.discounts import DISCOUNTS

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.deviation import ndcg_std, rank_recursion
from ndcg_asymptotics.theory.deviation.ranks import rank_moments
from ndcg_asymptotics.theory.mean import expected_ndcg


@cache
def chances(p: float, n: int) -> list[mp.mpf]:
    """P(c of n items are relevant), c = 1, …, n, to 30 digits."""
    with mp.workdps(40):
        return [mp.binomial(n, c) * mp.mpf(p) ** c * (1 - mp.mpf(p)) ** (n - c) for c in range(1, n + 1)]


def exchangeable(p: float, discount, n: int, k: int) -> tuple[float, float]:
    """The mean and standard deviation of NDCG@k under a constant curve, to 30 digits.

    Given c relevant items every set of c ranks is as likely: E[y_r y_s] = c (c - 1) / (n (n - 1)).
    """
    with mp.workdps(40):
        weights = [mp.mpf(float(discount(float(r), n))) for r in range(1, k + 1)]
        whole, squares = mp.fsum(weights), mp.fsum(d * d for d in weights)
        mean = second = ideal = mp.mpf(0)
        for c, chance in enumerate(chances(p, n), 1):
            ideal += weights[c - 1] if c <= k else 0
            pairs = mp.mpf(c * (c - 1)) / (n * (n - 1)) if n > 1 else 0
            mean += chance * c * whole / (n * ideal)
            second += chance * (c * squares / n + pairs * (whole**2 - squares)) / ideal**2
        return float(mean), float(mp.sqrt(second - mean**2))


@pytest.mark.slow
@pytest.mark.parametrize("p", [1e-5, 0.001, 0.4, 0.999])
@pytest.mark.parametrize("text", ["clipped_log(2.161)", "log", "geometric(2)", "linear"])
def test_constant_curves_have_a_closed_form(p: float, text: str) -> None:
    rng = np.random.default_rng(int(1e6 * p))  # the same lengths for all discounts
    for n in [2, 11, *rng.integers(12, 128, 1).tolist(), 128]:
        for cutoff, k in (("", n), (f"@{n // 3 + 1}", n // 3 + 1)):
            mean, deviation = exchangeable(p, DISCOUNTS[text], n, k)
            found = rank_moments((Relevance.of(f"constant({p!r})"),), Measure.of(f"nDCG({text}){cutoff}"), n)
            assert found.mean == pytest.approx(mean, rel=1e-12)
            assert abs(found.variance - deviation**2) <= min(found.error, 1e-10 * found.variance)
            assert found.error < 1e-7 * found.variance
            other = exchangeable(p * (1 - 1e-5), DISCOUNTS[text], n, k)
            assert abs(found.variance - other[1] ** 2) > found.error


def test_long_lists_with_a_cutoff() -> None:
    """Against exact sums in 40 digits at n = 300, and the exact means up to 9e18."""
    _, deviation = exchangeable(0.02, DISCOUNTS["log"], 300, 10)
    std = ndcg_std("constant(0.02)", "nDCG@10", [300])
    assert abs(std.value[0] - deviation) <= std.error[0] < 1e-8 * deviation
    for curve in ("linear(0.1, 0.7)", "cusp(0.01, 0.8, 0.05)", "logistic(0.001, -300)", "binormal(0.3, 3)"):
        for n in (130, 10**4, 9 * 10**18):
            mean = expected_ndcg(curve, "nDCG@20", [n])
            found = rank_moments((Relevance.of(curve),), Measure.of("nDCG@20"), n)
            assert abs(found.mean - mean.value[0]) <= 1e-9 + mean.error[0]


def test_many_breaks() -> None:
    """The same curve in one piece and in 59."""
    depths = np.linspace(0, 1, 60)
    values = 0.7 - 0.6 * depths
    broken = ", ".join(f"{t!r}={m!r}" for t, m in zip(depths.tolist(), values.tolist(), strict=True))
    for measure, n in (("nDCG@10", 100), ("nDCG", 20)):
        plain = rank_moments((Relevance.of("linear(0.1, 0.7)"),), Measure.of(measure), n)
        same = rank_moments((Relevance.of(f"piecewise({broken})"),), Measure.of(measure), n)
        assert abs(plain.variance - same.variance) <= plain.error + same.error < 1e-10


def test_many_panels_give_the_same_solution_as_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    edges, added = np.sort(rng.uniform(0, 900, 61)), rng.normal(size=(61, 4))
    together = np.tril(np.exp(np.minimum(edges - edges[:, None], 0))) @ added
    monkeypatch.setattr(rank_recursion, "_EDGES", 7)
    np.testing.assert_allclose(rank_recursion._decayed(edges, added), together, rtol=1e-12, atol=1e-14)
