"""Means over the depth at which a list is cut.

With n independent uniform depths the item at rank k + 1 has the depth tau ~ Beta(k + 1, n - k). For smooth
curves the law's own Gauss rule takes means over it with a dozen nodes, where tau is concentrated three
will do; where a curve breaks near the cutoff, panels that end at its breaks.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.linalg import eigh_tridiagonal

from ndcg_asymptotics.arrays import Floats
from ndcg_asymptotics.scorers import Relevance
from ndcg_asymptotics.theory.mean.conditional import three_points
from ndcg_asymptotics.theory.quadrature import on_panels

_CONCENTRATED = 10**5  # ranks on both sides of the cutoff from which three depths carry tau's law
_PANELS, _WIDEST, _NODES, _FEW_NODES = 8, 1.5, 10, 4
_GAUSS = (12, 18, 26, 36)  # nodes of tau's own Gauss rule to be tried
_RESOLVED = 1e-12  # relative change of the label laws' means that shows that they are enough
_DEEPEST = 1 - 1e-15  # something is left below it
_FALL = 37.0  # log of the smallest density of tau that counts, relative to the highest


def depth_rule(relevance: Relevance, k: int, n: int) -> tuple[Floats, Floats, float]:
    """Nodes, weights and relative error for means over the depth at rank k + 1, Beta(k + 1, n - k)."""
    above, below = k + 1.0, float(n - k)
    total = above + below
    centre = above / total
    sd = math.sqrt(above * below / (total + 1)) / total
    if min(k, n - k) >= _CONCENTRATED and all(abs(b - centre) > 9 * sd for b in relevance.breakpoints):
        return *_three_depths(above, below, centre, sd), 0.0

    def log_density(x: Floats) -> Floats:
        """Of logit(tau) - logit(centre), relative to the mode."""
        rise, fall = np.log1p(centre * np.expm1(x)), np.log1p((1 - centre) * np.expm1(-x))
        return np.asarray(-below * rise - above * fall)

    low, high = (_where_falls(log_density, sign * math.sqrt(1 / above + 1 / below)) for sign in (-1, 1))
    breaks = [math.log(b / (1 - b) * (1 - centre) / centre) for b in relevance.breakpoints]
    breaks = [x for x in breaks if low < x < high]
    rule = None if breaks else _own_rule(relevance, above, below)
    if rule is not None:
        return *rule, 0.0
    x, weights = _panels(low, high, breaks)
    weights = weights * np.exp(log_density(x))
    depths = np.minimum(centre * np.exp(x) / (1 + centre * np.expm1(x)), _DEEPEST)
    # the log density is a difference of terms as large as the square root of this
    return depths, weights / weights.sum(), 1e-15 * math.sqrt(above * below / total)


def _three_depths(above: float, below: float, centre: float, sd: float) -> tuple[Floats, Floats]:
    """Three nodes with the first four moments of Beta(above, below)."""
    total = above + below
    skewness = 2 * (below - above) / (total + 2) * math.sqrt((total + 1) / (above * below))
    excess = 6 * ((above - below) ** 2 * (total + 1) / (above * below) - total - 2)
    excess /= (total + 2) * (total + 3)
    a, b, left, right = (float(v) for v in three_points(*np.array([1.0, skewness, excess])))
    return centre + sd * np.array([a, 0.0, b]), np.array([left, 1 - left - right, right])


def _own_rule(relevance: Relevance, above: float, below: float) -> tuple[Floats, Floats] | None:
    """The Gauss rule of Beta(above, below), if the label laws are smooth enough for it."""
    previous = None
    for count in _GAUSS:
        depths, weights = _beta_rule(above, below, count)
        value = np.array([curve.value(depths) for curve in relevance.curves])
        share = np.array([curve.integral(0.0, depths) for curve in relevance.curves]) / depths
        means = np.concatenate([value, share, value**2, share**2]) @ weights
        if previous is not None and np.all(np.abs(means - previous) <= _RESOLVED * np.abs(means)):
            return depths, weights
        previous = means
    return None


def _beta_rule(above: float, below: float, count: int) -> tuple[Floats, Floats]:
    """Gauss-Jacobi on [0, 1], in relative precision at both ends' scales: nodes over the mean of the law."""
    a, b, s = below - 1, above - 1, above + below - 2
    m = np.arange(float(count))
    centre = above / (above + below)
    diagonal = (2 * m * (m + 1 + s) + s * (b + 1)) / ((2 * m + s) * (2 * m + s + 2))
    m = m[1:]
    product = m * (m + a) / (2 * m + s) * ((m + b) * (m + s) / (2 * m + s))
    beside = np.sqrt(product / ((2 * m + s + 1) * (2 * m + s - 1)))
    nodes, vectors = eigh_tridiagonal(diagonal / centre, beside / centre)
    return np.clip(nodes * centre, 0.0, _DEEPEST), vectors[0] ** 2


def _panels(low: float, high: float, breaks: list[float]) -> tuple[Floats, Floats]:
    """Gauss-Legendre nodes and weights on panels that end at the breaks."""
    panels = max(_PANELS, math.ceil((high - low) / _WIDEST))
    edges = np.union1d(np.linspace(low, high, panels + 1), breaks)
    narrow = np.diff(edges) < (high - low) / (3 * panels)  # between two breaks
    few = on_panels(edges[:-1][narrow], edges[1:][narrow], _FEW_NODES)
    many = on_panels(edges[:-1][~narrow], edges[1:][~narrow], _NODES)
    return tuple(np.concatenate([a.ravel(), b.ravel()]) for a, b in zip(few, many, strict=True))  # type: ignore[return-value]


def _where_falls(log_density: Callable[[Floats], Floats], step: float) -> float:
    x = step
    while float(log_density(np.array(x))) > -_FALL:
        x += step
    return x
