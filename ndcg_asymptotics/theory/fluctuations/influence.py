"""The influence of a single item on NDCG_n: the part of NDCG_n that is a sum over items.

The items of a list are independent, so DCG_n has a best approximation by a sum over items (Hájek's
projection). With ``phi(t) = E[D(1 + Bin(n - 1, t))]``, the mean discount of an item at depth t, an item of
gain y at depth t adds ``y phi(t)`` and moves the items below it down by one rank. IDCG_n has such an
approximation as well, as R_j = P(Y >= y_j) is the depth of the last item of grade j in an ideal list. So
``NDCG_n = E NDCG_n + n^-1 sum_i psi(t_i, y_i) + …`` with, for a cutoff k = cn (c = 1 without one),

    psi = [ 1{t<=c} y phi(t) + int_t^c m phi' - int_0^c u m phi' - A - m(c) phi(c) (1{t<=c} - c) ] / B
          - A / B^2 sum_j (y_j - y_(j+1)) phi(R_j) (1{y >= y_j} - R_j),          the sum over R_j < c,

``A = int_0^c m phi`` and ``B = sum_j (y_j - y_(j+1)) int_0^min(R_j, c) phi``; the term in c is 0 for whole
lists. For DCG_n psi is n times the first bracket. Hájek's projections of DCG_n and IDCG_n of whole lists are
exact at every n; what is approximate is the ratio, and a cutoff, which is taken at depth c.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from ndcg_asymptotics.core.arrays import Bools, Floats
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.measures import Discount, Measure
from ndcg_asymptotics.measures.exponentials import exponential_sum
from ndcg_asymptotics.measures.gains import gain_steps
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.rules.binomial import log_binomial
from ndcg_asymptotics.theory.rules.ideal import fitted_to
from ndcg_asymptotics.theory.rules.mesh import Mesh, depths_at
from ndcg_asymptotics.theory.rules.quadrature import PANEL_NODES, divided, middles, running_integrals

_SMALLEST, _LARGEST = 1e-40, 1e-15  # of the nodes: depth, and what it lacks to 1
_WIDTH = 0.4  # of a panel, in standard deviations of the normal score of its depth
_LOWEST = 13.0  # the normal score of the smallest depth, about
_ROUNDING = 1e-16  # of a share near 1


@dataclass(frozen=True)
class Influence:
    """The influence of an item on NDCG_n, times n, at nodes of depth.

    Attributes
    ----------
    dt : (T,)
        Weights of the nodes.
    chance, psi, score : (J + 1, T)
        Of each grade, the last one without gain: its probability at the node, the influence of an item of
        this grade there, and the normal score of its depth among the items of this grade.
    """

    dt: Floats
    chance: Floats
    psi: Floats
    score: Floats

    def moment(self, power: int) -> float:
        """Return ``E |psi|^power``."""
        return float((self.chance * np.abs(self.psi) ** power).sum(axis=0) @ self.dt)


@shared
def influence(relevance: Relevance, measure: Measure, n: int, width: float = _WIDTH) -> Influence | None:
    """Return the influence of an item of a list of n items; None if NDCG_n is 0.

    Parameters
    ----------
    relevance : Relevance
    measure : Measure
        For whole lists or with a cutoff k = cn.
    n : int
    width : float
        The width of panels, in standard deviations of the normal scores.

    Raises
    ------
    NotAvailableError
        If the discount is neither linear nor a sum of exponentials, for more than 128 items.

    >>> found = influence(Relevance.of("constant(0.5)"), Measure.of("nDCG(linear)"), 1000)
    >>> 1 < found.moment(3) / found.moment(2) ** 1.5 < 2
    True
    """
    c = measure.cutoff(n) / n
    ends = np.minimum(np.cumsum(relevance.masses), 1.0)
    mesh = Mesh.of(relevance, n)
    depths = mesh.between(_edges(mesh, (*ends, c), width))
    t, dt, gains = depths.t, depths.dt, np.array(relevance.gains)
    phi, slope = mean_discount(measure.discount, n, t)
    within = t < c
    mean = gains @ depths.value
    a, pushed = float((dt * mean * phi)[within].sum()), np.where(within, dt * mean * slope, 0.0)
    below = pushed.sum() - running_integrals(pushed.reshape(-1, PANEL_NODES)).ravel()  # int_t^c m phi'
    # the part of the first bracket that does not depend on y
    base = below - float(pushed @ t) - a
    at_ends = mean_discount(measure.discount, n, np.append(ends, c))[0]
    if c < 1:
        base = base - float(relevance.mean_gain(c)) * at_ends[-1] * (within - c)
    psi = np.append(gains, 0.0)[:, None] * np.where(within, phi, 0.0) + base
    if measure.normalised:
        steps = gain_steps(gains)
        ideal = float(
            sum(step * (dt * phi)[t < min(end, c)].sum() for step, end in zip(steps, ends, strict=True))
        )
        if not ideal > 0:
            return None
        better = np.arange(gains.size + 1)[:, None] <= np.arange(gains.size)  # (grade, j): y >= y_j
        counted = (better - ends) @ (steps * np.where(ends < c, at_ends[:-1], 0.0))
        psi = psi / ideal - a / ideal**2 * counted[:, None]
    else:
        psi = n * psi
    chance = np.vstack([depths.value, np.maximum(1.0 - depths.value.sum(axis=0), 0.0)])
    return Influence(dt, chance, psi, _normal_scores(depths.above))


def mean_discount(discount: Discount, n: int, t: Floats) -> tuple[Floats, Floats]:
    """Return ``phi(t) = E[D(1 + Bin(n - 1, t))]`` and its derivative at depths t.

    ``phi' = (n - 1) E[D(2 + Bin(n - 2, t)) - D(1 + Bin(n - 2, t))]``.

    >>> phi, slope = mean_discount(Discount.parse("geometric(2)"), 3, np.array([0.0, 0.5, 1.0]))
    >>> phi.round(12), slope.round(12)  # (1 - t/2)^2 / 2
    (array([0.5    , 0.28125, 0.125  ]), array([-0.5  , -0.375, -0.25 ]))
    """
    if discount.affine:
        constant, factor = discount.coefficients(n)
        return constant + factor * (1 + (n - 1) * t), np.full_like(t, factor * (n - 1))
    if n <= 128:
        every = np.arange(n + 1.0)
        values = discount(every[1:], float(n))
        phi = np.exp(log_binomial(every[:-1], n - 1.0, t[:, None])) @ values
        if n == 1:
            return phi, np.zeros_like(t)
        falls = np.exp(log_binomial(every[:-2], n - 2.0, t[:, None])) @ np.diff(values)
        return phi, (n - 1) * falls
    found = exponential_sum([discount], fitted_to(discount, n))
    w, rates = found.weights[0], found.rates
    q = -np.expm1(-rates)
    with np.errstate(divide="ignore"):
        stays = np.log1p(-np.outer(t, q))
    return (
        np.exp((n - 1) * stays - rates) @ w,
        -(n - 1) * (np.exp((n - 2) * stays - rates) @ (w * q)),
    )


def _edges(mesh: Mesh, further: tuple[float, ...], width: float) -> Floats:
    """Return panel boundaries on which the normal scores of every grade are resolved."""
    count = math.ceil(math.log(0.5 / _SMALLEST) / 0.5)
    top = np.geomspace(_SMALLEST, 0.5, count)
    bottom = 1 - np.geomspace(_LARGEST, 0.5, count // 2)
    edges = np.unique(np.concatenate([top, bottom, [1.0], mesh.edges, further]))
    edges = edges[edges >= _SMALLEST]

    def wide(left: Floats, right: Floats) -> Bools:
        first, last = (_normal_scores(depths_at(mesh.relevance, mesh.law, t, t).above) for t in (left, right))
        middle = middles(left, right)
        return (last - first > width).any(axis=0) & (middle > left) & (middle < right)

    return divided(edges, wide)


def _normal_scores(above: Floats) -> Floats:
    """Return the normal scores of shares; those of 0 and 1, which weigh nothing, are finite."""
    return np.asarray(np.maximum(ndtri(np.minimum(above, 1 - _ROUNDING)), -_LOWEST))
