"""Values of a state against the list length: means, standard deviations and the order of the rankers.

Means and standard deviations are computed at a few list lengths (`NODES`), to about 1e-5 and 1e-3 of their
value, and `Smooth` joins them. While a slider moves, they are computed at fewer lengths first (`FIRST`), and
the curves of the last complete answer are moved there. The probability of the wrong order follows a law of
long lists (`OrderLaw`) where no drawn or enumerated lists know better.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.special import log_ndtr, ndtri_exp

from ndcg_asymptotics.analysis.orders.one_list import WrongOrder, draw_orders, drawable, wrong_order
from ndcg_asymptotics.analysis.orders.right_order import ahead, better_first
from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.explorer.state import LARGEST, NAMES, State
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.theory.fluctuations.effort import MeanAndDeviation
from ndcg_asymptotics.theory.fluctuations.regime import regime
from ndcg_asymptotics.theory.fluctuations.variance import quick_moments

NODES = (10, 30, 100, 1000, 10**4, 10**6, 10**9, 10**12, 10**18)
"""The list lengths at which means and standard deviations are computed."""
FIRST = (10, 100, 10**4, 10**9, 10**18)
"""Those of them at which a complete answer is moved, while a slider moves."""
LENGTHS = np.geomspace(10, 1e18, 145)
"""The list lengths at which they are drawn, beside those."""

_CHART_EFFORT, _CHART_ENOUGH = 0.05, 50  # the share of draws for the chart, and wrong orders that are enough
_LAST_RATE = 7.0  # quantile beyond which a rate has rounded to 1
_SMALLEST_SD = 1e-300  # whose logarithm is drawn for 0
_TURNS = (0.6, 0.8, 1.0, 1.2, 1.6)  # list lengths times share over cutoff, around which NDCG turns
_SIDES = (-2.0, 2.0)  # standard deviations of the number of relevant items around the cutoff
_FULL = (0.4, 0.7, 1.0, 1.1, 1.4)  # list lengths over cutoff, around which lists are as long as the cutoff
_FLAT = (100, 10**4)  # first lengths that are left out with a fixed cutoff


@dataclass(frozen=True)
class Point:
    """The values at one list length.

    Attributes
    ----------
    n : int
    means, sds : (float, float)
        Of the NDCG of the two rankers.
    difference, sd : float
        Mean and standard deviation of NDCG(A) - NDCG(B) on one list.
    right : float or None
        The normal quantile of the probability that one list shows the order of long lists; None where too
        few drawn lists are wrong.
    """

    n: int
    means: tuple[float, float]
    sds: tuple[float, float]
    difference: float
    sd: float
    right: float | None

    @property
    def effect(self) -> float:
        """The mean difference in standard deviations."""
        return self.difference / max(self.sd, _SMALLEST_SD)


def lengths_of(state: State, lengths: Sequence[int] = NODES) -> tuple[int, ...]:
    """Return the list lengths at which values are computed, in a state that has lists of such lengths."""
    found, cutoff = set(lengths), state.measured.cutoff
    if cutoff.regime == "fixed" and state.relevant is None:
        # NDCG turns where about as many items are relevant as there are ranks that count
        k = cutoff(LARGEST)
        turn = k / state.share
        if lengths == FIRST:
            found = found - set(_FLAT) | {round(turn)}
        else:
            width = math.sqrt((1 - state.share) / k)
            found |= {round(part * turn) for part in (*_TURNS, *(1 + side * width for side in _SIDES))}
            found |= {round(part * k) for part in _FULL}
    return tuple(sorted(n for n in found if max(state.relevant or 0, NODES[0]) <= n <= LARGEST))


def point(state: State, n: int) -> Point:
    """Return the values at a list length.

    Raises
    ------
    NotAvailableError
        If the measure has no exact mean or standard deviation.
    """
    of_a, of_b, both = moments(state, n)
    return Point(n, (of_a.mean, of_b.mean), (of_a.sd, of_b.sd), *both, _right(state, n))


def moments(state: State, n: int) -> list[MeanAndDeviation]:
    """Return the moments of NDCG_n of both rankers, and of the difference."""
    a, b = state.scorers
    return [quick_moments(who, state.measured, n) for who in ((a,), (b,), (a, b))]


def order_on_one_list(state: State, effort: float = 1.0) -> WrongOrder:
    """Return the probability that one list of n items shows the wrong order."""
    return wrong_order(*_in_order(state), state.measured, state.n, effort=effort)


def _in_order(state: State) -> tuple[Scorer, Scorer]:
    """Return the rankers, the one that is ahead on long lists first."""
    return better_first(state.scorers, ahead(*state.scorers, state.measured))


@dataclass(frozen=True)
class OrderLaw:
    """The law of long lists for the order of the rankers at n.

    Attributes
    ----------
    name : str
    sign : int
        1 if A is ahead on long lists, -1 if B is.
    quantile : callable
        Returns the normal quantile of P(that ranker is ahead at n) for arrays of its effect sizes at n.
    """

    name: str
    sign: int
    quantile: Callable[[Floats], Floats]

    @classmethod
    def of(cls, state: State) -> OrderLaw | None:
        """Return the law of a state; None where a few depths decide, whatever n is."""
        pair = _in_order(state)
        if not pair[0].iid:
            return None
        sign = 1 if pair == state.scorers else -1
        return cls("the normal law", sign, lambda effect: effect)

    def right(self, effect: Floats) -> Floats:
        """Return the normal quantile of P(right order) for effect sizes of the difference A - B."""
        return np.asarray(self.quantile(self.sign * effect))


def _right(state: State, n: int) -> float | None:
    """Return the normal quantile of P(right order at n) for the chart, None where it is not known.

    It comes from some hundred lists where as many as 50 of them are wrong; with a fixed number of relevant
    items it is that of `wrong_order`.
    """
    measure, pair = state.measured, _in_order(state)
    found, iid = None, pair[0].iid
    if iid and drawable(pair[0], measure, n):
        counts = draw_orders(*pair, [measure], n, _CHART_EFFORT)[0][0]
        found = WrongOrder.counted(*counts) if counts[0] >= _CHART_ENOUGH else None
    if found is None and not iid:
        found = wrong_order(*pair, measure, n, effort=_CHART_EFFORT)
    if found is None or found.log10 is None:
        return _LAST_RATE if found and found.high is None else None
    return min(max(-float(ndtri_exp(found.log10 * math.log(10))), -_LAST_RATE), _LAST_RATE)


@dataclass(frozen=True)
class Smooth:
    """Smooth curves through the values at some list lengths, at these and `LENGTHS` between them.

    Attributes
    ----------
    n : (N,)
    rows : mapping of str to (N,)
        What is joined: the means, the logarithms of the standard deviations, and of the effect size; its
        inverse hyperbolic sine where it changes its sign; and how far the normal quantile of P(right order)
        is from that of the law, or this quantile where there is no law.
    law : OrderLaw or None
    """

    n: Floats
    rows: Mapping[str, Floats]
    law: OrderLaw | None

    @classmethod
    def through(cls, points: Sequence[Point], law: OrderLaw | None, moved: Smooth | None = None) -> Smooth:
        """Return the curves through at least two points, in any order.

        Parameters
        ----------
        points : sequence of Point
        law : OrderLaw or None
        moved : Smooth, optional
            The curves of a similar state: what is joined is the distance from these.
        """
        points = sorted(points, key=lambda p: p.n)
        at = np.array([float(p.n) for p in points])
        n = np.union1d(LENGTHS if moved is None else moved.n, at)
        n, rows = n[(n >= at[0]) & (n <= at[-1])], {}
        for name, values in _rows(points, law).items():
            base = None if moved is None else moved.rows.get(name)
            distance = np.array(values)
            if moved is not None and base is not None:
                distance = distance - np.interp(np.log(at), np.log(moved.n), base)
            # means tend to limits like 1/log n under the log discount; all others are like powers of n
            x = _inverse_log if name.startswith("mean") else np.log
            joined = PchipInterpolator(x(at), distance)(np.clip(x(n), *x(at[[0, -1]])))
            if moved is not None and base is not None:
                joined = joined + np.interp(np.log(n), np.log(moved.n), base)
            rows[name] = np.asarray(joined)
        return cls(n, rows, law)

    @property
    def means(self) -> Floats:
        """The means of both rankers, (2, N)."""
        return np.array([self.rows["mean A"], self.rows["mean B"]])

    @property
    def sds(self) -> Floats:
        """Their standard deviations, (2, N)."""
        return np.exp([self.rows["log sd A"], self.rows["log sd B"]])

    @property
    def log10_wrong(self) -> Floats:
        """log10 P(wrong order), (N,)."""
        right = self.rows["beyond the law"]
        if self.law is not None:
            if "effect" in self.rows:
                effect = np.sinh(self.rows["effect"])
            elif "log A - B" in self.rows:
                effect = np.exp(self.rows["log A - B"])
            else:
                effect = -np.exp(self.rows["log B - A"])
            right = right + self.law.right(effect)
        return np.asarray(log_ndtr(-right) / math.log(10))


def _rows(points: Sequence[Point], law: OrderLaw | None) -> dict[str, list[float]]:
    rows = {}
    for i, name in enumerate(NAMES):
        rows[f"mean {name}"] = [p.means[i] for p in points]
        rows[f"log sd {name}"] = [math.log(max(p.sds[i], _SMALLEST_SD)) for p in points]
    effects = np.array([p.effect for p in points])
    by_law = np.zeros(effects.size) if law is None else law.right(effects)
    at = np.log([p.n for p in points])
    known = np.array([p.right is not None for p in points])
    beyond = np.array([p.right or 0.0 for p in points]) - by_law
    if law is not None:
        beyond[~known] = 0.0
    elif known.any():
        beyond = np.interp(at, at[known], beyond[known])
    else:
        beyond[:] = _LAST_RATE
    rows["beyond the law"] = beyond.tolist()
    for name, signed in (("log A - B", effects), ("log B - A", -effects)):
        if signed.min() > 0:
            return rows | {name: np.log(signed).tolist()}
    return rows | {"effect": np.arcsinh(effects).tolist()}


def _inverse_log(n: Floats) -> Floats:
    return np.asarray(-1 / np.log(n))


def similar(state: State, other: State) -> bool:
    """Return whether the curves of one state, moved at a few lengths, are those of the other one."""
    one, two = state.measured, other.measured
    same = type(one.discount) is type(two.discount) and one.cutoff == two.cutoff
    return same and regime(state.scorers, one) == regime(other.scorers, two)
