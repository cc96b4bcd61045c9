"""Pairs of which the leading terms are equal: Theorems D, E and G of docs/theorems.md.

Such pairs are built: the second curve is a random one, moved by the least change that makes equal the
integrals which the theorem wants equal.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
from scipy import integrate, special

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.orders import ErrorExponent, error_exponent, level_tilt
from robustness.statements import Pair, Rng, Try, nearer, ratios_of, statement, untested

# int_0^t u^j w(u) du of a weight w, as a function of t and j
Primitive = Callable[[float, int], float]


def power(b: float) -> Primitive:
    """The weight u^-b."""
    return lambda t, j: t ** (j + 1 - b) / (j + 1 - b)


def log_power(i: int) -> Primitive:
    """The weight (-log u)^i, with u = e^-w a gamma function."""

    def primitive(t: float, j: int) -> float:
        depth = -math.log(t) if t else math.inf
        return float(special.gammaincc(i + 1, (j + 1) * depth) * special.gamma(i + 1) / (j + 1) ** (i + 1))

    return primitive


def moments(depths: np.ndarray, weight: Primitive, end: float) -> np.ndarray:
    """Return the integrals over (0, end) of the weight times each hat function of the depths."""
    found = np.zeros(depths.size)
    for i, (left, right) in enumerate(itertools.pairwise(depths.tolist())):
        if left < end:
            whole, moment = (weight(right, j) - weight(left, j) for j in (0, 1))
            rising = (moment - left * whole) / (right - left)
            found[i : i + 2] += whole - rising, rising
    return found


def level_pair(
    rng: Rng, weights: list[Primitive], end: float, tops: tuple[list[float], list[float]] | None, grades: int
) -> Pair:
    """Return two curves with equal label laws and equal integrals of the mean gain times each weight to end.

    ``tops`` are the chances of the grades at depth 0, the best grade first; None leaves them to chance.
    """
    inner = [end * 10 ** rng.uniform(-4, -1.5), *(end * rng.uniform(0.05, 0.95, 3))]
    depths = np.unique([0.0, *inner, end, end + (1 - end) * rng.uniform(0.2, 0.8), 1.0])
    gains = np.arange(grades, 0, -1.0)
    equations = np.vstack(
        [np.kron(np.eye(grades), moments(depths, power(0.0), 1.0))]
        + [np.kron(gains, moments(depths, weight, end)) for weight in weights]
    )
    free = np.ones((grades, depths.size), bool)
    free[:, 0] = tops is None
    correction = np.linalg.pinv(equations[:, free.ravel()])
    for _ in range(4000):
        a, b = (rng.dirichlet(np.ones(grades + 1), depths.size).T[:-1] for _ in range(2))
        if tops is not None:
            a[:, 0], b[:, 0] = tops
        b[free] -= correction @ (equations @ (b - a).ravel())
        if (b >= 0).all() and (b.sum(axis=0) <= 1).all() and np.abs(a - b)[:, 1:].max() > 0.05:
            return _text(depths, a), _text(depths, b)
    raise InputError("no such pair was found")


def _text(depths: np.ndarray, chances: np.ndarray) -> str:
    curves = [
        f"piecewise({', '.join(f'{t:.17g}={y:.17g}' for t, y in zip(depths, row, strict=True))})"
        for row in chances
    ]
    return curves[0] if len(curves) == 1 else f"graded(2={curves[0]}, 1={curves[1]})"


def _exponent(texts: Pair, measure: str) -> ErrorExponent:
    a, b = map(Relevance.parse, texts)
    return error_exponent(a, b, Measure.parse(measure))


def _costs(texts: Pair, measure: str, sizes: list[int]) -> np.ndarray:
    a, b = map(Relevance.parse, texts)
    return np.array([level_tilt(a, b, Measure.parse(measure), n).cost for n in sizes])


def _moment(texts: Pair, i: int, end: float) -> float:
    """Return the integral over (0, end) of the difference of the mean gains times (-log t)^i."""
    t = np.geomspace(1e-12, end, 40001)
    first, second = (Relevance.parse(text).mean_gain(t) for text in texts)
    return float(integrate.trapezoid((first - second) * (-np.log(t)) ** i, t))


@statement(wrong=1.0, share=0.5)
def equal_leading_terms(rng: Rng) -> Try:
    """Log discount: -log P(wrong) is n over (log n)^(2e), up to log log n (Theorem D).

    The power is that of the cost of the tilted law. For e = 2 this is also the cost of a normal law with
    exact means and standard deviations.
    """
    whole, more = bool(rng.random() < 0.5), int(rng.random() < 0.1)  # standard deviations take long
    share = 1.0 if whole else float(rng.uniform(0.2, 0.7))
    # with equal label laws the moment of order 0 vanishes over the whole list by itself
    order = 2 + more if whole else 1 + more
    e = order - whole
    vanish = [log_power(i) for i in range(int(whole), order)]
    tops = [None, ([1.0], [1.0]), ([0.0], [1.0])][int(rng.choice(3, p=[0.7, 0.15, 0.15]))]
    texts = level_pair(rng, vanish, share, tops, 1)
    measure = "nDCG" if whole else f"nDCG@{share!r}n"
    stated = _exponent(texts, measure)
    if not stated.reason.endswith(f"n/(log n)^{2 * e}"):
        return Try(lambda _: False, (texts, measure, e, stated))
    sizes = [10**10, 10**14, 10**18]
    leading, *others = (abs(_moment(texts, i, share)) for i in range(order, order + 3))
    first = math.log(sizes[0])
    if others[0] / first + others[1] / first**2 > 0.5 * leading:
        return untested("the terms after the leading one still count")
    costs = _costs(texts, measure, sizes)
    slopes = np.diff(np.log(costs / sizes)) / np.diff(np.log(np.log(sizes)))
    normal = not more or bool(np.abs(2 * costs / ratios_of(texts, measure, sizes) ** 2 - 1).max() < 0.02)
    return Try(
        lambda wrong: normal and nearer(slopes, -2 * (e + wrong), 0.7, step=0.1), (texts, measure, e, slopes)
    )


@statement(wrong=1.0, share=0.5)
def equal_limits(rng: Rng) -> Try:
    """r^-b, equal limits, a random top label or equal tops or b < 1/2: the order never settles (E (a)).

    For b > 1/2 the mean over the standard deviation tends to |zeta(b) dq| / (zeta(2b) v)^(1/2) (T2), for
    b < 1/2 and for equal certain tops to 0.
    """
    b, share = float(rng.choice([0.2, 0.4, 0.6, 0.7, 0.8, 0.9])), float(rng.choice([1.0, 0.5]))
    grades = 1 + int(rng.random() < 0.2)  # standard deviations of several grades take seconds
    kinds = [None, ([1.0], [1.0]), ([0.0], [0.0])] + ([([1.0], [0.0])] if b < 0.5 else [])
    tops = kinds[int(rng.integers(len(kinds)))] if grades == 1 and rng.random() < 0.5 else None
    texts = level_pair(rng, [power(b)], share, tops, grades)
    measure = f"nDCG(power({b!r}))" + (f"@{share!r}n" if share < 1 else "")
    end = _exponent(texts, measure)
    if end.exponent != 0 or end.settles is not False:
        return Try(lambda _: False, (texts, measure, end))
    ratios = ratios_of(texts, measure, [10**6, 10**12])
    laws = [Relevance.parse(text).label_law(0.0) for text in texts]
    means = [float(gains @ chances) for gains, chances in laws]
    v = sum(float(gains**2 @ chances) - mean**2 for (gains, chances), mean in zip(laws, means, strict=True))
    stated = 0.0
    if b > 0.5 and v > 1e-9:
        stated = abs(float(special.zeta(b)) * (means[0] - means[1])) / math.sqrt(special.zeta(2 * b) * v)
    return Try(
        lambda wrong: nearer(ratios, stated + wrong, 0.02, step=0.01), (texts, measure, ratios, stated)
    )


# chances of the grades at the top of A and of B, and whether a few labels near the top help A
CERTAIN_TOPS = (
    (([1.0], [0.0]), False),
    (([1.0, 0.0], [0.0, 0.0]), False),
    (([0.0, 1.0], [0.0, 0.0]), True),
    (([1.0, 0.0], [0.0, 1.0]), True),
)


@statement(wrong=1.0, share=0.5, tries=6)
def certain_tops(rng: Rng) -> Try:
    """r^-b, b > 1/2, equal limits, certain tops that differ: n^(2b - 1), or log n at most (E (b), (c))."""
    b, share = float(rng.choice([0.6, 0.7, 0.8])), float(rng.choice([1.0, 0.5]))
    tops, helped = CERTAIN_TOPS[int(rng.integers(len(CERTAIN_TOPS)))]
    texts = level_pair(rng, [power(b)], share, tops, len(tops[0]))
    measure = f"nDCG(power({b!r}))" + (f"@{share!r}n" if share < 1 else "")
    end = _exponent(texts, measure)
    if end.settles is not True or abs((end.exponent or 0.0) - (0 if helped else 2 * b - 1)) > 1e-9:
        return Try(lambda _: False, (texts, measure, end))
    costs = _costs(texts, measure, [10**8, 10**12, 10**16])
    # where n^(2b - 1) is small, few labels near the top are not the cheaper way yet
    if costs[-1] < (200 if helped and b == 0.6 else 5):
        return untested("the wrong order is still too likely")
    slopes = np.diff(np.log(costs)) / math.log(10**4)

    def agrees(wrong: float) -> bool:
        if helped != bool(wrong):
            return bool(slopes[1] < 2 * b - 1 - 0.05)
        return nearer(slopes, 2 * b - 1, 0.05, step=0.02)

    return Try(agrees, (texts, measure, costs, slopes))


@statement(wrong=0.1, share=0.8)
def equal_tops(rng: Rng) -> Try:
    """Theorem G, equal random tops: the cost over equation (18) of docs/theorems.md tends to 1."""
    discount, b, a = [
        ("constant", 0.0, 0.8),
        ("log", 0.0, 0.8),
        ("power(0.25)", 0.25, 0.8),
        ("power(0.6)", 0.6, 0.9),
        ("power(0.7)", 0.7, 0.95),
    ][int(rng.integers(5))]
    q, last = float(rng.uniform(0.2, 0.8)), -1.0
    while not 0 <= last <= 1:  # the same mean for both
        one, other, end = rng.uniform(0.05, 0.95, 3).tolist()
        last = end + 2 * (one - other) if abs(one - other) >= 0.1 else -1.0
    texts = f"piecewise(0={q!r}, 0.5={one!r}, 1={end!r})", f"piecewise(0={q!r}, 0.5={other!r}, 1={last!r})"
    measure, sizes = f"nDCG({discount})@n^{a}", [10**10, 10**18]
    costs = _costs(texts, measure, sizes)

    def agrees(wrong: float) -> bool:
        ratios = costs / [_equation_18(q, 2 * abs(one - other), b, a + wrong, n) for n in sizes]
        return nearer(ratios, 1.0, 0.06, step=0.02)  # the log discount comes near to b = 0 like 1/log n

    return Try(agrees, (texts, measure, costs))


def _equation_18(q: float, slope: float, b: float, a: float, n: int) -> float:
    """Equation (18) of docs/theorems.md for binary labels with the chance q at both tops."""
    mean = slope * float(n) ** ((2 - b) * a - 1) / (2 - b)
    if b < 0.5:
        return float(mean**2 * (1 - 2 * b) / (4 * q * (1 - q) * float(n) ** (a * (1 - 2 * b))))

    def both(log_x: float) -> float:
        x = math.exp(log_x)
        sides = [np.logaddexp(math.log(q) + s * x * (1 - q), math.log1p(-q) - s * x * q) for s in (1, -1)]
        return float((q * (1 - q) * x * x if x < 1e-3 else sum(sides)) * x ** (-1 / b) / b)

    whole = sum(integrate.quad(both, low, low + 2)[0] for low in range(-60, 60, 2))
    return float((1 - b) * (b / whole) ** (b / (1 - b)) * mean ** (1 / (1 - b)))
