"""The exact mean of NDCG at finite n.

An item of gain y_j at depth t adds ``y_j D(1 + A) 1(A < k) / IDCG``, A the number of items above it. Given
the label counts c of the n - 1 others, A is a sum of independent binomials (`ranks`, `cut`) and IDCG is
known (`ideal`)::

    E[NDCG_n] = sum_j y_j n int P(Y = y_j | t) E_c[ E[D(1 + A); A < k | c, t] / IDCG(c + e_j) ] dt.

The item at hand is there: whatever is rare, nothing in the formula is a difference or a ratio of rare
things. Nothing is asymptotic either: n goes from 1 to 9e18. The limits of Wang et al. (2013) are
approached at rates as slow as 1/log n; these means are for the n that was simulated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import LARGEST_N, Floats, list_lengths
from ndcg_asymptotics.measures import Discount, Measure, exponentials
from ndcg_asymptotics.populations import Mixture, Relevance
from ndcg_asymptotics.theory.mean.condense import nearly_condensed
from ndcg_asymptotics.theory.mean.cost import require_affordable
from ndcg_asymptotics.theory.mean.counts import two_parts
from ndcg_asymptotics.theory.mean.cut import gained
from ndcg_asymptotics.theory.mean.ideal import IdealRule, binary_rule, ideal_rule, surely_filled
from ndcg_asymptotics.theory.mean.memo import Memo
from ndcg_asymptotics.theory.mean.mesh import MESHES, Mesh
from ndcg_asymptotics.theory.mean.ranks import RankMean

_ROUNDING = 2e-11  # relative: what two evaluations have in common (sums of exponentials)
_REFINE = 1.5  # of the better of two meshes, which tell the error together
_TOLERANCE, _ROUGHER = 1e-11, 30.0  # of the rules for label counts
_HIGHEST, _MOMENTS = 12, 300  # degree, number of moments that a condensed rule keeps
_MOMENT = 1e-11  # of the moments that a condensed rule may miss,
_MOST = 20_000  # unless it stands for more nodes than can be afforded
_KEPT = 3000  # nodes that are not condensed where the gained is no polynomial of the counts
_ENOUGH = 6  # a degree that leaves about 1e-8
_SHARP = 0.5  # counts that move the rank of an item at the cutoff more than they leave it open, times that
_SHORTEST = 300  # lists with a cutoff in which every number of positives is taken, which is quick there
_SHORT = 2000  # the same where ranks are nearly certain
_RINGING = 1e-6  # what they leave in longer ones, relative
_CAUTION = 2.0  # the same for the rank from which moments are trusted


@dataclass(frozen=True)
class Expectation:
    """A mean at each of several list lengths.

    Attributes
    ----------
    value : (sizes,)
    error : (sizes,)
        A bound of the absolute error, from a second evaluation on another mesh.
    """

    value: Floats
    error: Floats


def expected_ndcg(
    relevance: Relevance | str, measure: Measure | str, sizes: Sequence[int] | ArrayLike
) -> Expectation:
    """E[NDCG_n], NDCG_n = 0 where every label is 0.

    ::

        E[NDCG_n] = sum_j y_j n int P(Y = y_j | t) E_c[ E[D(1 + A); A < k | c, t] / IDCG(c + e_j) ] dt

    over the depth t of one item of gain y_j and the label counts c of the n - 1 others, A the number of
    items above it: a sum of independent binomials given c.

    Parameters
    ----------
    relevance : Relevance or text
        Binary or graded.
    measure : Measure or text
        Any discount that is a sum of exponentials (log, power(b) with b <= 30, zipf, geometric, a
        user's own) or linear, any cutoff.
    sizes : (sizes,) whole numbers
        List lengths from 1 to 9e18.

    Returns
    -------
    Expectation
        The means, with a bound of the error of each in ``error``.

    Raises
    ------
    InputError
        If the discount is neither linear nor a sum of exponentials, a size is out of range, or the means
        would take more than an hour.

    Examples
    --------
    >>> mean = expected_ndcg("linear(0.1, 0.7)", "nDCG", [5, 1000, 10**18])
    >>> mean.value.round(8)
    array([0.76853711, 0.90313918, 0.98662196])
    """
    relevance, measure, lengths = Relevance.of(relevance), Measure.of(measure), list_lengths(sizes)
    if isinstance(relevance, Mixture):
        found = relevance.each(lambda model: _expected_ndcg(model, measure, lengths))
        return Expectation(
            *(relevance.weights @ [vars(mean)[part] for mean in found] for part in ("value", "error"))
        )
    return _expected_ndcg(relevance, measure, lengths)


@lru_cache(maxsize=512)  # check, distinguish and figures ask for the same means
def _expected_ndcg(relevance: Relevance, measure: Measure, lengths: tuple[int, ...]) -> Expectation:
    require_affordable(relevance, measure, len(lengths))
    means = _rank_means(measure.discount, lengths)
    (first, _), (value, missed) = (
        np.array(
            [_Evaluation(measure, n, Mesh.of(relevance, n, refine), mean, refine).value() for n in lengths]
        ).T
        for refine, mean in zip((1.0, _REFINE), means, strict=True)
    )
    error = np.abs(value - first) + missed + _ROUNDING * value
    value.flags.writeable = error.flags.writeable = False
    return Expectation(value, error)


def _rank_means(discount: Discount, lengths: tuple[int, ...]) -> list[RankMean]:
    """A discount for each of two evaluations; the same whatever the lengths, if there is a choice."""
    largest = LARGEST_N if discount.regular else max(lengths)
    return [RankMean.of(discount, largest, caution) for caution in (1.0, _CAUTION)]


@dataclass(frozen=True)
class _Evaluation:
    """A relevance model and a measure at one n, as they are evaluated."""

    measure: Measure
    n: int
    mesh: Mesh
    mean: RankMean
    refine: float

    def value(self) -> tuple[float, float]:
        """The mean, and what the rule for the label counts may leave of it."""
        gains, k = np.array(self.mesh.relevance.gains), self.measure.cutoff(self.n)
        if self.measure.discount(1.0, float(self.n)) == 0:  # linear at n = 1: IDCG is 0
            return 0.0, 0.0
        cut = k < self.n and len(gains) == 1 and not surely_filled(self.mesh.law, k, self.n)
        sharpness = self.mesh.sharpness(k, self.n) if k < self.n and (cut or len(gains) > 1) else 0.0
        certain = cut and self.mesh.nearly_certain(self.n)
        every = cut and self.n <= (_SHORT if certain else _SHORTEST)
        width = None
        if every or (cut and sharpness > _SHARP):
            width = 1.5 / (self.refine * max(sharpness, 1.0)) if not every else 0.0
        key = (self.mean, tuple(gains), tuple(self.mesh.law), k, self.n, self.refine, width)
        rule = _RULES.get((*key, sharpness > _SHARP), lambda: self._rule(gains, k, width, sharpness > _SHARP))
        mesh = self.mesh if rule.counts.shape[1] > 1 else self.mesh.unlabelled()
        value = float(
            ((gained(self.mean, mesh, rule.counts, k, self.n, self.refine) * rule.weights) @ gains).sum()
        )
        return value, value * (rule.missed + (_RINGING if certain and not every else 0.0))

    def _rule(self, gains: Floats, k: int, width: float | None, sharp: bool) -> IdealRule:
        """The rule for the label counts, in pieces so wide if that is said."""
        if width is not None:
            return binary_rule(self.mean, gains[0], self.mesh.law[0], k, self.n, width)
        better = self.refine > 1
        tolerance = _TOLERANCE if better else _ROUGHER * _TOLERANCE
        rule = ideal_rule(self.mean, gains, self.mesh.law, k, self.n, tolerance, halves=better)
        degree = _degree(len(gains))
        # a rule for one grade has few nodes; of whole lists many are quickly done; no polynomial is sharp
        needed = sharp and len(rule.counts) <= _KEPT
        if rule.counts.shape[1] > 2 and (degree >= _ENOUGH or k < self.n) and not needed:
            counts, weights, missed = nearly_condensed(rule.counts, rule.weights, degree - (not better))
            if missed <= _MOMENT or len(rule.counts) > _MOST:
                return IdealRule(counts, weights, rule.missed + missed)
        return rule


_RULES = Memo[IdealRule](2**26, size=lambda rule: rule.nbytes)
"""Scorers of one population have the same labels."""


def _degree(grades: int) -> int:
    """The highest degree of which there are not too many moments."""
    return max(d for d in range(_HIGHEST + 1) if math.comb(d + grades, grades) <= _MOMENTS or d < 2)


def forget() -> None:
    """Drop the means that are held, and what is behind them."""
    _expected_ndcg.cache_clear()
    RankMean.of.cache_clear()
    MESHES.clear()
    _RULES.clear()
    two_parts.cache_clear()
    exponentials.forget()


def expected_dcg(
    relevance: Relevance | str, discount: Discount | str, sizes: Sequence[int] | ArrayLike
) -> Expectation:
    """E[DCG_n] of the whole list.

    ``E[DCG_n] = n sum_m w_m z_m int E[Y | t] (1 - t (1 - z_m))^(n-1) dt``: the item at depth t has
    rank 1 + Binomial(n - 1, t). Parameters, accuracy and errors as for `expected_ndcg`.

    >>> expected_dcg("constant(0.5)", "zipf", [2]).value.round(9)
    array([0.75])
    """
    relevance, discount, lengths = Relevance.of(relevance), Discount.of(discount), list_lengths(sizes)
    means = _rank_means(discount, lengths)
    first, value = (
        np.array([_dcg(Mesh.of(relevance, n, refine), mean, n) for n in lengths])
        for refine, mean in zip((1.0, _REFINE), means, strict=True)
    )
    return Expectation(value, np.abs(value - first) + _ROUNDING * value)


def _dcg(mesh: Mesh, mean: RankMean, n: int) -> float:
    gained = mean.gained(mesh.unlabelled().depths, np.array([[n - 1.0]]), n)
    return float(gained[0] @ np.array(mesh.relevance.gains))
