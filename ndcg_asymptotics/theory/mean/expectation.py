"""The exact mean of NDCG, and of DCG, at finite n.

An item of gain y_j at depth t adds ``y_j D(1 + A) 1(A < k) / IDCG``, A the number of items above it. Given
the label counts c of the n - 1 others, A is a sum of independent binomials (`rank_terms`) and IDCG is
known (`label_counts`)::

    E[NDCG_n] = sum_j y_j n int P(Y = y_j | t) E_c[ E[D(1 + A); A < k | c, t] / IDCG(c + e_j) ] dt.

This is equation (4) of docs/theory.md. The formula is a sum over items that exist, so nothing in it is a
difference or a ratio of small probabilities, however rare a label is. Nothing is asymptotic either: n goes
from 1 to 9e18. The limits of Wang et al. (2013) are approached at rates as slow as 1/log n; these means are
for the n that was simulated.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats, Integers, as_list, list_lengths
from ndcg_asymptotics.core.caching import shared, shared_each
from ndcg_asymptotics.core.errors import NotAvailableError
from ndcg_asymptotics.measures import Discount, Measure
from ndcg_asymptotics.measures.exponentials import TOLERANCE
from ndcg_asymptotics.populations import FixedCounts, Relevance, Scorer
from ndcg_asymptotics.theory.at_lengths import AtLengths
from ndcg_asymptotics.theory.mean.fixed_counts import mean_with_fixed_counts
from ndcg_asymptotics.theory.mean.label_counts import LabelMeans
from ndcg_asymptotics.theory.mean.rank_terms import (
    DEGREES,
    Places,
    expansion_terms,
    fourier_terms,
    projections_of,
)
from ndcg_asymptotics.theory.rules.ideal import discount_sums
from ndcg_asymptotics.theory.rules.mesh import Mesh

_ROUNDING = 2 * TOLERANCE  # relative error that two evaluations share: that of their sums of exponentials
CAUTION = 6.0  #: a stated error over the difference of two evaluations, which err alike at a sharp kink
_TOGETHER = 64  # lengths whose laws of ranks are computed together; more take memory and gain no time


@dataclass(frozen=True)
class Accuracy:
    """The effort that one evaluation makes.

    Attributes
    ----------
    refine : float
        Panels of depth are this much narrower than usual.
    tolerance : float
        The relative error of sums of exponentials.
    nodes : int
        The nodes of the Gauss rules of label counts.
    """

    refine: float
    tolerance: float
    nodes: int


_ACCURATE = 10 * TOLERANCE
_LARGEST_ERROR = 1e-3  # means with a larger error are not drawn
_ROUGH, _FINE = Accuracy(0.5, _ACCURATE, 24), Accuracy(0.75, _ACCURATE, 30)
"""Two evaluations, whose difference estimates the error but for that of the sums of exponentials."""


@dataclass(frozen=True)
class Expectation(AtLengths):
    """The mean at each of several list lengths.

    Attributes
    ----------
    value : (sizes,)
    error : (sizes,)
        A bound of the absolute error, from a second evaluation on another mesh with other nodes and the error
        of the sums of exponentials.
    """


def expected_ndcg(
    scorer: Scorer | str,
    measure: Measure | str,
    sizes: Sequence[int] | ArrayLike,
    *,
    beside: Sequence[Measure] = (),
) -> Expectation:
    """Return E[NDCG_n], with NDCG_n = 0 where every label is 0, or E[DCG_n].

    The labels are i.i.d., or the number of relevant items is fixed (`mean.fixed_counts`). For i.i.d. labels

    ::

        E[NDCG_n] = sum_j y_j n int P(Y = y_j | t) E_c[ E[D(1 + A); A < k | c, t] / IDCG(c + e_j) ] dt

    over the depth t of one item of gain y_j and the label counts c of the n - 1 others, A the number of
    items above it: a sum of independent binomials given c. DCG is not divided by IDCG, so the label counts
    do not matter and A is Binomial(n - 1, t)::

        E[DCG_n] = n int E[Y | t] E[D(1 + A); A < k | t] dt.

    Parameters
    ----------
    scorer : Scorer or text
        Binary or graded; i.i.d. or with a fixed number of relevant items.
    measure : Measure or text
        Any discount that is a sum of exponentials (log, power(b) with b <= 30, zipf, geometric, a
        user's own), constant or linear, any cutoff.
    sizes : (sizes,) whole numbers
        List lengths from 1 to 9e18.
    beside : sequence of Measure
        Other measures whose means will be wanted at the same lengths. They are computed at the same time,
        which is quicker than one after the other, and kept in memory.

    Returns
    -------
    Expectation
        The means with a bound of the absolute error of each: about 1e-9, which no table shows. It is up to
        5e-6 where the label counts nearly determine the ranks around a cutoff.

    Raises
    ------
    NotAvailableError
        If the discount is neither linear nor a sum of exponentials.
    InputError
        If a size is out of range, or below the number of relevant items.

    Examples
    --------
    >>> mean = expected_ndcg("linear(0.1, 0.7)", "nDCG", [5, 1000, 10**18])
    >>> mean.value.round(8)
    array([0.76853711, 0.90313918, 0.98662196])
    >>> expected_ndcg("relevant(3, roc_power(0.3))", "nDCG", [100, 10**18]).value.round(8)
    array([0.58849252, 0.02586772])
    >>> expected_ndcg("linear(0.1, 0.7)", "DCG(zipf)@2", [2, 1000]).value.round(8)  # E[Y_(1)] + E[Y_(2)] / 2
    array([0.65     , 1.0488012])
    """
    scorer, measure, lengths = Scorer.of(scorer), Measure.of(measure), list_lengths(sizes)
    scorer.check_lengths(lengths)
    others = [Measure.of(other) for other in as_list(beside, "beside", (str, Measure))]
    every = [measure, *(other for other in others if _computed_together(other, measure))]
    if isinstance(scorer, FixedCounts):
        return expected_with_fixed_counts(scorer, measure, lengths)
    return _joined(_each(list(itertools.product(every, lengths)), scorer.model)[: len(lengths)])


def relative_means(scorer: Scorer, measure: Measure, sizes: Sequence[int]) -> Floats:
    """Return E[NDCG_n], or E[DCG_n] / F(k(n)), at some n; NaN where theory does not give it to 1e-3.

    >>> relative_means(Scorer.parse("constant(0.4)"), Measure.of("DCG@5"), [10, 10**6]).round(12)
    array([0.4, 0.4])
    """
    try:
        mean = expected_ndcg(scorer, measure, sizes)
    except NotAvailableError:
        return np.full(len(sizes), np.nan)
    unit = np.array([measure.unit(n) for n in sizes])
    return np.where(mean.error / unit <= _LARGEST_ERROR, mean.value / unit, np.nan)


def _computed_together(other: Measure, measure: Measure) -> bool:
    """Return whether the means of another measure are available, and come from the same kind of integral."""
    smooth = other.discount.regular or other.discount.affine
    return other != measure and other.normalised == measure.normalised and smooth


@shared_each
def _each(means: Sequence[tuple[Measure, int]], relevance: Relevance) -> list[tuple[float, float]]:
    """Return the mean of each measure at a list length, and the bound of its error."""
    lengths_of: defaultdict[Measure, list[int]] = defaultdict(list)
    for measure, n in means:
        lengths_of[measure].append(n)
    together: defaultdict[tuple[int, ...], list[Measure]] = defaultdict(list)
    for measure, own in lengths_of.items():
        together[tuple(own)].append(measure)
    found: dict[tuple[Measure, int], tuple[float, float]] = {}
    for sizes, measures in together.items():
        # a sum of exponentials has a relative error, and all terms are positive; the degrees that are left
        # out have as much
        stated = _stated(partial(_flat, relevance, measures, sizes), _ROUNDING + 3 * _ACCURATE)
        found |= zip(itertools.product(measures, sizes), stated, strict=True)
    return [found[mean] for mean in means]


def _flat(
    relevance: Relevance, measures: Sequence[Measure], lengths: Sequence[int], accuracy: Accuracy
) -> Floats:
    return integrated_means(relevance, measures, lengths, accuracy).ravel()


def expected_with_fixed_counts(model: FixedCounts, measure: Measure, lengths: tuple[int, ...]) -> Expectation:
    """Return E[NDCG_n] with a fixed number of relevant items, for n up to 1e90."""
    return _joined(_with_fixed_counts(lengths, model, measure))


@shared_each
def _with_fixed_counts(
    lengths: Sequence[int], model: FixedCounts, measure: Measure
) -> list[tuple[float, float]]:
    def means(accuracy: Accuracy) -> Floats:
        # panels of fixed counts are cheap
        return np.array([mean_with_fixed_counts(model, measure, n, 2.0 * accuracy.refine) for n in lengths])

    return _stated(means, _ROUNDING)


def _stated(evaluate_with: Callable[[Accuracy], Floats], both: float) -> list[tuple[float, float]]:
    """Return the better ones of two evaluations, which have a relative error in common, and its bounds."""
    first, value = evaluate_with(_ROUGH), evaluate_with(_FINE)
    error = CAUTION * np.abs(value - first) + both * value
    return list(zip(value.tolist(), error.tolist(), strict=True))


def _joined(found: Iterable[tuple[float, float]]) -> Expectation:
    value, error = np.array(list(found), np.float64).reshape(-1, 2).T.copy()
    value.flags.writeable = error.flags.writeable = False
    return Expectation(value, error)


@dataclass(frozen=True)
class _Integral:
    """The integral over depth for lists of one length and measures that differ in their discount only.

    Attributes
    ----------
    places : Places
        Its depths, with the highest degrees that a measure needs.
    counts : list of LabelMeans or None
        For each measure; None for DCG.
    degrees : list of (T,) whole numbers
        The highest degrees of each measure.
    """

    places: Places
    counts: list[LabelMeans | None]
    degrees: list[Integers]

    def values(self, discounts: Sequence[Discount], gains: Floats, accuracy: Accuracy) -> list[float]:
        """Return the integral for each measure, given the g_m of its discount: (D, T, M + 1)."""
        parts = zip(discounts, self.counts, self.degrees, gains, strict=True)
        return [self._value(*part, accuracy) for part in parts]

    def _value(
        self,
        discount: Discount,
        counts: LabelMeans | None,
        degrees: Integers,
        gains: Floats,
        accuracy: Accuracy,
    ) -> float:
        """Return the sum of its terms ``weight_j E_c[prod_i q_i^c_i / IDCG(c + e_j)]``."""
        places = replace(self.places, degrees=degrees)
        if counts is None:
            return float(places.gained.sum(axis=0) @ gains[:, 0])
        variances = (places.n - 1) * places.t * (1 - places.t)
        terms = fourier_terms(discount, places, variances, max(accuracy.refine, 1.0), counts.lattice)
        total = 0.0
        if len(places.gained) == 1:
            total = self._of_one_grade(counts, degrees, gains)
        else:
            terms += expansion_terms(places, gains, accuracy.tolerance)
        for part in terms:
            above = (places.deviation if part.centred else places.deviation + places.t)[:, part.node]
            total += float(np.real(part.weight * counts(part.slope, above, centred=part.centred).T).sum())
        return total

    def _of_one_grade(self, counts: LabelMeans, degrees: Integers, gains: Floats) -> float:
        """Return the expansions where there is one grade, as ``E[phi_m(A) | c, t] = rho(t)^m psi_m(c)``."""
        highest = int(degrees.max())
        if highest < 0:
            return 0.0
        m = np.arange(highest + 1)
        expanded = np.where(m <= degrees[:, None], gains[:, : highest + 1], 0.0)
        return float(
            (self.places.gained[0] @ (expanded * self._powers[:, : highest + 1])) @ counts.moments(highest)
        )

    @cached_property
    def _powers(self) -> Floats:
        """The powers rho(t)^m of the correlation of A and the label count, (T, M + 1)."""
        directions = self.places.directions
        rho = np.copysign(np.hypot(*directions), directions[0])
        return np.asarray(rho[:, None] ** np.arange(self.places.degrees.max() + 1))


def integrated_means(
    relevance: Relevance, measures: Sequence[Measure], lengths: Sequence[int], accuracy: Accuracy
) -> Floats:
    """Return E[NDCG_n] or E[DCG_n], (measures, sizes), each from one evaluation of the integral over depth.

    Measures with the same cutoff share their depths and the laws of ranks there.
    """
    parts = [
        _evaluate_some(relevance, measures, lengths[i : i + _TOGETHER], accuracy)
        for i in range(0, len(lengths), _TOGETHER)
    ]
    return np.concatenate([np.empty((len(measures), 0)), *parts], axis=1)


def _evaluate_some(
    relevance: Relevance, measures: Sequence[Measure], lengths: Sequence[int], accuracy: Accuracy
) -> Floats:
    found = np.zeros((len(measures), len(lengths)))
    integrals = defaultdict(list)
    for column, n in enumerate(lengths):
        alike = defaultdict(list)  # measures with the same cutoff
        for row, measure in enumerate(measures):
            if measure.discount(1.0, float(n)) > 0:  # it is 0 for linear at n = 1, and so is IDCG
                alike[min(measure.cutoff(n), n)].append(row)
        for k, rows in alike.items():
            some = tuple(measures[row] for row in rows)
            part = _integral(relevance, some, n, k, accuracy)
            if isinstance(part, _Integral):
                integrals[tuple(measure.discount for measure in some)].append((part, rows, column))
            else:
                found[rows, column] = part
    for discounts, places in integrals.items():
        every = projections_of(discounts, [part.places for part, _, _ in places])
        for (part, rows, column), gains in zip(places, every, strict=True):
            found[rows, column] = part.values(discounts, gains, accuracy)
    return found


def _integral(
    relevance: Relevance, measures: Sequence[Measure], n: int, k: int, accuracy: Accuracy
) -> _Integral | list[float]:
    """Return the integral for measures with one cutoff, or the means where no integral is needed."""
    mesh = Mesh.of(relevance, n, accuracy.refine)
    occurs = mesh.law[:-1] > 0
    if not occurs.any():
        return [0.0] * len(measures)
    places, gains = Places.of(mesh, k, n, accuracy.refine), np.array(relevance.gains)[occurs]
    largest = float(places.correlation.max())
    grades = tuple(gains.tolist()), tuple(places.law.tolist())
    counts = [
        _label_means(*grades, measure.discount, k, n, accuracy) if measure.normalised else None
        for measure in measures
    ]
    if largest < 1e-13:
        # every label is as likely at every rank, and n int E[D(1 + A); A < k | t] dt = F(k)
        return [
            _without_information(measure.discount, k, n, part, gains * places.law[:-1])
            for measure, part in zip(measures, counts, strict=True)
        ]
    degrees = [places.degrees if part is None else _degrees(part, places, accuracy) for part in counts]
    return _Integral(replace(places, degrees=np.max(degrees, axis=0)), counts, degrees)


def _without_information(
    discount: Discount, k: int, n: int, counts: LabelMeans | None, gained: Floats
) -> float:
    full = float(discount_sums(discount, n)(np.array([k]))[0])
    if counts is None:
        return float(gained.sum()) * full
    means = counts(np.zeros(1, complex), np.zeros((len(gained) + 1, 1)), centred=False)
    return float(np.real(means[0] @ gained)) * full


def _degrees(counts: LabelMeans, places: Places, accuracy: Accuracy) -> Integers:
    """Return the degree of the expansion in `rank_terms` for each depth; -1 stands for a Fourier series."""
    n, t, deviation, correlation = places.n, places.t, places.deviation, places.correlation
    if not counts.vary or n == 1 or correlation.max() < 1e-8:
        return np.zeros(t.size, int)
    # The coefficient of degree m is at most rho^m, but falls further because 1/IDCG varies little. So it is
    # computed at a few depths, and scaled to the others. With one grade it is rho^m E[psi_m(c) / IDCG].
    one_grade = len(deviation) == 2
    probes = np.unique(
        [np.argmin(np.abs(correlation - part * correlation.max())) for part in (0.25, 0.5, 1.0)]
    )
    # with a smaller correlation the m-th coefficient is this one times the m-th power of their ratio
    ratio = correlation[:, None] / correlation[probes]
    ratio = correlation[:, None] if one_grade else np.where(ratio <= 1, ratio, 0.0)
    # in longer lists that need so many degrees a Fourier series has no more terms
    most = n - 1 if one_grade or n <= DEGREES[-1] else (n - 1) // 3
    for highest in sorted({min(degree, most) for degree in DEGREES}):
        if one_grade:
            found = np.abs(counts.moments(highest))[None, :]
        else:
            found = np.abs(counts.coefficients(deviation[:, probes], t[probes], highest))
        left = np.maximum.accumulate(found[:, ::-1], axis=1)[:, ::-1]
        small = ratio[:, :, None] ** np.arange(highest + 1) * left <= accuracy.tolerance * found[:, 0].min()
        small = small.all(axis=1)
        small[:, n - 1 :] = True  # there are no more than n polynomials
        if small.any(axis=1).all():
            break
    return np.where(small.any(axis=1), np.argmax(small, axis=1), -1)


@shared  # scorers of one population have the same labels
def _label_means(
    gains: tuple[float, ...],
    law: tuple[float, ...],
    discount: Discount,
    k: int,
    n: int,
    accuracy: Accuracy,
) -> LabelMeans:
    # the nodes of a single grade are cheap
    nodes = math.ceil(accuracy.nodes * (1.5 if len(gains) == 1 else 1.0))
    sums = discount_sums(discount, n)
    return LabelMeans(np.array(gains), np.array(law), sums, min(k, n), n - 1, nodes, accuracy.tolerance)
