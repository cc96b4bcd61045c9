"""The error exponent of a pair: how fast the wrong order dies out as n grows (docs/orders.md).

Where the leading term of the difference of the two mean DCGs is not 0, Theorems A to C of
docs/theorems.md give the exponent. Where it is 0, Theorem D (the log discount), Theorem E (r^-b) and
Theorem G (k = o(n)) give it, and Theorem F covers labels that are certain at the top. With fixed numbers of
relevant items it is not known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.asymptotics import HarmonicDecay, LogDecay, PowerDecay
from ndcg_asymptotics.measures.growth import CutoffGrowth
from ndcg_asymptotics.populations import Relevance, Scorer
from ndcg_asymptotics.theory.limits.leading_terms import first_moment
from ndcg_asymptotics.theory.rules.quadrature import edges, nodes_between

_LEVEL = 1e-9  # integrals that differ by less count as equal
_NEAR = 1e-3  # relative to the first break; a label that is impossible at this depth is impossible above it
_SLOPE = 1e-6, 1e-7  # depths, relative to the first break, at which a slope at the top is measured
_FLAT = 1e-5  # slopes that are less count as 0
_STRAIGHT = 1e-2  # relative difference of the two slopes up to which there is one


@dataclass(frozen=True)
class ErrorExponent:
    """The error exponent of a pair, and why.

    Attributes
    ----------
    exponent : float or None
        The e of ``-log P(wrong order at n) = n^(e + o(1))``; None where no theorem gives it.
    reason : str
    speed : {"never", "slowly", "fast"}, optional
        Whether P(wrong order at n) stays away from 0, tends to 0 no faster than a power of n, or falls faster
        than every power of n; None where no theorem tells.
    """

    exponent: float | None
    reason: str
    speed: Literal["never", "slowly", "fast"] | None = "fast"

    @property
    def settles(self) -> bool | None:
        """Whether P(wrong order at n) -> 0; None where no theorem tells."""
        return None if self.speed is None else self.speed != "never"

    @property
    def consistent(self) -> bool | None:
        """Whether the two are consistently distinguishable (Definition 3); None where no theorem tells."""
        return None if self.speed is None else self.speed == "fast"


def _never(reason: str) -> ErrorExponent:
    return ErrorExponent(0.0, f"{reason}: the order never settles", "never")


def _slowly(reason: str) -> ErrorExponent:
    return ErrorExponent(0.0, f"{reason}: the wrong order dies out, no faster than a power of n", "slowly")


def _not_known(reason: str) -> ErrorExponent:
    return ErrorExponent(None, reason, None)


@dataclass(frozen=True)
class _Pair:
    """Two scorers, ordered by their mean gain at the top."""

    ahead: Relevance
    behind: Relevance

    @classmethod
    def of(cls, a: Relevance, b: Relevance) -> _Pair:
        return cls(a, b) if a.mean_gain_at_top >= b.mean_gain_at_top else cls(b, a)

    @property
    def lead(self) -> float:
        lead = self.ahead.mean_gain_at_top - self.behind.mean_gain_at_top
        return lead if lead > _LEVEL else 0.0

    @property
    def near(self) -> float:
        """A depth such that the possible labels do not change between the top and it."""
        return _NEAR * min((*self.ahead.breakpoints, *self.behind.breakpoints), default=1.0)

    def labels(self, depth: float) -> tuple[list[float], list[float]]:
        """Return the gains that are possible at a depth, for both scorers, in increasing order."""
        possible = []
        for relevance in (self.ahead, self.behind):
            gains, chances = relevance.label_law(depth)
            # smaller ones are rounding errors
            possible.append(sorted(gains[chances > 1e-13].tolist()))
        return possible[0], possible[1]

    @property
    def slopes(self) -> tuple[float, float]:
        """The difference of the mean gains per depth, at two depths close to the top."""
        unit = self.near / _NEAR
        near, nearer = (
            float(self.ahead.mean_gain(x * unit) - self.behind.mean_gain(x * unit)) / (x * unit)
            for x in _SLOPE
        )
        return near, nearer

    @property
    def certain(self) -> tuple[bool, bool]:
        """Whether the label at the very top is certain, for each scorer."""
        ahead, behind = self.labels(0.0)
        return len(ahead) == 1, len(behind) == 1

    def separated(self, depth: float) -> bool:
        """Return whether all labels of the first scorer exceed all labels of the second at a depth."""
        ahead, behind = self.labels(depth)
        return ahead[0] > behind[-1]


def error_exponent(a: Scorer, b: Scorer, measure: Measure) -> ErrorExponent:
    """Return the error exponent of a pair of scorers.

    Parameters
    ----------
    a, b : Scorer
        Curves with the same label law; the scores are independent given the label.
    measure : Measure

    Returns
    -------
    ErrorExponent
        The exponent is 0 where P(wrong order at n) stays away from 0, or falls no faster than a power of n.
        The reason says which.

    >>> a, b = Relevance.parse("linear(0.2, 0.6)"), Relevance.parse("linear(0.45, 0.35)")
    >>> measures = map(Measure.parse, ("nDCG", "nDCG(zipf)", "nDCG@n^0.5", "nDCG@10"))
    >>> [round(error_exponent(a, b, measure).exponent, 3) for measure in measures]
    [1.0, 0.2, 0.5, 0.0]
    """
    if not a.iid:
        return _not_known("how an order with a fixed number of relevant items settles is not known")
    pair, asymptotics = _Pair.of(a.model, b.model), measure.discount.asymptotics
    growth = measure.cutoff.growth
    if growth.bounded or asymptotics.summable:
        return _first_ranks(pair, fixed=growth.bounded)
    if not growth.known:
        return _not_known(f"how the cutoff {measure.cutoff} grows is not known")
    if not asymptotics.known:
        return _not_known("how fast this discount falls is not known: say what it is like")
    if growth.vanishing:
        return _vanishing(pair, growth, asymptotics.exponent)
    if isinstance(asymptotics, HarmonicDecay):
        return _zipf(pair, growth) if pair.lead else _zipf_level(pair, measure)
    if abs(_integral(pair.ahead, pair.behind, measure)) > _LEVEL:
        return ErrorExponent(1.0, "a share of all items decides")  # Theorem A
    return _level(pair, measure)


def _first_ranks(pair: _Pair, fixed: bool) -> ErrorExponent:
    """Return the exponent for a fixed cutoff or a summable discount (Theorem 6 of the paper, Theorem F)."""
    ahead, behind = pair.labels(0.0)
    if pair.separated(pair.near):
        return ErrorExponent(
            1.0, "the labels at the top are certain and differ: a share of all items decides"
        )
    if ahead[0] > behind[-1]:
        return _slowly("the labels at the very top are certain and differ")
    if fixed or ahead[0] < behind[-1]:
        return _never("the first ranks decide, and their labels stay random or equal")
    if all(pair.certain):
        return _not_known("the labels at the very top are certain and equal: what lies below decides")
    # one top label is certain, and the other scorer's DCG differs from it with probability 1
    below, above = pair.labels(pair.near)
    if below[0] < ahead[0] or above[-1] > behind[-1]:
        return _slowly("the label at the very top is certain for one scorer")
    return _not_known("the label at the top is certain for one scorer: no theorem tells")


def _vanishing(pair: _Pair, growth: CutoffGrowth, b: float) -> ErrorExponent:
    """Return the exponent for k -> infinity, k = o(n) (Theorems C and G)."""
    if not pair.lead:
        return _vanishing_level(pair, growth, b)
    if pair.separated(pair.near):
        return ErrorExponent(
            1.0, "the labels at the top are certain and differ: a share of all items decides"
        )
    if b == 1:
        return _zipf(pair, growth)
    return _of_cutoff(growth, 1.0, "as many items as the cutoff lets in decide")


def _of_cutoff(growth: CutoffGrowth, kappa: float, reason: str) -> ErrorExponent:
    """Return the exponent where -log P(wrong order) grows like ``k^kappa``."""
    faster = growth.exceeds_log(kappa)
    if faster is None:
        return _not_known(f"the cutoff grows like a power of log n, and k^{kappa:.3g} about like log n")
    if faster:
        return ErrorExponent(growth.power * kappa, reason)
    return _slowly(f"the cutoff grows like {'log n' if growth.logs == 1 else 'a power of log n'}")


def _vanishing_level(pair: _Pair, growth: CutoffGrowth, b: float) -> ErrorExponent:
    """Return the exponent for k = o(n) where the mean gains at the top agree (Theorem G)."""
    slope, nearer = pair.slopes
    straight = abs(nearer - slope) <= max(_STRAIGHT * abs(slope), _FLAT)
    if straight and (growth.power, growth.logs) < (0.5, 0.0):
        # the labels at the first k ranks have the same law, up to O(k^2/n) -> 0 in total variation
        return _never("the curves agree at the top")
    if all(pair.certain) or not straight:
        return _not_known("the curves agree at the top: what lies below decides")
    # the means differ by a multiple of k^(2-b)/n; up to this cutoff that is no more than the deviations are
    least = max(2 / 3, 1 / (2 - b))
    if abs(growth.power - least) <= _LEVEL and growth.logs > 0:
        return _not_known("the curves agree at the top, and the cutoff grows hardly fast enough")
    if growth.power <= least + _LEVEL:
        return _never("the curves agree at the top, and the cutoff grows too slowly")
    if abs(slope) <= _FLAT:
        return _not_known("the curves and their slopes agree at the top: what lies below decides")
    # (18) of docs/theorems.md: z_n^2 is of the order of k^3/n^2, mu_n^(1/(1-b)) of (k^(2-b)/n)^(1/(1-b))
    exponent = 3 * growth.power - 2 if b <= 0.5 else ((2 - b) * growth.power - 1) / (1 - b)
    return ErrorExponent(exponent, "the curves agree at the top, and their slopes decide")


def _zipf(pair: _Pair, growth: CutoffGrowth) -> ErrorExponent:
    """Return the exponent for 1/r where the curves differ at the top (Theorems B and C)."""
    # The cheapest wrong order turns the first R labels of the leader to the lowest possible gain and those of
    # the other to the highest. That costs a multiple of R, up to logarithms, and changes the difference by
    # (lead + highest - lowest) log R, which must undo lead log k.
    (lowest, *_), (*_, highest) = pair.labels(pair.near)
    if highest <= lowest and growth.share > 0:
        return ErrorExponent(1.0, "no labels near the top undo the lead: a share of all items decides")
    kappa = pair.lead / (pair.lead + highest - lowest)
    ranks = f"the labels of the first n^{growth.power * kappa:.3g} ranks decide"
    return _of_cutoff(growth, kappa, ranks if growth.power else f"the first k^{kappa:.3g} ranks decide")


def _zipf_level(pair: _Pair, measure: Measure) -> ErrorExponent:
    """Return the exponent for 1/r where the curves agree at the top: the means differ by a constant."""
    if not all(pair.certain):
        return _never("the curves agree at the top")
    ahead, behind = pair.labels(pair.near)
    if abs(_integral(pair.ahead, pair.behind, measure)) > _LEVEL and len(ahead) > 1 and len(behind) > 1:
        return _slowly("the labels at the very top are certain and equal")
    return _not_known("the labels at the very top are certain and equal: what lies below decides")


def _level(pair: _Pair, measure: Measure) -> ErrorExponent:
    """Return the exponent where limits (log: leading terms in 1/log n) are equal (Theorems D and E)."""
    asymptotics = measure.discount.asymptotics
    if isinstance(asymptotics, LogDecay):
        if _integral(pair.ahead, pair.behind, measure, absolute=True) <= _LEVEL:
            return _never("the curves agree as far as the cutoff")
        # Theorem D: n / (log n)^(2e), e = K - 1 on the whole list and e = K with k = cn
        moment = first_moment(pair.ahead, pair.behind, measure)
        first = int(measure.cutoff.growth.share == 1.0)
        if moment is None:
            return ErrorExponent(
                1.0, "the curves differ, in a high order of 1/log n: n over a power of log n"
            )
        return ErrorExponent(1.0, f"the leading terms agree: n/(log n)^{2 * (moment.order - first)}")
    if isinstance(asymptotics, PowerDecay) and all(pair.certain) and pair.lead:
        if not asymptotics.square_summable:
            return _never("the limits agree")  # Theorem E (a), b <= 1/2
        # The certain labels at the top make the scorer behind there the winner (zeta(b) < 0). Theorem E (b):
        # labels near the top that help the other one are impossible; (c): a few of them are enough
        ahead, behind = pair.labels(pair.near)
        if (
            ahead[-1] <= pair.ahead.mean_gain_at_top + _LEVEL
            and behind[0] >= pair.behind.mean_gain_at_top - _LEVEL
        ):
            return ErrorExponent(
                2 * asymptotics.exponent - 1, "the limits agree, and only the labels at the top differ"
            )
        return _slowly("the limits agree, and the labels at the top are certain")
    return _never("the limits agree")


def _integral(a: Relevance, b: Relevance, measure: Measure, absolute: bool = False) -> float:
    """Return the leading term of the difference of the mean DCGs, an integral with the profile as its weight.

    For the log discount without cutoff the profile's integral is 0, and the next weight is -log t.
    """
    end = measure.cutoff.growth.share
    breaks = tuple(x for x in (*a.breakpoints, *b.breakpoints) if x < end)
    t, weights = nodes_between(edges(0.0, end, breaks))
    asymptotics = measure.discount.asymptotics
    plain_log = isinstance(asymptotics, LogDecay) and end == 1.0
    profile = -np.log(t) if plain_log else asymptotics.profile(t)
    difference = a.mean_gain(t) - b.mean_gain(t)
    return float(np.sum(weights * profile * (np.abs(difference) if absolute else difference)))
