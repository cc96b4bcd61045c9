"""Theorem 11 of Ravikumar et al. (2011): the regret against the excess risk, by list length.

Problems of m items are drawn as in `decided`, and γ is the least positive regret of each. The worst scores of
a given mean excess risk are wrong for the problems with the least γ, and tie the two items whose exchange
costs γ: for least squares an excess of (gap of the two)²/2. The other scores are the means plus noise.
"""

from __future__ import annotations

import numpy as np
from keeping import keep
from numpy.typing import NDArray
from regret_bounds import least_regret, margin_bound

from ndcg_asymptotics.core.progress import show_progress, tracked
from ndcg_asymptotics.learning.utilities import Discounted
from ndcg_asymptotics.measures import Measure

SIZES = (2, 3, 4, 6, 8, 12)
PROBLEMS, VECTORS, GRADES = 400_000, 3, 5
SHARES = np.array([0.001, 0.01])  # of the problems, between which exponents are measured
NOISE = np.array([1e-4, 1e-3])
ALPHA = 0.8
TIED = 1e-9  # gaps below it are rounding errors


def main() -> None:
    """Draw problems of each length, and write the exponents and the bounds."""
    rows = []
    with show_progress():
        for items in tracked(SIZES, "items"):
            rows.append(exponents(items, np.random.default_rng([11, items])))
            print(rows[-1])
    keep("margins", {"alpha": ALPHA, "problems": PROBLEMS, "rows": rows})


def exponents(items: int, rng: np.random.Generator) -> dict[str, float]:
    """Return exponents of P(γ <= t) in t and of the regret in the excess risk, and the bounds."""
    utility = Discounted("exp2", Measure("log"))
    weights = utility.weights(items)
    labels = rng.integers(0, GRADES, (PROBLEMS, VECTORS, items)).astype(np.float64)
    chances = rng.dirichlet(np.ones(VECTORS), PROBLEMS)
    means = np.einsum("pk,pki->pi", chances, utility.standardised(labels))
    best = -np.sort(-means, axis=1)
    gaps = -np.diff(best, axis=1)
    best[:, 1:] = best[:, :1] - np.cumsum(np.where(gaps > TIED, gaps, 0.0), axis=1)
    gamma = least_regret(best, weights)
    best, gamma = best[np.isfinite(gamma)], gamma[np.isfinite(gamma)]
    gaps = -np.diff(best, axis=1)
    costs = np.where(gaps > 0, gaps * -np.diff(weights), np.inf)
    gap = gaps[np.arange(len(gamma)), costs.argmin(axis=1)]
    order = np.argsort(gamma)
    excess, regret = (np.cumsum(x[order]) / PROBLEMS for x in (gap**2 / 2, gamma))
    some = (SHARES * len(gamma)).astype(int)
    noisy = [noise_risk(best, weights, size, rng) for size in NOISE]
    norm = float(np.linalg.norm(weights))
    bound = margin_bound(float(excess[some[0]]), gamma, ALPHA, weights_norm=norm)
    plain = margin_bound(float(excess[some[0]]), gamma, 0.0, weights_norm=norm)
    return {
        "items": items,
        "tail": slope(gamma[order][some], SHARES),
        "worst": slope(excess[some], regret[some]),
        "noise": slope(np.array([e for e, _ in noisy]), np.array([r for _, r in noisy])),
        "theorem 11": bound / float(regret[some[0]]),
        "theorem 10": plain / float(regret[some[0]]),
        "median": float(np.median(gamma)),
    }


def noise_risk(
    best: NDArray[np.float64], weights: NDArray[np.float64], size: float, rng: np.random.Generator
) -> tuple[float, float]:
    """Return the mean excess risk and regret of the means plus noise."""
    noise = size * rng.normal(size=best.shape)
    ranked = np.take_along_axis(best, np.argsort(-(best + noise), axis=1), axis=1)
    return float((noise**2).sum(axis=1).mean()), float(((best - ranked) @ weights).mean())


def slope(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Return the exponent of y in x between two points."""
    return float(np.diff(np.log(y))[0] / np.diff(np.log(x))[0])


if __name__ == "__main__":
    main()
