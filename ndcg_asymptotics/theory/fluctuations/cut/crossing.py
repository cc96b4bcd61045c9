"""Mean DCG given the label counts of a list with a cutoff k, at depths around the item at rank k.

The characteristic function of A, a sum of independent binomials ``Bin(c_i, G_i(t))``, is a product, and
on a window of N ranks that holds the law the sum over ranks is one over N frequencies::

    E[D(1 + A); A < k] = 1/N sum_f  E[exp(i w_f A)]  sum_{a < k} D(1 + a) exp(-i w_f a),   w_f = 2 pi f / N.

The inner sum does not depend on t or c. The product falls off like a Gaussian, so that some forty
frequencies are enough whatever the length of the list.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.measures import Discount
from ndcg_asymptotics.theory.rules.mesh import Depths, Mesh, depths_at
from ndcg_asymptotics.theory.rules.quadrature import on_panels

# laws of ranks are cut off this many standard deviations plus ranks from the mean, which leaves 1e-15
_DEVIATIONS, _FURTHER = 8.0, 14.0
_PANEL = 4.0  # width of a panel, in standard deviations of the rank
_SUMMED = 2**17  # ranks of a window up to which they are summed one by one; beyond it is an integral
_NODES, _PANELS = 16, 24  # of that integral
_SERIES = 0.05  # frequencies below which the logarithm of a characteristic function is a series of cumulants
_RINGING = 15.0  # variance of A below which counts between whole numbers show as ringing
_WHOLE = 1e-9  # distance from a whole number that is rounding
_BISECTED = 1e-3  # ranks; windows have some to spare
_CHUNK = 1_000_000  # complex numbers held at a time
_SHARPEST = 3.0  # sharper laws would need too many nodes; the stated error includes what these leave out

Complex = np.ndarray[tuple[int, ...], np.dtype[np.complex128]]


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

        def reach(mean: float) -> float:
            return _DEVIATIONS * math.sqrt(mean * (1 - mean / others)) + _FURTHER + moved

        first = _bisect(lambda mean: mean + reach(mean) < k, 0.0, float(others))
        last = _bisect(lambda mean: mean - reach(mean) < k, 0.0, float(others))
        low, high = math.floor(first - reach(first)) - 1, math.ceil(last + reach(last)) + 1
        return cls(k, n, first / others, last / others, max(low, 0), min(high, n - 1))

    def panels(self, sharpness: float) -> Floats:
        """Return the edges of panels on which the law of A changes smoothly."""
        edges = [self.start]
        while edges[-1] < self.stop:
            t = edges[-1]
            deviation = math.sqrt(t * (1 - t) / self.n) / math.hypot(1.0, sharpness) + 1 / self.n
            edges.append(min(t + _PANEL * deviation, self.stop))
        return np.array(edges)


def _bisect(below: Callable[[float], bool], low: float, high: float) -> float:
    """Return where a condition that holds at first ends; ``low`` or ``high`` if it ends nowhere between."""
    if not below(low) or below(high):
        return high if below(high) else low
    while high - low > _BISECTED and low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if below(middle) else (low, middle)
    return low


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
    frequencies, weights, origin = _frequencies(discount, crossing, depths, counts)
    moved = (counts - law)[:, :-1]
    total = np.zeros(len(counts))
    # products are quicker where the counts of a single grade are whole numbers
    steps = np.diff(counts[:, 0])
    lattice = len(counts) > 1 and moved.shape[1] == 1 and bool((steps == steps.round()).all())
    mean_discount = _mean_discount_on_lattice if lattice else _mean_discount
    step = max(1, _CHUNK // ((1 if lattice else len(counts)) * frequencies.size))
    for i in range(0, depths.t.size, step):
        part = depths[i : i + step]
        mean = mean_discount(part, law, moved, origin, frequencies, weights)
        _silence(mean, crossing, part, counts)
        total += mean.T @ (part.value[grade] * part.dt)
    return np.asarray(total / mesh.law[grade])


def _sharpness(mesh: Mesh, k: int, n: int) -> float:
    """Return the standard deviation of the mean rank given the counts, over that about it, at depth k/n."""
    above = depths_at(mesh.relevance, mesh.law, np.array([k / n]), np.ones(1)).above[:, 0]
    by_counts = float(mesh.law @ above**2 - (mesh.law @ above) ** 2)
    left = float(mesh.law @ (above * (1 - above)))
    return math.sqrt(max(by_counts, 0.0) / max(left, by_counts / _SHARPEST**2, 1e-300))


def _frequencies(
    discount: Discount, crossing: CutoffWindow, depths: Depths, counts: Floats
) -> tuple[Floats, Complex, float]:
    """Return frequencies, sums of the discount at them (divided by N), and the origin of A.

    Frequencies are not negative.
    """
    window = max(crossing.high - crossing.low + 1, 16)
    if window <= _SUMMED:
        from scipy.fft import next_fast_len  # here: it takes long to load

        window = next_fast_len(window, real=True)
    g = depths.above
    # |E exp(i w A)| <= exp(-2 variance sin^2(w / 2))
    variance = float(np.min(counts.min(axis=0) @ (g * (1 - g))))
    highest = 2 * math.asin(min(_DEVIATIONS / 2 / math.sqrt(max(variance, 1e-9)), 1.0))
    number = min(window // 2, math.ceil(highest * window / (2 * math.pi)) + 1) + 1
    frequencies = 2 * math.pi * np.arange(number) / window
    origin = crossing.k - 0.5
    reach = crossing.k - crossing.low  # ranks of the window above the cutoff
    if crossing.high - crossing.low < _SUMMED:
        ranks = np.arange(crossing.low, crossing.k, dtype=np.float64)
        sums = _sums(discount(1.0 + ranks, float(crossing.n)), window, number)
        sums = sums * np.exp(1j * frequencies * (origin - crossing.low))
    else:
        sums = _integrals(discount, crossing, frequencies, reach)
    weights = 2 * sums / window
    weights[0] /= 2
    if 2 * (number - 1) == window:
        weights[-1] /= 2
    return frequencies, weights, origin


def _sums(values: Floats, window: int, number: int) -> Complex:
    """Return sum_a values[a] exp(-i w_f a)."""
    return np.asarray(np.fft.rfft(values, window)[:number])


def _integrals(discount: Discount, crossing: CutoffWindow, frequencies: Floats, reach: int) -> Complex:
    """Return the sum over ``reach`` ranks above the cutoff by the midpoint rule read backwards.

    ``sum_{b = 1/2, 3/2, …} f(b) = int_0 f + f'(0)/24 - …``; at the far end the law has vanished.
    """
    edges = np.linspace(0.0, float(reach), _PANELS + 1)
    b, w = (x.ravel() for x in on_panels(edges[:-1], edges[1:], _NODES))
    last = float(crossing.k)  # the rank at b = 1/2 is k
    values = discount(last + 0.5 - b, float(crossing.n))
    near = discount(np.array([last, last - 1.0]), float(crossing.n))
    slope = float(near[1] - near[0]) + 1j * frequencies * float(near.mean())  # d/db of D exp(i w b) at 0
    return np.asarray(np.exp(1j * np.outer(frequencies, b)) @ (w * values) + slope / 24)


def _mean_discount(
    depths: Depths, law: Floats, moved: Floats, origin: float, frequencies: Floats, weights: Complex
) -> Floats:
    """Return E[D(1 + A); A < k] at each depth for counts ``moved`` (C, J) away from their means, (T, C)."""
    base, change = _logs(depths, law, origin, frequencies)
    with np.errstate(divide="ignore"):
        base = base + np.log(np.abs(weights)) + 1j * np.angle(weights)
    # this takes half the time of a complex exponential, whose imaginary part is not needed
    size = np.exp(base.real[:, None] + np.matmul(moved, change.real))
    size *= np.cos(base.imag[:, None] + np.matmul(moved, change.imag))
    return np.asarray(size.sum(axis=2))


def _mean_discount_on_lattice(
    depths: Depths, law: Floats, moved: Floats, origin: float, frequencies: Floats, weights: Complex
) -> Floats:
    """Return `_mean_discount` for counts (C, 1) that are whole numbers apart."""
    base, change = _logs(depths, law, origin, frequencies)
    order = np.argsort(moved[:, 0])
    start, gaps = moved[order[0], 0], np.diff(moved[order, 0]).round()
    term = weights * np.exp(base + start * change[:, 0])
    ratio = np.exp(change[:, 0])
    mean = np.empty((len(base), len(moved)))
    mean[:, order[0]] = term.real.sum(axis=1)
    for row, gap in zip(order[1:], gaps, strict=True):
        term *= ratio if gap == 1 else np.exp(gap * change[:, 0])
        mean[:, row] = term.real.sum(axis=1)
    return mean


def _logs(depths: Depths, law: Floats, origin: float, frequencies: Floats) -> tuple[Complex, Complex]:
    """Return log E exp(iwA) for mean counts (T, F), and its change by an item of a grade (T, J, F)."""
    g = depths.above.T[:, :, None]  # (T, J + 1, 1)
    log_of_one = _log_characteristic(g, frequencies)  # its mean taken out: (T, J + 1, F)
    mean = depths.above.T @ law - origin
    base = np.tensordot(log_of_one, law, axes=(1, 0)) + 1j * np.outer(mean, frequencies)
    # an item more of a grade is an item less without gain
    change = log_of_one[:, :-1] - log_of_one[:, -1:] + 1j * (g[:, :-1] - g[:, -1:]) * frequencies
    return base, change


def _silence(mean: Floats, crossing: CutoffWindow, depths: Depths, counts: Floats) -> None:
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
    cumulants = (
        v, v * u, v * (1 - 6 * v), v * u * (1 - 12 * v), v * (1 - 30 * v + 120 * v**2),
        v * u * (1 - 60 * v + 360 * v**2), v * (1 - 126 * v + 1680 * v**2 - 5040 * v**3),
    )  # fmt: skip
    return np.asarray(sum(c * (1j * w) ** m / math.factorial(m) for m, c in enumerate(cumulants, 2)))
