"""Mean DCG given the label counts of a list with a cutoff k, at depths around the item at rank k.

The number A of items above one at depth t is a sum of independent binomials ``Bin(c_i, G_i(t))``, so that
E[D(1 + A); A < k] is a sum over few frequencies (`rules.rank_window`), whose terms are products over grades.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.core.arrays import Complex, Floats
from ndcg_asymptotics.measures import Discount
from ndcg_asymptotics.theory.rules.counts import around_rank, reach
from ndcg_asymptotics.theory.rules.mesh import CurveDepths, Mesh, depths_at
from ndcg_asymptotics.theory.rules.rank_window import RankWindow

_PANEL = 4.0  # width of a panel, in standard deviations of the rank
_SERIES = 0.05  # frequencies below which the logarithm of a characteristic function is a series of cumulants
_RINGING = 15.0  # variance of A below which counts between whole numbers show as ringing
_WHOLE = 1e-9  # distance from a whole number that is rounding
_CHUNK = 1_000_000  # complex numbers held at a time
_SHARPEST = 3.0  # sharper laws would need too many nodes; the stated error includes what these leave out


@dataclass(frozen=True)
class CutoffWindow:
    """The depths at which an item of a list of n may have a rank on either side of the cutoff k.

    Attributes
    ----------
    start, stop : float
        An item above depth ``start`` is within the cutoff, one below ``stop`` is not.
    low, high : int
        The least and the largest number of items above an item between them.
    """

    k: int
    n: int
    start: float
    stop: float
    low: int
    high: int

    @classmethod
    def of(cls, mesh: Mesh, k: int, n: int, counts: Floats) -> CutoffWindow:
        """Return the crossing for the label counts (C, J + 1) of lists of n items."""
        near = mesh.between(np.array([0.5, 1.0]) * min((k + 10 * k**0.5 + 14) / n, 1.0))
        moved = float(np.abs((counts - n * mesh.law) @ near.above).max())  # of the mean of A, by the counts
        others = max(n - 1, 1)
        first, last = around_rank(float(k), float(others))
        first, last = max(first - moved, 0.0), min(last + moved, float(others))
        less, more = (reach(math.sqrt(mean * (1 - mean / others))) + moved for mean in (first, last))
        low, high = math.floor(first - less) - 1, math.ceil(last + more) + 1
        return cls(k, n, first / others, last / others, max(low, 0), min(high, n - 1))

    def panels(self, sharpness: float) -> Floats:
        """Return the edges of panels on which the law of A changes smoothly."""
        edges = [self.start]
        while edges[-1] < self.stop:
            t = edges[-1]
            deviation = math.sqrt(t * (1 - t) / self.n) / math.hypot(1.0, sharpness) + 1 / self.n
            edges.append(min(t + _PANEL * deviation, self.stop))
        return np.array(edges)


def mean_at_cutoff(
    discount: Discount, mesh: Mesh, crossing: CutoffWindow, counts: Floats, grade: int
) -> Floats:
    """Return ``int g_j E[D(1 + A); A < k | c, t] dt`` over the depths of the crossing: (C,).

    ``counts`` (C, J + 1) are those of the other n - 1 items.
    """
    inside = mesh.edges[(mesh.edges > crossing.start) & (mesh.edges < crossing.stop)]
    # there is no item above the mesh
    panels = crossing.panels(_sharpness(mesh, crossing.k, crossing.n))
    depths = mesh.between(np.union1d(np.maximum(panels, mesh.edges[0]), inside))
    law = (crossing.n - 1) * mesh.law
    window = RankWindow.holding(crossing.low, crossing.high)
    variance = float(np.min(counts.min(axis=0) @ (depths.above * (1 - depths.above))))
    frequencies = window.frequencies(variance)
    weights = window.weights(discount, crossing.n, crossing.k, frequencies.size)
    moved = (counts - law)[:, :-1]
    total = np.zeros(len(counts))
    step = max(1, _CHUNK // (len(counts) * frequencies.size))
    for i in range(0, depths.t.size, step):
        part = depths[i : i + step]
        mean = _mean_discount(part, law, moved, crossing.low, frequencies, weights)
        _silence(mean, crossing, part, counts)
        total += mean.T @ (part.value[grade] * part.dt)
    return np.asarray(total / mesh.law[grade])


def _sharpness(mesh: Mesh, k: int, n: int) -> float:
    """Return the standard deviation of the mean rank given the counts, over that about it, at depth k/n."""
    above = depths_at(mesh.relevance, mesh.law, np.array([k / n]), np.ones(1)).above[:, 0]
    by_counts = float(mesh.law @ above**2 - (mesh.law @ above) ** 2)
    left = float(mesh.law @ (above * (1 - above)))
    return math.sqrt(max(by_counts, 0.0) / max(left, by_counts / _SHARPEST**2, 1e-300))


def _mean_discount(
    depths: CurveDepths, law: Floats, moved: Floats, origin: int, frequencies: Floats, weights: Complex
) -> Floats:
    """Return E[D(1 + A); A < k] at each depth for counts ``moved`` (C, J) away from their means, (T, C)."""
    base, change = _logs(depths, law, origin, frequencies)
    with np.errstate(divide="ignore"):
        base = base + np.log(np.abs(weights)) + 1j * np.angle(weights)
    # this takes half the time of a complex exponential, whose imaginary part is not needed
    size = np.exp(base.real[:, None] + np.matmul(moved, change.real))
    size *= np.cos(base.imag[:, None] + np.matmul(moved, change.imag))
    return np.asarray(size.sum(axis=2))


def _logs(depths: CurveDepths, law: Floats, origin: int, frequencies: Floats) -> tuple[Complex, Complex]:
    """Return log E exp(iwA) for mean counts (T, F), and its change by an item of a grade (T, J, F)."""
    g = depths.above.T[:, :, None]  # (T, J + 1, 1)
    log_of_one = _log_characteristic(g, frequencies)  # its mean taken out: (T, J + 1, F)
    mean = depths.above.T @ law - origin
    base = np.tensordot(log_of_one, law, axes=(1, 0)) + 1j * np.outer(mean, frequencies)
    # an item more of a grade is an item less without gain
    change = log_of_one[:, :-1] - log_of_one[:, -1:] + 1j * (g[:, :-1] - g[:, -1:]) * frequencies
    return base, change


def _silence(mean: Floats, crossing: CutoffWindow, depths: CurveDepths, counts: Floats) -> None:
    """Set means to 0 where the probability of A < k is below the error of the sum over frequencies.

    Where nearly all items of a grade lie above and their count is not a whole number, that sum rings with an
    amplitude of about ``exp(-2 variance)``.
    """
    g = depths.above
    variance = np.maximum((g * (1 - g)).T @ counts.T, 1e-300)
    crowd = (g > 0.5).T @ counts.T
    rings = (np.abs(crowd - crowd.round()) > _WHOLE) & (variance < _RINGING)
    if rings.any():
        fewer = np.maximum(g.T @ counts.T - crossing.k + 1, 1e-300)
        ratio = fewer / variance
        # Bennett's bound of P(A < k)
        chance = -variance * ((1 + ratio) * np.log1p(ratio) - ratio)
        mean[rings & (fewer > 1) & (chance < -2 * variance - np.log(math.pi * fewer))] = 0.0


def _log_characteristic(g: Floats, w: Floats) -> Complex:
    """Return ``log(1 + g (exp(i w) - 1)) - i w g`` without cancellation."""
    if w[-1] > _SERIES:
        # |1 + g (exp(i w) - 1)|^2 - 1 = 2 g (1 - g) (cos w - 1); numpy's complex log1p loses small numbers
        chord = -2.0 * np.sin(w / 2) ** 2
        real = np.log1p(2.0 * g * (1.0 - g) * chord) / 2
        return np.asarray(real + 1j * (np.arctan2(g * np.sin(w), 1.0 + g * chord) - w * g))
    v, u = g * (1 - g), 1 - 2 * g
    cumulants = [
        v,
        v * u,
        v * (1 - 6 * v),
        v * u * (1 - 12 * v),
        v * (1 - 30 * v + 120 * v**2),
        v * u * (1 - 60 * v + 360 * v**2),
        v * (1 - 126 * v + 1680 * v**2 - 5040 * v**3),
    ]
    return np.asarray(sum(c * (1j * w) ** m / math.factorial(m) for m, c in enumerate(cumulants, 2)))
