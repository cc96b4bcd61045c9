"""The limits of NDCG_n as n -> infinity, with their theorems and assumptions: section 2 of docs/theory.md.

Theorem numbers are those of Wang, Wang, Li, He, Liu, Chen (2013), "A theoretical analysis of
NDCG type ranking measures", COLT; arXiv 1304.6480. Limits that are not in the paper are marked so.

With m_j(t) = P(Y = y_j | depth t), E(t) = sum_j y_j m_j(t), R_j = P(Y >= y_j), R_0 = 0 and a
discount profile phi on (0, 1) (1 for log and constant, t^-b for powers, 1 - t for linear), every limit with
k = cn or without cutoff (c = 1) is, by equation (1) of docs/theory.md,

    int_0^c E(t) phi(t) dt  /  sum_j y_j int_{min(R_{j-1}, c)}^{min(R_j, c)} phi(t) dt,

and where D concentrates at the top (1/r, or k = o(n)) it is E(0) / y_1. DCG_n grows like F(k(n)), and
DCG_n / F(k(n)) has the same limits with a gain of 1 at every rank of the ideal list: the denominator is
``int_0^c phi``, or 1 where D concentrates at the top. Grades that never occur, R_j =
R_{j-1}, are left out. The paper proves Theorem 1 almost surely, the others in probability.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.tables import ReportBlock, Shown, facts
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.asymptotics import (
    Asymptotics,
    ConstantDecay,
    LinearDecay,
    LogDecay,
    PowerDecay,
)
from ndcg_asymptotics.populations import FixedCounts, Relevance, Scorer
from ndcg_asymptotics.specs.scanner import number_text
from ndcg_asymptotics.theory.limits.scaled_limits import Scale, ScaledLimit, scaled_limit
from ndcg_asymptotics.theory.rules import quadrature

LIMITS_OF_DCG = "Limits of DCG and RBP are those of DCG_n / F(k(n)), F(k) = D(1) + … + D(k)."
"""The line below a table that has limits of DCG."""


@dataclass(frozen=True)
class Assumption:
    """An assumption of a theorem; ``met`` is None where it is unknown whether it holds."""

    text: str
    met: bool | None

    def __str__(self) -> str:
        return self.text + {True: "", False: " (not met)", None: " (unknown)"}[self.met]


@dataclass(frozen=True)
class Limit(Shown):
    """The limit of NDCG_n, or the reason why there is none.

    Attributes
    ----------
    value : float or None
        The limit of NDCG_n, or of DCG_n / F(k(n)); None where there is none or it is not known.
    theorem : str
        The source: a theorem of the paper, or "beyond the paper".
    assumptions : tuple of Assumption
    reason : str
        The reason why there is no value; empty where there is one.
    converges : bool or None
        False where it is proved that NDCG_n does not converge, None where nothing is known.
    mode : str
        The mode of convergence: "almost surely", "in probability", "in law" (``value`` is then the mean of
        the limiting law), or empty.
    scaled : ScaledLimit, optional
        With a fixed number of relevant items, the limit of E[NDCG_n] times a power of n and of log n.
    """

    value: float | None
    theorem: str
    assumptions: tuple[Assumption, ...]
    reason: str = ""
    converges: bool | None = True
    mode: str = "in probability"
    scaled: ScaledLimit | None = None

    @property
    def unmet(self) -> tuple[Assumption, ...]:
        """The assumptions that do not hold for this scorer."""
        return tuple(a for a in self.assumptions if a.met is False)

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield one table."""
        rows = [("limit", "none" if self.value is None else f"{self.value:.10g}"), ("source", self.theorem)]
        if self.mode:
            rows.append(("convergence", self.mode))
        if self.scaled is not None and self.scaled.value is not None:
            rows.append((f"limit of {self.scaled.scale} E[NDCG_n]", f"{self.scaled.value:.10g}"))
        if self.reason:
            rows.append(("reason", self.reason))
        rows += [("assumption", str(assumption)) for assumption in self.assumptions]
        yield facts("", rows)


@dataclass(frozen=True)
class OccurringGrades:
    """The grades of positive probability.

    Attributes
    ----------
    gains : tuple of float
        The gains y_j with P(Y = y_j) > 0, in decreasing order.
    reached : (J,)
        R_j = P(Y >= y_j).
    """

    gains: tuple[float, ...]
    reached: Floats

    @classmethod
    def of(cls, relevance: Relevance) -> Self:
        """Return the occurring grades of a relevance model.

        >>> OccurringGrades.of(Relevance.parse("graded(2=constant(0), 1=constant(0.3))")).gains
        (1.0,)
        """
        occurs = [mass > 0 for mass in relevance.masses]
        gains = tuple(y for y, present in zip(relevance.gains, occurs, strict=True) if present)
        return cls(gains, np.cumsum([mass for mass in relevance.masses if mass > 0]))

    @classmethod
    def ideal(cls, relevance: Relevance, measure: Measure) -> Self:
        """Return the grades of the list that DCG is divided by; for DCG_n / F(k(n)) all gains are 1."""
        grades = cls.of(relevance)
        return grades if measure.normalised or not grades.gains else cls((1.0,), np.ones(1))

    def ideal_integral(self, asymptotics: Asymptotics, c: float) -> float:
        """Return ``sum_j y_j int phi`` over [min(R_{j-1}, c), min(R_j, c)], the denominator of the limit."""
        ends = np.minimum(self.reached, c)
        integrals = asymptotics.profile_integral(ends)
        return float(np.diff(integrals, prepend=0.0) @ np.asarray(self.gains))


def limit(scorer: Scorer | str, measure: Measure | str) -> Limit:
    """Return the limit of NDCG_n.

    Labels are i.i.d., or the number of relevant items is fixed. Then NDCG_n mostly tends to 0, and
    ``Limit.scaled`` says how (`scaled_limits`).

    Parameters
    ----------
    scorer : Scorer or text
    measure : Measure or text
        For DCG it is the limit of DCG_n / F(k(n)).

    >>> result = limit("linear(0.1, 0.7)", "nDCG@0.2n")
    >>> round(result.value, 12), result.theorem, [str(a) for a in result.assumptions]
    (0.64, 'Theorem 8', ['p > 0', 'ybar continuous'])
    >>> limit("linear(0.1, 0.7)", "nDCG(geometric(2))").converges
    False
    >>> round(limit("linear(0.1, 0.7)", "DCG").value, 12)  # the prevalence
    0.4
    """
    scorer, measure = Scorer.of(scorer), Measure.of(measure)
    if isinstance(scorer, FixedCounts):
        result = _of_fixed_counts(scorer, measure)
    elif measure.discount.conjecture is not None:  # equal discounts may have different ones
        result = _conjectured(scorer.model, measure)
    else:
        result = _limit(scorer.model, measure)
    if measure.normalised or not result.theorem.startswith("Theorem"):
        return result
    return replace(result, theorem=f"beyond the paper (as {result.theorem})")


def _of_fixed_counts(model: FixedCounts, measure: Measure) -> Limit:
    if not measure.normalised:
        reason = "with a fixed number of relevant items limits are those of NDCG"
        return Limit(None, "none", (), reason, converges=None, mode="")
    scaled = scaled_limit(model, measure)
    assumptions = (Assumption(scaled.assumption, True),) if scaled.assumption else ()
    if scaled.theorem == "none":
        return Limit(None, "none", (), scaled.reason, converges=None, mode="")
    if scaled.value is not None and scaled.scale == Scale(0.0, 0):
        return Limit(scaled.value, scaled.theorem, assumptions, mode=scaled.mode)
    return Limit(0.0, scaled.theorem, assumptions, scaled.reason, scaled=scaled)


def _limit(relevance: Relevance, measure: Measure) -> Limit:
    asymptotics, growth = measure.discount.asymptotics, measure.cutoff.growth
    if asymptotics.summable or growth.bounded:
        return _no_limit(relevance, measure)
    if not growth.known:
        reason = f"how the cutoff {measure.cutoff} grows is not known"
        return Limit(None, "none", (), reason, converges=None, mode="")
    if not asymptotics.known and not growth.vanishing:
        reason = f"nothing is known for the discount {measure.discount} unless k = o(n)"
        reason += '; like="log" within custom(…) states that it falls as another one does'
        return Limit(None, "none", (), reason, converges=None, mode="")
    if asymptotics.top_decides or growth.vanishing:
        return _top_limit(relevance, measure)
    return _profile_limit(relevance, measure)


def _conjectured(relevance: Relevance, measure: Measure) -> Limit:
    """Return the limit that the author of a discount expects."""
    conjecture = measure.discount.conjecture
    value = conjecture(relevance, measure.cutoff) if callable(conjecture) else conjecture
    return Limit(float(value), "conjectured", (), mode="")


def _cut(measure: Measure) -> bool:
    """Whether k = cn with c < 1; k = n is the whole list."""
    return measure.cutoff.growth.kind == "fraction"


def _some_gain(relevance: Relevance) -> Assumption:
    text = "P(Y > 0) > 0" if relevance.graded else "p > 0"
    return Assumption(text, any(relevance.masses))


def _continuous(relevance: Relevance) -> Assumption:
    text = "every P(Y = y_j | s) continuous" if relevance.graded else "ybar continuous"
    return Assumption(text, relevance.continuous)


def _every_grade(relevance: Relevance) -> tuple[Assumption, ...]:
    """Return the assumption of Theorems 10 to 13 about the labels, tested for the grades that occur."""
    if all(relevance.masses):
        return (Assumption("every P(Y = y_j) > 0", True),)
    left_out = ", ".join(
        number_text(y) for y, mass in zip(relevance.gains, relevance.masses, strict=True) if not mass
    )
    return (Assumption(f"every P(Y = y_j) > 0, of the grades that occur (not {left_out})", True),)


def _no_limit(relevance: Relevance, measure: Measure) -> Limit:
    """Return the limit where the first ranks decide.

    If the top label is random there is none. Theorem 6 assumes that every label is possible at every score;
    its proof needs the top label only.
    """
    top = [float(curve.value(0.0)) for curve in relevance.curves]
    if not any(0 < q < 1 for q in top):
        gains = OccurringGrades.ideal(relevance, measure).gains
        value = relevance.mean_gain_at_top / gains[0] if gains else 0.0
        return Limit(value, "beyond the paper (the top label is certain)", (_some_gain(relevance),))
    cause = "the cutoff is fixed" if measure.cutoff.growth.bounded else "the discounts have a finite sum"
    everywhere = _every_label_everywhere(relevance)
    theorem = "Theorem 6" if everywhere else "beyond the paper (as Theorem 6)"
    condition = (
        "every label has a positive probability at every s" if everywhere else "the label at s = 1 is random"
    )
    reason = f"{cause}: the top ranks stay random"
    return Limit(None, theorem, (Assumption(condition, True),), reason, converges=False, mode="")


def _every_label_everywhere(relevance: Relevance) -> bool:
    """Whether every label, including 0, has a positive probability at every score, as Theorem 6 assumes."""
    t = quadrature.edges(0.0, 1.0, relevance.breakpoints)
    values = np.array([curve.value(t) for curve in relevance.curves])
    return bool(values.min() > 0 and values.sum(axis=0).max() < 1)


def _top_limit(relevance: Relevance, measure: Measure) -> Limit:
    """Return E[Y | s = 1] / y_1, by Theorems 5, 7 and 11, which need continuity at the top only."""
    asymptotics, graded = measure.discount.asymptotics, relevance.graded
    if measure.cutoff.growth.vanishing:
        theorem = "Theorem 11" if graded else "Theorem 7"
        if isinstance(asymptotics, LinearDecay):
            theorem = f"beyond the paper (as {theorem})"
    else:
        theorem = "beyond the paper (as Theorem 5)" if graded or _cut(measure) else "Theorem 5"
    labels = OccurringGrades.ideal(relevance, measure)
    # all breakpoints are inside (0, 1), so every curve is continuous at its top
    text = "every P(Y = y_j | s) continuous at s = 1" if graded else "ybar continuous at s = 1"
    occurrence = _every_grade(relevance) if graded else (_some_gain(relevance),)
    assumptions = (*occurrence, Assumption(text, True))
    if not asymptotics.known:
        theorem += ", if the sum of the discounts diverges"
        assumptions += (Assumption("the sum of the discounts diverges", None),)
    if not labels.gains:
        return Limit(0.0, theorem, (_some_gain(relevance),))
    return Limit(relevance.mean_gain_at_top / labels.gains[0], theorem, assumptions)


def _profile_limit(relevance: Relevance, measure: Measure) -> Limit:
    """Return the ratio of integrals at the head of this module, by Theorems 1, 3, 8, 9, 10, 12 and 13."""
    asymptotics, c = measure.discount.asymptotics, measure.cutoff.growth.share
    theorem = {
        # the proofs of Theorems 8 and 12 use that the profile of 1/log r is constant
        (ConstantDecay, True): ("beyond the paper (as Theorem 8)", "beyond the paper (as Theorem 12)"),
        (LogDecay, False): ("Theorem 1", "Theorem 1"),
        (LogDecay, True): ("Theorem 8", "Theorem 12"),
        (PowerDecay, False): ("Theorem 3", "Theorem 10"),
        (PowerDecay, True): ("Theorem 9", "Theorem 13"),
        (LinearDecay, False): ("beyond the paper (classical)",) * 2,
        (LinearDecay, True): ("beyond the paper (classical)",) * 2,
    }[type(asymptotics), _cut(measure)][relevance.graded]
    labels = OccurringGrades.ideal(relevance, measure)
    if not labels.gains:
        return Limit(0.0, theorem, (_some_gain(relevance),))
    if theorem == "Theorem 1" and measure.normalised:
        # the theorem assumes nothing else, since the profile of 1/log r is constant
        return Limit(1.0, theorem, (_some_gain(relevance),), mode="almost surely")
    occurrence = _every_grade(relevance) if relevance.graded else (_some_gain(relevance),)
    assumptions = (*occurrence, _continuous(relevance))
    edges, b = quadrature.edges(0.0, c, relevance.breakpoints), asymptotics.exponent
    t, weights = quadrature.weighted_nodes(edges, b)
    weights = weights * asymptotics.profile(t) * t**b  # weighted_nodes has the factor t^-b already
    value = float(weights @ relevance.mean_gain(t)) / labels.ideal_integral(asymptotics, c)
    return Limit(value, theorem, assumptions)
