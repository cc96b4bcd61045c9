"""Two scorers of one population: the leading term of the difference of their means."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.asymptotics import LogDecay
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.theory.limits import OccurringGrades
from ndcg_asymptotics.theory.rules import quadrature

_ZERO = 1e-10  # relative to int |Delta E| (-log t)^j; a smaller moment is 0 up to rounding


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
    a, b, measure = Scorer.of(a).model, Scorer.of(b).model, Measure.of(measure)
    asymptotics = measure.discount.asymptotics
    proper = isinstance(asymptotics, LogDecay) and measure.cutoff.regime in ("none", "fraction")
    require(proper, f"must be the log discount, whole or with a cutoff cn, got {measure}", "measure")
    require_one_population(a, b)
    c = measure.cutoff.share
    breaks = tuple(sorted({*a.breakpoints, *b.breakpoints}))
    t, dt = quadrature.nodes_between(quadrature.edges(0.0, c, breaks))
    difference, power = (a.mean_gain(t) - b.mean_gain(t)) * dt, np.ones_like(t)
    for order in range(13):
        moment, size = float(difference @ power), float(np.abs(difference) @ power)
        if abs(moment) > _ZERO * max(size, math.factorial(order) * _ZERO):
            labels = OccurringGrades.ideal(a, measure)
            return FirstMoment(order, moment / labels.ideal_integral(asymptotics, c))
        power = power * -np.log(t)
    return None


def require_one_population(a: Scorer, b: Scorer) -> None:
    """Raise an error for two scorers whose labels have different laws.

    >>> require_one_population(Scorer.of("linear(0.1, 0.7)"), Scorer.of("constant(0.4)"))
    """
    same = a.gains == b.gains and bool(np.allclose(a.masses, b.masses, rtol=1e-9, atol=1e-15))
    require(same, f"{a} and {b} must have one label law, got {a.masses} and {b.masses}")
