"""Leading terms of E[NDCG_n] - lim NDCG_n, and of the difference of two scorers: integrals of the curves.

With E(t) = E[Y | t], L the limit, c the cutoff's share (1 without), B the ideal list's share of the profile::

    log          (A_1 - L B_1) / B        / log n     A_1 = int_0^c E(t) (-log t) dt, B_1 for the ideal list
    r^-b, b < 1  zeta(b) (E(0) - L y_1) / B  n^-(1-b)
    1/r          (C - L C_1) / y_1        / log n     C = int_0^c (E(t) - E(0)) / t dt, C_1 for the ideal list

The next terms are smaller by a factor of 1/log n for log and 1/r, and of n^-min(a, b) for r^-b (times log n
if a = b), where a <= 1 is the Hölder exponent at the top. With k = cn a term n^-(1+d)/2 comes in, d the
exponent at depth c. These rows are not in the paper (docs/theory.md, section 2). For E[DCG_n] / F(k(n)) they
hold with a gain of 1 at every rank of the ideal list.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import zeta

from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.asymptotics import HarmonicDecay, LogDecay, PowerDecay
from ndcg_asymptotics.populations import Population, Scorer
from ndcg_asymptotics.specs.scanner import number_text
from ndcg_asymptotics.theory.limits.limits import OccurringGrades, limit
from ndcg_asymptotics.theory.rules import quadrature

_DEEPEST = 1e-100  # the part of int (E(t) - E(0))/t dt below this depth shows whether it converges
_ROUNDING = 1e-12  # a smaller coefficient is 0 up to rounding
_ZERO = 1e-10  # relative to int |Delta E| (-log t)^j; a smaller moment is 0 up to rounding


@dataclass(frozen=True)
class Gap:
    """A coefficient times a power of n, or times 1/log n, for instance -0.54/log n.

    Attributes
    ----------
    coefficient : float
    exponent : float
        The scale is n^-exponent, or 1/log n where it is 0.
    """

    coefficient: float
    exponent: float

    @property
    def vanishes(self) -> bool:
        """Whether the coefficient is 0 up to rounding, so that the next term leads."""
        return abs(self.coefficient) <= _ROUNDING

    def at(self, n: float) -> float:
        """Return the leading term at a list length."""
        return self.coefficient * float(n**-self.exponent if self.exponent else 1 / np.log(n))

    def __str__(self) -> str:
        coefficient = 0.0 if self.vanishes else self.coefficient
        scale = f"n^-{number_text(round(self.exponent, 12))}" if self.exponent else "/log n"
        return f"{coefficient:+.3g}{' ' if self.exponent else ''}{scale}"


def leading_gap(scorer: Scorer | str, measure: Measure | str) -> Gap | None:
    """Return the leading term of E[NDCG_n] - lim NDCG_n for the log discount, r^-b and 1/r.

    For DCG it is that of E[DCG_n] / F(k(n)).

    Returns
    -------
    Gap or None
        None for another discount, a fixed number of relevant items, for a fixed cutoff or k = o(n), for a
        cutoff at the share of a grade, where the fluctuation of a label count adds a term n^-1/2, and if the
        integral does not converge.

    >>> str(leading_gap("linear(0.1, 0.7)", "nDCG"))
    '-0.541/log n'
    >>> str(leading_gap("linear(0.1, 0.7)", "nDCG(zipf)"))
    '+0.0414/log n'
    """
    scorer, measure = Scorer.of(scorer), Measure.of(measure)
    if not scorer.iid:
        return None
    relevance = scorer.model
    asymptotics, c = measure.discount.asymptotics, measure.cutoff.growth.share
    labels = OccurringGrades.ideal(relevance, measure)
    value = limit(relevance, measure).value
    if value is None or not labels.gains or not measure.discount.regular:
        return None
    if not c > 0:
        return None
    if c < 1 and measure.normalised and bool(np.any(np.abs(labels.reached - c) < 1e-9)):
        return None
    edges = quadrature.edges(0.0, c, relevance.breakpoints)
    top, most = relevance.mean_gain_at_top, labels.gains[0]
    steps = np.array(labels.gains) - np.array([*labels.gains[1:], 0.0])
    ends = np.minimum(labels.reached, c)
    match asymptotics:
        case LogDecay():
            t, dt = quadrature.weighted_nodes(edges, 0.0)
            first = float(relevance.mean_gain(t) * -np.log(t) @ dt)
            ideal = float(steps @ (ends - ends * np.log(ends)))  # int_0^x (-log t) dt = x - x log x
            return Gap((first - value * ideal) / labels.ideal_integral(asymptotics, c), 0.0)
        case PowerDecay(b):
            constant = float(zeta(b))
            return Gap(constant * (top - value * most) / labels.ideal_integral(asymptotics, c), 1 - b)
        case HarmonicDecay():
            t, dt = quadrature.nodes_between(edges)
            terms = (relevance.mean_gain(t) - top) / t * dt
            if abs(float(terms[t < _DEEPEST].sum())) > 1e-6:
                return None
            # E(0) sum_(r <= cn) 1/r has log n + log c, of which log n belongs to the limit
            constant = top * math.log(c) + float(terms.sum())
            return Gap((constant - value * float(steps @ np.log(ends))) / most, 0.0)
    return None


@dataclass(frozen=True)
class FirstMoment:
    """The leading term ``coefficient / log^order n`` of the difference of E[NDCG_n] of two scorers."""

    order: int
    coefficient: float

    def __str__(self) -> str:
        return f"{self.coefficient:+.3g}/log^{self.order} n"


def first_moment(a: Scorer | str, b: Scorer | str, measure: Measure | str = "nDCG") -> FirstMoment | None:
    """Return K and a of the difference a / log^K n under the log discount (Lemma 3 of Wang et al. 2013).

    K is the first j for which ``mu_j = int_0^c (E_a - E_b)(t) (-log t)^j dt`` is not 0, and the
    coefficient is mu_K over the ideal list's share, p for binary labels and the whole list. Without
    cutoff K >= 1, as the label law is shared; a K exists unless the two curves are equal on (0, c).

    Parameters
    ----------
    a, b : Scorer or text
        Curves with the same label law.
    measure : Measure or text
        The log discount, for the whole list or with k = cn. For DCG it is the difference of DCG_n / F(k(n)).

    Returns
    -------
    FirstMoment or None
        None if no moment up to the twelfth differs from 0.

    Raises
    ------
    InputError
        For another measure, or label laws that differ.

    >>> str(first_moment("linear(0.1, 0.7)", "constant(0.4)"))
    '+0.375/log^1 n'
    >>> first_moment("constant(0.4)", "constant(0.4)") is None
    True
    """
    pair, measure = Population.of({"a": a, "b": b}).models, Measure.of(measure)
    a, b = pair["a"], pair["b"]
    asymptotics = measure.discount.asymptotics
    proper = isinstance(asymptotics, LogDecay) and measure.cutoff.growth.share > 0
    require(proper, f"must be the log discount, whole or with a cutoff cn, got {measure}", "measure")
    c = measure.cutoff.growth.share
    breaks = tuple(sorted({*a.breakpoints, *b.breakpoints}))
    t, dt = quadrature.nodes_between(quadrature.edges(0.0, c, breaks))
    difference, power = (a.mean_gain(t) - b.mean_gain(t)) * dt, np.ones_like(t)
    for order in range(13):
        moment, size = float(difference @ power), float(np.abs(difference) @ power)
        # int_0^1 (-log t)^j dt = j!
        if abs(moment) > _ZERO * max(size, math.factorial(order) * _ZERO):
            labels = OccurringGrades.ideal(a, measure)
            return FirstMoment(order, moment / labels.ideal_integral(asymptotics, c))
        power = power * -np.log(t)
    return None
