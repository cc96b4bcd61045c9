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

from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.language.scanner import number_text
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.scorers import Mixture, Relevance
from ndcg_asymptotics.theory import quadrature


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


def limit(relevance: Relevance | str, measure: Measure | str) -> Limit:
    """The limit of NDCG_n for an i.i.d. stream; of its mean, for a mixture.

    Parameters
    ----------
    relevance : Relevance or text
    measure : Measure or text

    >>> found = limit("linear(0.1, 0.7)", "nDCG(log)@0.2n")
    >>> round(found.value, 12), found.theorem, [str(a) for a in found.assumptions]
    (0.64, 'Theorem 8', ['p > 0', 'ybar continuous'])
    >>> limit("linear(0.1, 0.7)", "nDCG(geometric(2))").converges
    False
    """
    relevance, measure = Relevance.of(relevance), Measure.of(measure)
    if isinstance(relevance, Mixture):
        return _mixed(relevance, relevance.each(lambda model: limit(model, measure)))
    if measure.discount.conjecture is not None:
        return _conjectured(relevance, measure)
    growth, regime = measure.discount.growth, measure.cutoff.regime
    if growth == "summable" or regime == "fixed":
        return _no_limit(relevance, measure)
    if regime == "sublinear":
        theorem = "Theorem 11" if relevance.graded else "Theorem 7"
        return _top_limit(
            relevance, measure, theorem if growth != "linear" else f"beyond the paper (as {theorem})"
        )
    if growth == "unknown":
        reason = f"nothing is known for the discount {measure.discount} unless k = o(n)"
        return Limit(None, "none", (), reason, converges=None)
    if growth == "zipf":
        plain = regime == "none" and not relevance.graded
        return _top_limit(relevance, measure, "Theorem 5" if plain else "beyond the paper (as Theorem 5)")
    return _profile_limit(relevance, measure)


def _mixed(mixture: Mixture, found: list[Limit]) -> Limit:
    """Of a mixture: lists of each group tend to the limit of the group, the mean to their average."""
    theorem = " / ".join(dict.fromkeys(of_group.theorem for of_group in found))
    met: dict[str, list[bool | None]] = {}
    for assumption in (a for of_group in found for a in of_group.assumptions):
        met.setdefault(assumption.text, []).append(assumption.met)
    assumptions = tuple(
        Assumption(text, False if False in all_ else None if None in all_ else True)
        for text, all_ in met.items()
    )
    without = next((of_group for of_group in found if of_group.value is None), None)
    if without is not None:
        return Limit(None, theorem, assumptions, without.reason, without.converges)
    values = [of_group.value for of_group in found if of_group.value is not None]
    return Limit(float(mixture.weights @ values), theorem, assumptions)


def _conjectured(relevance: Relevance, measure: Measure) -> Limit:
    """What the author of a discount expects: a number, or a function of relevance and cutoff."""
    said = measure.discount.conjecture
    value = said(relevance, measure.cutoff) if callable(said) else said
    return Limit(float(value), "conjectured", ())


def _positive(relevance: Relevance) -> Assumption:
    if relevance.graded:
        return Assumption(f"P(Y = {number_text(relevance.gains[0])}) > 0", relevance.masses[0] > 0)
    return Assumption("p > 0", relevance.masses[0] > 0)


def _continuous(relevance: Relevance) -> Assumption:
    text = "every P(Y = y_j | s) continuous" if relevance.graded else "ybar continuous"
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
    discount, c = measure.discount, measure.cutoff.share
    cut = measure.cutoff.regime == "fraction"
    theorem = {
        ("log", False): ("Theorem 1", "Theorem 1"),
        ("log", True): ("Theorem 8", "Theorem 12"),
        ("power", False): ("Theorem 3", "Theorem 10"),
        ("power", True): ("Theorem 9", "Theorem 13"),
        ("linear", False): ("beyond the paper (classical)",) * 2,
        ("linear", True): ("beyond the paper (classical)",) * 2,
    }[discount.growth, cut][relevance.graded]
    # Theorem 1 asks for nothing else: the logarithm does not see where the labels stand
    assumptions = (_positive(relevance),) + (() if theorem == "Theorem 1" else (_continuous(relevance),))
    if not any(relevance.masses):
        return Limit(0.0, theorem, assumptions)
    if theorem == "Theorem 1":
        return Limit(1.0, theorem, assumptions)
    # u = t^(1-b) takes the singular weight away: t^-b dt = du / (1-b)
    a = 1 - discount.exponent
    reached = np.minimum(np.cumsum(relevance.masses), c)
    breaks = tuple(sorted({*relevance.breakpoints, *(float(r) for r in reached)}))
    u, weights = quadrature.nodes(quadrature.edges(0.0, c, breaks) ** a)
    t = u ** (1 / a)
    weights = weights * discount.profile(t) * t**discount.exponent
    shares = np.diff([weights @ (t <= r) for r in reached], prepend=0.0)
    ideal = float(shares @ np.asarray(relevance.gains))
    return Limit(float(weights @ relevance.mean_gain(t)) / ideal, theorem, assumptions)
