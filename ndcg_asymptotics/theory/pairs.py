"""Two scorers in expectation: which one has the larger mean NDCG, from which n on, and by how much."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats, list_lengths
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.asymptotics import LogDecay
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.theory.limits import OccurringGrades
from ndcg_asymptotics.theory.mean import expected_ndcg
from ndcg_asymptotics.theory.rules import quadrature

_SIZES = tuple(round(10 ** (d / 3)) for d in range(55))  # three per decade, up to 1e18
_HIGHEST = 12  # the last moment tried
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
    _require_one_population(a, b)
    c = measure.cutoff.share
    breaks = tuple(sorted({*a.breakpoints, *b.breakpoints}))
    t, dt = quadrature.nodes(quadrature.edges(0.0, c, breaks))
    difference, power = (a.mean_gain(t) - b.mean_gain(t)) * dt, np.ones_like(t)
    for order in range(_HIGHEST + 1):
        moment, size = float(difference @ power), float(np.abs(difference) @ power)
        if abs(moment) > _ZERO * max(size, math.factorial(order) * _ZERO):
            labels = OccurringGrades.ideal(a, measure)
            return FirstMoment(order, moment / labels.ideal_integral(asymptotics, c))
        power = power * -np.log(t)
    return None


@dataclass(frozen=True)
class InExpectation:
    """The order of two scorers by E[NDCG_n] for all large n up to 1e18.

    Attributes
    ----------
    sizes : (K,)
    difference, error : (K,)
        E[NDCG_n] of the first minus that of the second, and a bound of its error.
    winner : int
        1 if the first is ahead at the largest n by more than the error, -1 if the second is, else 0.
    since : int or None
        The smallest size from which on the winner is ahead at every size.
    """

    sizes: tuple[int, ...]
    difference: Floats
    error: Floats
    winner: int
    since: int | None


def distinguishable_in_expectation(
    a: Scorer | str, b: Scorer | str, measure: Measure | str, sizes: Sequence[int] | ArrayLike = _SIZES
) -> InExpectation:
    """Decide by exact means which of two scorers has the larger E[NDCG_n] for every large n.

    That is Definition 4, and the second part of Theorem 14, of Wang et al. (2013). By default the means are
    computed at three list lengths per decade up to 1e18.

    Raises
    ------
    InputError
        For label laws that differ.
    NotAvailableError
        For a measure without an exact mean.

    >>> found = distinguishable_in_expectation("linear(0.1, 0.7)", "constant(0.4)", "nDCG")
    >>> found.winner, found.since
    (1, 2)
    """
    a, b, measure, lengths = Scorer.of(a), Scorer.of(b), Measure.of(measure), list_lengths(sizes)
    _require_one_population(a, b)
    first, second = (expected_ndcg(scorer, measure, lengths) for scorer in (a, b))
    difference, error = first.value - second.value, first.error + second.error
    signs = np.where(np.abs(difference) > error, np.sign(difference), 0.0)
    winner = int(signs[-1])
    if not winner or a == b:
        return InExpectation(lengths, difference, error, 0, None)
    others = np.flatnonzero(signs != winner)
    start = int(others[-1]) + 1 if others.size else 0
    return InExpectation(lengths, difference, error, winner, lengths[start])


def _require_one_population(a: Scorer, b: Scorer) -> None:
    same = a.gains == b.gains and bool(np.allclose(a.masses, b.masses, rtol=1e-9, atol=1e-15))
    require(same, f"{a} and {b} must have one label law, got {a.masses} and {b.masses}")
