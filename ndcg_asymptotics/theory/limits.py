"""The limits of NDCG_n as n -> infinity, each with its theorem and what the theorem asks for.

Theorem numbers are those of Wang, Wang, Li, He, Liu, Chen (2013), "A theoretical analysis of
NDCG type ranking measures", COLT; arXiv 1304.6480. Rows that are not in the paper say so.

With m_j(t) = P(Y = y_j | depth t), E(t) = sum_j y_j m_j(t), R_j = P(Y >= y_j), R_0 = 0 and a
discount profile phi on (0, 1) (1 for log, t^-b for powers, 1 - t for linear), every limit with
k = cn or without cutoff (c = 1) is

    int_0^c E(t) phi(t) dt  /  sum_j y_j int_{min(R_{j-1}, c)}^{min(R_j, c)} phi(t) dt,

and where D concentrates at the top (1/r, or k = o(n)) it is E(0) / y_1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.cutoffs import ListFraction
from ndcg_asymptotics.discounts import Power
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.relevance import Relevance
from ndcg_asymptotics.specs import number_text
from ndcg_asymptotics.theory import quadrature

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Assumption:
    """Something a theorem asks for; ``met`` is None where it cannot be told."""

    text: str
    met: bool | None

    def __str__(self) -> str:
        return self.text + {True: "", False: " (not met)", None: " (unknown)"}[self.met]


@dataclass(frozen=True)
class Limit:
    """What is known of lim NDCG_n.

    Attributes
    ----------
    value : float or None
        The limit; None where there is none, or none is known.
    theorem : str
        The source: a theorem of the paper, or "beyond the paper".
    assumptions : tuple of Assumption
    reason : str
        Why there is no value; empty where there is one.
    converges : bool or None
        False where it is proved that NDCG_n does not converge, None where nothing is known.
    """

    value: float | None
    theorem: str
    assumptions: tuple[Assumption, ...]
    reason: str = ""
    converges: bool | None = True

    @property
    def unmet(self) -> tuple[Assumption, ...]:
        """The assumptions this scorer does not meet."""
        return tuple(a for a in self.assumptions if a.met is False)


def limit(relevance: Relevance, measure: Measure) -> Limit:
    """The almost sure limit of NDCG_n for an i.i.d. stream.

    >>> from ndcg_asymptotics.relevance import Relevance
    >>> curve = Relevance.parse("linear(0.1, 0.7)")
    >>> found = limit(curve, Measure.parse("nDCG(log)@0.2n"))
    >>> round(found.value, 12), found.theorem, [str(a) for a in found.assumptions]
    (0.64, 'Theorem 8', ['p > 0', 'ybar continuous'])
    >>> limit(curve, Measure.parse("nDCG(geometric(2))")).converges
    False
    """
    growth, regime = measure.discount.growth, measure.cutoff.regime
    if growth == "summable" or regime == "fixed":
        return _no_limit(relevance, measure)
    if regime == "sublinear":
        theorem = "Theorem 11" if _graded(relevance) else "Theorem 7"
        return _top_limit(
            relevance, measure, theorem if growth != "linear" else f"beyond the paper (as {theorem})"
        )
    if growth == "unknown":
        reason = f"nothing is known for the discount {measure.discount} unless k = o(n)"
        return Limit(None, "none", (), reason, converges=None)
    if growth == "zipf":
        plain = regime == "none" and not _graded(relevance)
        return _top_limit(relevance, measure, "Theorem 5" if plain else "beyond the paper (as Theorem 5)")
    return _profile_limit(relevance, measure)


def _graded(relevance: Relevance) -> bool:
    return len(relevance.gains) > 1 or relevance.gains[0] != 1.0


def _positive(relevance: Relevance) -> Assumption:
    if _graded(relevance):
        return Assumption(f"P(Y = {number_text(relevance.gains[0])}) > 0", relevance.masses[0] > 0)
    return Assumption("p > 0", relevance.masses[0] > 0)


def _continuous(relevance: Relevance) -> Assumption:
    text = "every P(Y = y_j | s) continuous" if _graded(relevance) else "ybar continuous"
    return Assumption(text, relevance.continuous)


def _no_limit(relevance: Relevance, measure: Measure) -> Limit:
    """Theorem 6. It asks for every label at every score; the top item alone decides."""
    top = [float(curve.value(0.0)) for curve in relevance.curves]
    if not any(0 < q < 1 for q in top):
        value = relevance.mean_gain_at_top / relevance.gains[0]
        return Limit(value, "beyond the paper (the top label is certain)", (_positive(relevance),))
    what = "the cutoff is fixed" if measure.cutoff.regime == "fixed" else "the discounts have a finite sum"
    random_top = Assumption("the label at s = 1 is random", True)
    return Limit(None, "Theorem 6", (random_top,), f"{what}: the top ranks stay random", converges=False)


def _top_limit(relevance: Relevance, measure: Measure, theorem: str) -> Limit:
    """E[Y | s = 1] / y_1: Theorems 5, 7, 11."""
    assumptions = [_positive(relevance), _continuous(relevance)]
    if measure.discount.growth == "unknown":
        assumptions.append(Assumption("the sum of the discounts diverges", None))
    value = relevance.mean_gain_at_top / relevance.gains[0]
    return Limit(value if relevance.masses[0] > 0 else 0.0, theorem, tuple(assumptions))


def _profile_limit(relevance: Relevance, measure: Measure) -> Limit:
    """The ratio of integrals at the head of this module: Theorems 1, 3, 8, 9, 10, 12, 13."""
    discount, cutoff = measure.discount, measure.cutoff
    b = discount.b if isinstance(discount, Power) else 0.0
    c = cutoff.c if isinstance(cutoff, ListFraction) else 1.0
    cut, graded = isinstance(cutoff, ListFraction), _graded(relevance)
    theorem = {
        ("log", False): ("Theorem 1", "Theorem 1"),
        ("log", True): ("Theorem 8", "Theorem 12"),
        ("power", False): ("Theorem 3", "Theorem 10"),
        ("power", True): ("Theorem 9", "Theorem 13"),
        ("linear", False): ("beyond the paper (classical)",) * 2,
        ("linear", True): ("beyond the paper (classical)",) * 2,
    }[discount.growth, cut][graded]
    # Theorem 1 asks for nothing else: the logarithm does not see where the labels stand
    assumptions = (_positive(relevance),) + (() if theorem == "Theorem 1" else (_continuous(relevance),))
    if not any(relevance.masses):
        return Limit(0.0, theorem, assumptions)
    if theorem == "Theorem 1":
        return Limit(1.0, theorem, assumptions)

    def profile_integral(a: Floats) -> Floats:  # of phi over [0, a]
        return a - a**2 / 2 if discount.growth == "linear" else a ** (1 - b) / (1 - b)

    # u = t^(1-b) takes the singular weight away: phi(t) dt = du / (1-b)
    t_edges = quadrature.edges(0.0, c, quadrature.breaks_of(relevance.breakpoints))
    u, weights = quadrature.nodes(t_edges ** (1 - b))
    t = u ** (1 / (1 - b))
    phi = 1 - t if discount.growth == "linear" else np.full_like(t, 1 / (1 - b))
    numerator = float(np.sum(weights * relevance.mean_gain(t) * phi))
    reached = np.minimum(np.cumsum(relevance.masses), c)
    ideal = np.diff(profile_integral(reached), prepend=0.0) @ np.asarray(relevance.gains)
    return Limit(numerator / float(ideal), theorem, assumptions)


def pseudo_expectation(relevance: Relevance, measure: Measure, n: int) -> float | None:
    """Definition 5's N(n), the paper's stand-in for E[NDCG_n].

    ``N(n) = int_1^k E(s/n) D(s) ds / sum_j y_j int D(s) ds``, the j-th integral of the
    denominator over the ranks from n R_{j-1} to n R_j, all cut to [1, k(n)]; binary and without
    cutoff this is ``int_1^n ybar(1 - s/n) D(s) ds / int_1^{np} D(s) ds``.

    Returns
    -------
    float or None
        None where the denominator is an empty integral: k(n) or n P(Y > 0) at most 1.

    >>> from ndcg_asymptotics.relevance import Relevance
    >>> curve = Relevance.parse("linear(0.1, 0.7)")
    >>> round(pseudo_expectation(curve, Measure.parse("nDCG(power(0.5))"), 1000), 6)
    0.795347
    """
    k = float(measure.cutoff(n))
    ends = np.clip(n * np.cumsum((0.0, *relevance.masses)), 1.0, k)
    if ends[-1] <= 1.0:
        return None

    def integral(upper: float, weight: Callable[[Floats], Floats]) -> float:
        breaks = [b for b in relevance.breakpoints if 1 < b * n < upper]
        # geometric panels in the rank, eight per factor of ten, as the discounts are smooth there
        mesh = np.geomspace(1.0, upper, max(2, int(8 * np.log10(upper)) + 4))
        ends = (1.0 - np.geomspace(1e-12, 1.0, 97)) * n
        ranks, w = quadrature.nodes(
            np.unique([*mesh, *(np.array(breaks) * n), *ends[(ends > 1) & (ends < upper)]])
        )
        return float(np.sum(w * weight(ranks) * measure.discount(ranks, float(n))))

    numerator = integral(k, lambda s: relevance.mean_gain(np.minimum(s / n, 1.0)))
    sums = [integral(end, np.ones_like) if end > 1.0 else 0.0 for end in ends]
    return numerator / float(np.diff(sums) @ np.asarray(relevance.gains))
