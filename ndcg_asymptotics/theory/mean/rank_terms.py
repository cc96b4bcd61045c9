"""The mean gain of an item at a depth, as a sum of products over the grades of the other items.

Of n items one stands at depth t. Each of the others is above it with a probability G_i(t) that depends on
its grade i only, so that the number A of items above it is Binomial(n - 1, t), and for given label counts c
a sum of independent binomials ``Bin(c_i, G_i(t))``. With phi_m the orthonormal polynomials of
Binomial(N, t), N = n - 1 (Krawtchouk polynomials), the conditional means of all of them are a product::

    sum_m sqrt(binom(N, m)) w^m E[phi_m(A) | c] = prod_i q_i^c_i,
    q_i = 1 + w (G_i(t) - t) / sqrt(t (1 - t)).

So the gain ``g(a) = D(1 + a) 1(a < k)`` is expanded, ``g = sum_m g_m phi_m`` with ``g_m = E[g(A) phi_m(A)]``,
and the coefficients of the product are found from its values at a few points w on a circle. Where labels and
depth are nearly independent few degrees matter: the coefficient of degree m is at most rho^m, rho the
correlation of A and the label counts. This is equation (5) of docs/theory.md.

Where the label counts nearly determine the rank, a Fourier series (`rules.ranks`) takes the place of
the polynomials, with ``E[z^A | c] = prod_i (1 + (z - 1) G_i(t))^c_i``.

*Few depths.* Let ``v_i(t) = sqrt(p_i) (G_i(t) - t) / sqrt(t (1 - t))``, a vector over the grades whose length
is the correlation of the label counts and A. By equation (5) of docs/theory.md

    Cov( E[phi_m(A) | c, t], E[phi_m(A) | c, s] ) = (v(t) · v(s))^m,

so that ``E[phi_m(A) | c, t]`` is linear in the m-th tensor power of v(t). These powers lie near a space of
few dimensions, since v(t) is a curve. So an integral over depth of any mean with them is a sum over few of
the depths (`FewDepths`), up to an error of at most the distance of the two combinations of powers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import gammaln

from ndcg_asymptotics.core.arrays import Complex, Floats, Integers
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.measures import Discount
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.rules.binomial import PROBABILITY_ROUNDING, krawtchouk
from ndcg_asymptotics.theory.rules.counts import around_rank, reach
from ndcg_asymptotics.theory.rules.mesh import CurveDepths, curve_edges
from ndcg_asymptotics.theory.rules.ranks import RankWindow, rank_nodes, require_smooth

DEGREES = (9, 19, 35)  #: of expansions in the number of items above, tried in turn
TOLERANCE = 1e-10
"""Terms of expansions that are smaller, relative to the mean, are left out: ten times the error of a discount
as a sum of exponentials."""
# width of a panel around the cutoff, in standard deviations of the rank; with 1.2, 2.5 times as many nodes of
# each count and panels of 0.8 in place of 8/3, 1,500 random means change by 3e-10 at most
_AROUND_CUTOFF = 4.0
_SMALL = 0.05  # |z| up to which log(1 + z) - z is a series


@dataclass(frozen=True, eq=False)  # equal where identical, so that `shared` can take it as an argument
class Places:
    """Depths at which an item of a grade that occurs may gain, in lists of one length with one cutoff.

    Attributes
    ----------
    n, k : int
        The length of the list, and the cutoff, at most n.
    gains : (J,)
        Those of the grades that occur.
    law : (J + 1,)
        Their probabilities, the last one without gain.
    t : (T,)
        Depths in (0, 1).
    deviation : (J + 1, T)
        ``G_i(t) - t`` for each grade.
    gained : (J, T)
        The weights of the integral over depth, ``y_j n P(Y = y_j | t) dt`` for an item of each grade.
    """

    n: int
    k: int
    gains: Floats
    law: Floats
    t: Floats
    deviation: Floats
    gained: Floats

    @cached_property
    def directions(self) -> Floats:
        """The vectors ``sqrt(p_i) (G_i(t) - t) / sqrt(t (1 - t))``, (J + 1, T)."""
        return np.asarray(np.sqrt(self.law)[:, None] * self.deviation / np.sqrt(self.t * (1 - self.t)))

    @cached_property
    def correlation(self) -> Floats:
        """Their lengths, the correlation of the number of items above and the label counts, (T,)."""
        return np.asarray(np.sqrt((self.directions**2).sum(axis=0)))


@shared  # measures with the same cutoff have the same
def places_of(relevance: Relevance, n: int, k: int) -> Places:
    """Return the depths for lists of n items with a cutoff k."""
    depths = CurveDepths.of(relevance, _around_cutoff(curve_edges(relevance, n), k, n))
    occurs = depths.law[:-1] > 0
    present = np.append(occurs, True)
    gains = np.array(relevance.gains)[occurs]
    gained = n * gains[:, None] * depths.value[occurs] * depths.dt
    return Places(n, k, gains, depths.law[present], depths.t, depths.above[present] - depths.t, gained)


def _around_cutoff(edges: Floats, k: int, n: int) -> Floats:
    """Return edges of panels on which items gain, closer where the rank may be on either side of k."""
    if k >= n:
        return edges
    # an item above ``start`` is within the cutoff and one below ``stop`` is not
    start, stop = (min(max(x / n, 0.0), 1.0) for x in around_rank(float(k), float(n)))
    count = math.ceil((stop - start) * n / (_AROUND_CUTOFF * max(math.sqrt(k * (1 - k / n)), 3.0)))
    close = np.linspace(start, stop, count + 1)
    return np.union1d(edges[edges < stop], close[close > edges[0]])


@dataclass(frozen=True)
class FewDepths:
    """Depths and weights that take the place of those of an integral.

    Attributes
    ----------
    node : (K,) whole numbers
        The indices of the depths.
    weights : (M + 1, J, K)
        For each degree, as those of the integral.
    """

    node: Integers
    weights: Floats

    @classmethod
    def of(cls, directions: Floats, weights: Floats, degrees: Integers, tolerance: float) -> FewDepths:
        """Return depths and weights for sums over depths of ``weights[m, j] E[phi_m(A) | c, t]``.

        Parameters
        ----------
        directions : (J + 1, T)
            v(t).
        weights : (M + 1, J, T)
        degrees : (T,) whole numbers
            The highest degree at each depth, at most M; weights of higher ones are ignored.
        tolerance : float
            The error that is allowed, relative to the sum of the weights of degree 0.

        >>> t = np.linspace(0.1, 0.7, 4)
        >>> depths = FewDepths.of(np.array([t, -t]), np.ones((3, 1, 4)), np.full(4, 2), 1e-9)
        >>> depths.node, (depths.weights[2, 0] * t[depths.node] ** 2).round(9), float((t**2).sum().round(9))
        (array([3]), array([0.84]), 0.84)
        """
        size = np.abs(weights).max(axis=(0, 1))
        size = np.where(size > 0, size, 1.0)
        # 1/IDCG may vary by several times its mean
        bound = 0.1 * tolerance * np.abs(weights[0]).sum()
        powers = _powers(directions, size, int(degrees.max()), bound)
        sparse = np.zeros_like(weights)
        node = np.empty(0, int)
        for m in range(len(powers) - 1, -1, -1):
            active = np.flatnonzero(degrees >= m)
            parts = weights[m][:, active] / size[active]
            pivots = _pivots(powers[m][:, active] * np.abs(parts).max(axis=0), powers[m][:, node], bound)
            node = np.append(node, active[pivots])
            if m == 0 and not node.size:
                node = np.array([np.argmax(size)])
            exact = powers[m][:, active] @ parts.T
            solved = np.linalg.lstsq(powers[m][:, node], exact, rcond=PROBABILITY_ROUNDING)[0]
            sparse[m][:, node] = solved.T * size[node]
        return cls(node, sparse[:, :, node])


def _powers(directions: Floats, size: Floats, highest: int, bound: float) -> list[Floats]:
    """Return vectors (R, T) for m = 0, 1, …, highest with the products of ``size v^m``, up to an error."""
    powers = [size[None, :]]
    for _ in range(highest):
        following = (powers[-1][:, None] * directions).reshape(-1, size.size)
        _, values, rows = np.linalg.svd(following, full_matrices=False)
        left = np.sqrt(np.cumsum(values[::-1] ** 2))[::-1]  # of each value and those after it
        smallest = max(bound / (highest * np.sqrt(size.size)), PROBABILITY_ROUNDING * values[0])
        rank = max(1, int(np.count_nonzero(left > smallest)))
        powers.append(values[:rank, None] * rows[:rank])
    return powers


def _pivots(columns: Floats, span: Floats, bound: float) -> Integers:
    """Return the columns that, together with ``span``, leave at most ``bound`` of all columns."""
    if span.size:
        basis, _ = np.linalg.qr(span)
        columns = columns - basis @ (basis.T @ columns)
    if np.linalg.norm(columns, axis=0).sum() <= bound:
        return np.empty(0, int)
    from scipy.linalg import qr  # here: it takes long to load

    triangle, order = qr(columns, mode="r", pivoting=True)
    left = np.sqrt(np.cumsum(triangle[::-1] ** 2, axis=0)[::-1])  # of each column, after so many pivots
    count = int(np.count_nonzero(left.sum(axis=1) > bound))
    return np.asarray(order[:count])


@dataclass(frozen=True)
class RankTerms:
    """Terms ``weight prod_i q_i^c_i`` of an integral over depth; the value is the real part of their sum.

    Attributes
    ----------
    node : (R,) whole numbers
        The index of the depth to which a term belongs.
    slope : (R,)
        Complex numbers.
    weight : (J, R)
        Complex numbers, for an item of each grade.
    centred : bool
        Whether q_i is ``1 + slope (G_i(t) - t)``, or ``1 + slope G_i(t)`` and not larger than 1.
    """

    node: Integers
    slope: Complex
    weight: Complex
    centred: bool


def expansion_terms(places: Places, degrees: Integers, gains: Floats) -> list[RankTerms]:
    """Return the terms of the expansions, their coefficients from points on circles.

    ``degrees`` (T,) are the highest degrees, -1 for a Fourier series, and ``gains`` the g_m, (T, M + 1).
    """
    node = np.flatnonzero(degrees >= 0)
    if not node.size:
        return []
    degrees, t = degrees[node], places.t
    weights = gains[node, : degrees.max() + 1].T[:, None] * places.gained[:, node]
    depths = FewDepths.of(places.directions[:, node], weights, degrees, TOLERANCE)
    nodes, slopes, coefficients = [], [], []
    for degree in np.unique(degrees[depths.node]):
        points = int(degree) + 1
        same_degree = degrees[depths.node] == degree
        radius, scale = circle(points, places.n - 1)
        # sum_m g_m E[phi_m(A) | c], where E[phi_m(A) | c] is ``scale`` times the m-th Fourier coefficient of
        # prod_i q_i^c_i on the circle; exchanging the two sums gives a weight for each point
        by_degree = depths.weights[:points, :, same_degree] * scale[:, None, None]  # (points, J, K)
        of_points = np.moveaxis(np.fft.fft(by_degree, axis=0) / points, 0, -1)
        half = points // 2 + 1  # the other points have the conjugate values
        doubled = np.where((np.arange(half) == 0) | (2 * np.arange(half) == points), 1.0, 2.0)
        at = node[depths.node[same_degree]]
        w = radius * np.exp(2j * math.pi * np.arange(half) / points)
        nodes.append(np.repeat(at, half))
        slopes.append((w / np.sqrt(t[at] * (1 - t[at]))[:, None]).ravel())
        coefficients.append((of_points[:, :, :half] * doubled).reshape(len(places.gained), -1))
    return [
        RankTerms(
            np.concatenate(nodes), np.concatenate(slopes), np.concatenate(coefficients, axis=1), centred=True
        )
    ]


def circle(points: int, trials: int) -> tuple[float, Floats]:
    """Return the radius of w for a number of points, and factors that make coefficients those of phi_m."""
    # with this radius sqrt(binom(N, m)) radius^m neither vanishes nor grows up to the last m
    radius = math.sqrt(max(points / math.e, 1.0) / max(trials, 1))
    m = np.arange(points)
    # log binom(N, m) without differences of large logarithms
    factors = np.cumsum(np.log(np.maximum(trials - m[:-1], 1)))
    choose = np.concatenate([[0.0], factors]) - gammaln(m + 1.0)
    return radius, np.exp(-0.5 * choose - m * math.log(radius))


def fourier_terms(discount: Discount, places: Places, degrees: Integers, complete: int) -> list[RankTerms]:
    """Return the terms of the Fourier series, where degrees (T,) are -1.

    Windows of up to ``complete`` numbers have all frequencies.
    """
    nodes = np.flatnonzero(degrees < 0).tolist()
    if not nodes:
        return []
    series = [_fourier_series(discount, places, node, complete) for node in nodes]
    node, slope, weight = (np.concatenate(parts) for parts in zip(*series, strict=True))
    return [RankTerms(node, slope, places.gained[:, node] * weight, centred=False)]


def _fourier_series(
    discount: Discount, places: Places, node: int, complete: int
) -> tuple[Integers, Complex, Complex]:
    """Return the terms of a Fourier series at one depth."""
    n, k, t = places.n, places.k, float(places.t[node])
    trials = n - 1
    variance = trials * t * (1 - t)
    far = reach(math.sqrt(variance))
    low, high = max(math.floor(trials * t - far), 0), min(math.ceil(trials * t + far), trials)
    if low >= k:
        return np.empty(0, int), np.empty(0, complex), np.empty(0, complex)
    window = RankWindow.holding(low, high)
    w = window.frequencies(0.0 if window.size <= complete else variance)
    weights = window.weights(discount, n, k, w.size) * window.turns(w.size)
    return np.full(w.size, node), np.expm1(1j * w), weights


def log_remainder(z: Any) -> Any:
    """Return log(1 + z) - z."""
    small = np.where(np.abs(z) < _SMALL, z, 0.0)
    series = small**2 * np.polynomial.polynomial.polyval(
        small, [(-1) ** (m + 1) / (m + 2) for m in range(12)]
    )
    return np.where(np.abs(z) < _SMALL, series, np.log1p(z) - z)


def projections(discount: Discount, places: Places, highest: int) -> Floats:
    """Return the g_m = ``E[D(1 + A) phi_m(A); A < k]``, A ~ Binomial(n - 1, t), m up to a degree: (T, M + 1).

    Raises
    ------
    NotAvailableError
        If a discount is neither affine nor a sum of exponentials up to n.
    """
    require_smooth(discount, places.n)
    degree = next(m for m in (0, *DEGREES) if m >= highest)
    g = np.zeros((places.t.size, degree + 1))
    for rows, ranks, polynomials in _weighted_polynomials(places, degree):
        g[rows] = np.einsum("tq,mtq->tm", discount(ranks, float(places.n)), polynomials)
    return g


@shared  # measures differ in their discounts only
def _weighted_polynomials(places: Places, degree: int) -> list[tuple[Integers, Floats, Floats]]:
    """Return for some depths at a time ranks (T', Q), and phi_m(A) times weights there, (M + 1, T', Q)."""
    k, trials, parts = np.full(places.t.size, float(places.k)), float(places.n - 1), []
    for rows, nodes in rank_nodes(places.t, k, trials):
        polynomials = krawtchouk(nodes.shift, trials, nodes.share[:, None], degree, from_zero=nodes.from_zero)
        signs = np.where(nodes.deep, (-1.0) ** np.arange(degree + 1)[:, None], 1.0)
        polynomials *= nodes.weights * signs[:, :, None]
        parts.append((rows, 1.0 + np.maximum(nodes.above, 0.0), polynomials))
    return parts
