"""The probability of each order of two scorers in lists with one relevant item.

The ranks of the relevant item by two scorers are independent, with known laws (`one_item`). The smaller rank
has the larger NDCG unless both are beyond the cutoff or the discount does not fall between them. With
``G_A(r) = P(rank by A <= r)``, the sums over ranks are

    P(a ahead) = sum_(r <= k) (G_A(r) - G_A(r - 1)) (1 - G_B(r)),

added one by one in short lists and at both ends of long ones. Between, G_A and G_B are polynomials on panels
of log r and log(n - r), halved until they are resolved, and

    P(a ahead) + P(tie)/2 = int (1 - G_B) dG_A,      P(tie) = int G_A' G_B' dr,

with the next term of the formula of Euler and Maclaurin, whose size is the stated error.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.core.errors import InputError, require_available
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.asymptotics import ConstantDecay
from ndcg_asymptotics.measures.discounts import Custom
from ndcg_asymptotics.populations import FixedCounts, Scorer
from ndcg_asymptotics.populations.roc import RocModel
from ndcg_asymptotics.populations.roc_custom import roc_curve
from ndcg_asymptotics.theory.fluctuations.enumeration import OrderChances
from ndcg_asymptotics.theory.fluctuations.one_item import rank_law, rank_law_from
from ndcg_asymptotics.theory.rules.quadrature import rule
from ndcg_asymptotics.theory.rules.ranks import ONE_BY_ONE

_SHORT = 512  # items up to which ranks are added one by one
_ENDS = 128  # ranks at each end of a longer list that are
_DEGREE = 16  # of a polynomial
_WIDTH = 2.0  # of the first panels, in the logarithm of the number of items on the nearer side
_RESOLVED = 1e-13  # highest coefficients of a resolved panel
_NOISE = 10.0  # times the error of the values
_HALVINGS = 45  # a law turns within the root of a rank

_Part = tuple[Floats, float]

_POINTS = np.cos(np.pi * np.arange(_DEGREE, -1, -1) / _DEGREE)
_FIT = np.linalg.inv(chebyshev.chebvander(_POINTS, _DEGREE)).T
_X, _W = rule(2 * _DEGREE)
_BASES = [
    chebyshev.chebvander(_X, _DEGREE - order) @ chebyshev.chebder(np.eye(_DEGREE + 1), order)
    for order in range(3)
]


class OneItemOrder(NamedTuple):
    """The probabilities of the orders of two scorers, and a bound of the error of each."""

    order: OrderChances
    error: float


def order_of_one_item(a: Scorer, b: Scorer, measure: Measure, n: int) -> OneItemOrder:
    """Return the probability that each scorer has the larger NDCG_n, and that of a tie.

    Parameters
    ----------
    a, b : Scorer
        With one relevant item in every list (`one_item`), independent given the label.
    measure : Measure
    n : int
        Up to 9e18.

    Raises
    ------
    NotAvailableError
        For a user's discount of more than 4096 ranks, which are not known to have different discounts.

    >>> near, chance = (Scorer.parse(f"relevant(1, {curve})") for curve in ("roc_power(0.5)", "random"))
    >>> (more, less, tie), error = order_of_one_item(near, chance, Measure.of("nDCG@1"), 2)
    >>> round(more, 12), round(less, 12), round(tie, 12)  # P(rank 1) is 2/3 and 1/2
    (0.333333333333, 0.166666666667, 0.5)
    >>> (more, less, tie), error = order_of_one_item(near, chance, Measure.of("nDCG"), 10**18)
    >>> abs(more - 2 / 3) < 1e-9, tie < 1e-8, error < 1e-9
    (True, True, True)
    """
    assert isinstance(a, FixedCounts)
    assert isinstance(b, FixedCounts)
    parts = _parts(_as_roc(a), _as_roc(b), measure, n)
    total, error = np.sum([chances for chances, _ in parts], axis=0), sum(bound for _, bound in parts)
    return OneItemOrder(OrderChances(*np.clip(total, 0.0, 1.0).tolist()), error)


def _parts(a: FixedCounts, b: FixedCounts, measure: Measure, n: int) -> list[_Part]:
    """Return contributions to P(a ahead), P(b ahead) and P(tie), and bounds of their errors."""
    k, discount = min(measure.cutoff(n), n), measure.discount
    if isinstance(discount.asymptotics, ConstantDecay) and not isinstance(discount, Custom):
        return [_one_by_one(a, b, n, np.array([0, k])), _beyond(a, b, n, k)]
    ranks = np.arange(1, min(k, ONE_BY_ONE) + 1)
    values = np.asarray(discount(ranks, float(n)))
    if not isinstance(discount, Custom):
        return _falling(a, b, n, k, int(np.count_nonzero(values == values[0])) if values[0] > 0 else 1)
    known = k <= ONE_BY_ONE
    require_available(known, f"which of {k:,} ranks {discount} tells apart is not known")
    # without a discount as beyond the cutoff
    ranks, values = ranks[values > 0], values[values > 0]
    levels = np.append(0, ranks[np.append(values[1:] < values[:-1], True)])
    return [_one_by_one(a, b, n, levels), _beyond(a, b, n, int(levels[-1]))]


@shared
def _falling(a: FixedCounts, b: FixedCounts, n: int, k: int, level: int) -> list[_Part]:
    """Return the parts under a discount that falls at every rank after the first ``level``, up to k."""
    if k <= _SHORT:
        return [_one_by_one(a, b, n, np.append(0, np.arange(level, k + 1))), _beyond(a, b, n, k)]
    first = min(max(level, _ENDS), k)
    middle, end = max(min(k, n // 2), first), max(min(k, n - _ENDS), first)
    return [
        _one_by_one(a, b, n, np.append(0, np.arange(level, first + 1))),
        _panels(a, b, n, float(first), float(middle), deep=False),
        _panels(a, b, n, float(n - end), float(n - middle), deep=True),
        _one_by_one(a, b, n, np.arange(end, k + 1)),
        _beyond(a, b, n, k),
    ]


@shared
def _as_roc(model: FixedCounts) -> FixedCounts:
    """Return the model on the scale of irrelevant items, where laws of ranks take a tenth of the time."""
    if isinstance(model.source, RocModel):
        return model
    (own,) = (law for law, items in zip(model.laws, model.counts, strict=False) if items)
    irrelevant = model.laws[-1]
    try:
        curve = roc_curve(lambda v: own.cdf(irrelevant.quantile(v)), name=f"that of {model.source}")
    except InputError:  # relevant items where no irrelevant ones are
        return model
    return FixedCounts((1,), curve)


def _law(model: FixedCounts, n: int, ranks: np.ndarray) -> tuple[Floats, float]:
    value, error = rank_law(model, n, ranks)
    return value, float(error.max(initial=0.0))


def _one_by_one(a: FixedCounts, b: FixedCounts, n: int, levels: np.ndarray) -> tuple[Floats, float]:
    if levels.size < 2:
        return np.zeros(3), 0.0
    (G, error_a), (H, error_b) = (_law(model, n, levels) for model in (a, b))
    p, q = np.diff(G), np.diff(H)
    found = np.array([p @ (1 - H[1:]), q @ (1 - G[1:]), p @ q])
    # by summation by parts, as G and H increase from 0 to 1 at most
    return found, 2 * (error_a + error_b)


def _beyond(a: FixedCounts, b: FixedCounts, n: int, last: int) -> tuple[Floats, float]:
    """Return the part of lists in which neither scorer has the item at a rank that counts."""
    (G, error_a), (H, error_b) = (_law(model, n, np.array([last])) for model in (a, b))
    return np.array([0.0, 0.0, float((1 - G[0]) * (1 - H[0]))]), error_a + error_b


def _panels(
    a: FixedCounts, b: FixedCounts, n: int, low: float, high: float, deep: bool
) -> tuple[Floats, float]:
    """Return the part of ranks r with low < r <= high; where ``deep`` n - high < r <= n - low."""
    if high <= low:
        return np.zeros(3), 0.0
    edges = np.linspace(math.log(low), math.log(high), math.ceil(math.log(high / low) / _WIDTH) + 1)
    breaks = np.concatenate([model.laws[-1].cdf(np.array(model.breaks)) for model in (a, b)])
    sides = n * (1 - breaks if deep else breaks)
    edges = np.union1d(edges, np.log(sides[(sides > low) & (sides < high)]))
    left, right = edges[:-1], edges[1:]
    found, error = np.zeros(3), 0.0
    for halved in range(_HALVINGS + 1):
        x = (left + right)[:, None] / 2 + (right - left)[:, None] / 2 * _POINTS
        laws = [rank_law_from(model, n, np.exp(x).ravel(), deep) for model in (a, b)]
        series = [value.reshape(x.shape) @ _FIT for value, _ in laws]
        noise = max(float(bound.max(initial=0.0)) for _, bound in laws)
        left_out = np.max([np.abs(one[:, -2:]).max(axis=1) for one in series], axis=0)
        done = (left_out <= _RESOLVED + _NOISE * noise) | (halved == _HALVINGS)
        chances, bound = _integrals(series[0][done], series[1][done], left[done], right[done], deep)
        found += chances
        # the error of the values counts once, as G and H increase from 0 to 1
        error = max(error, 2 * noise) + bound + 2 * float(left_out[done].sum())
        if done.all():
            break
        middle = (left + right)[~done] / 2
        left, right = np.append(left[~done], middle), np.append(middle, right[~done])
    return found, error


def _integrals(
    first: Floats, second: Floats, left: Floats, right: Floats, deep: bool
) -> tuple[Floats, float]:
    """Return the integrals over panels of log r, or log(n - r), of two laws given by Chebyshev series."""
    half = (right - left)[:, None] / 2
    dx = half * _W
    side = np.exp((left + right)[:, None] / 2 + half * _X)
    sign = -1.0 if deep else 1.0
    (G, g, g2), (H, h, h2) = (
        [sign**order * (one @ _BASES[order].T) / half**order for order in range(3)] for one in (first, second)
    )
    # by d/dr = (1/side) d/dx, in deep lists with the sign that is in g and h already
    g_curved, h_curved = ((second - sign * slope) / side for second, slope in ((g2, g), (h2, h)))
    tie = float((g * h / side * dx).sum()) - float((g_curved * h_curved / side * dx).sum()) / 12
    turn = float(((h * g_curved - g * h_curved) / side * dx).sum()) / 12
    sums = [
        float(((1 - other) * slope * dx).sum()) - tie / 2 + bent
        for other, slope, bent in ((H, g, turn), (G, h, -turn))
    ]
    next_term = np.abs(h * g_curved) + np.abs(g * h_curved) + np.abs(g_curved * h_curved)
    return np.array([*sums, tie]), float((next_term / side * dx).sum()) / 12
