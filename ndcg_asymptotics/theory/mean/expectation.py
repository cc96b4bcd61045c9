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

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats, Integers, list_lengths
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.core.errors import NotAvailableError
from ndcg_asymptotics.measures import Discount, Measure
from ndcg_asymptotics.populations import FixedCounts, Relevance, Scorer
from ndcg_asymptotics.theory.at_lengths import AtLengths
from ndcg_asymptotics.theory.mean.fixed_counts import mean_with_fixed_counts
from ndcg_asymptotics.theory.mean.label_counts import LabelMeans
from ndcg_asymptotics.theory.mean.rank_terms import (
    DEGREES,
    TOLERANCE,
    Places,
    expansion_terms,
    fourier_terms,
    places_of,
    projections,
)
from ndcg_asymptotics.theory.rules.ideal import discount_sums
from ndcg_asymptotics.theory.rules.quadrature import SPACING

# Bounds of relative errors, from 2,203 lists with oracles or finer rules. Sums of exponentials and degrees
# that are left out make up to 2.5e-10. Where a count passes the cutoff in long lists, errors were up to 4e-9
# for several grades with few degrees, and up to 2e-5 for more of these and for Fourier series.
_ERROR, _ERROR_AT_KINKS, _ERROR_OF_SHARP_KINKS = 5e-10, 1e-7, 1e-4
_LARGEST_ERROR = 10 * _ERROR_OF_SHARP_KINKS  # means with a larger error are not drawn
_INDEPENDENT = 1e-13  # correlation of ranks and label counts that is rounding


def expected_ndcg(
    scorer: Scorer | str, measure: Measure | str, sizes: Sequence[int] | ArrayLike
) -> AtLengths:
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

    Returns
    -------
    AtLengths
        The means with a bound of the absolute error of each: 5e-10 of the mean, which no table shows. It is
        up to 1e-4 where the label counts nearly determine the ranks around a cutoff in long lists.

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
    if isinstance(scorer, FixedCounts):
        return expected_with_fixed_counts(scorer, measure, lengths)
    return AtLengths.of([_mean(scorer.model, measure, n) for n in lengths])


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


def expected_with_fixed_counts(model: FixedCounts, measure: Measure, lengths: Sequence[int]) -> AtLengths:
    """Return E[NDCG_n] with a fixed number of relevant items, for n up to 1e90."""
    return AtLengths.of([mean_with_fixed_counts(model, measure, n) for n in lengths])


@shared
def _mean(relevance: Relevance, measure: Measure, n: int) -> tuple[float, float]:
    """Return E[NDCG_n] or E[DCG_n] and a bound of its error, by the integral over depth."""
    discount, k = measure.discount, min(measure.cutoff(n), n)
    places = places_of(relevance, n, k)
    if not places.gains.size or discount(1.0, float(n)) == 0:  # n - r at n = 1, where IDCG is 0, too
        return 0.0, 0.0
    grades = tuple(places.gains.tolist()), tuple(places.law.tolist())
    counts = _label_means(*grades, discount, k, n) if measure.normalised else None
    if float(places.correlation.max()) < _INDEPENDENT:
        value = _without_information(discount, places, counts)
        return value, _ERROR * value
    if counts is None:
        value = float(places.gained.sum(axis=0) @ projections(discount, places, 0)[:, 0])
        return value, _ERROR * value
    degrees = _degrees(counts, places)
    # terms ``weight_j E_c[prod_i q_i^c_i / IDCG(c + e_j)]``
    terms, value = fourier_terms(discount, places, degrees, counts.lattice), 0.0
    highest = int(degrees.max())
    if highest >= 0:
        gains = projections(discount, places, highest)[:, : highest + 1]
        gains = np.where(np.arange(highest + 1) <= degrees[:, None], gains, 0.0)
        if places.gains.size == 1:
            # E[phi_m(A) | c, t] = rho(t)^m psi_m(c)
            rho = np.copysign(places.correlation, places.directions[0])[:, None] ** np.arange(highest + 1)
            value = float(places.gained[0] @ (gains * rho) @ counts.moments(highest))
        else:
            terms += expansion_terms(places, degrees, gains)
    for part in terms:
        above = (places.deviation if part.centred else places.deviation + places.t)[:, part.node]
        value += float(np.real(part.weight * counts(part.slope, above, centred=part.centred).T).sum())
    return value, value * _relative_error(counts, degrees, graded=places.gains.size > 1) + SPACING


def _relative_error(counts: LabelMeans, degrees: Integers, *, graded: bool) -> float:
    if not counts.kinked:
        return _ERROR
    if (degrees < 0).any() or (graded and int(degrees.max()) > DEGREES[0]):
        return _ERROR_OF_SHARP_KINKS
    return _ERROR_AT_KINKS if graded else _ERROR


def _without_information(discount: Discount, places: Places, counts: LabelMeans | None) -> float:
    """Return the mean where labels and ranks are independent: ``n int E[D(1 + A); A < k | t] dt = F(k)``."""
    full = float(discount_sums(discount, places.n)(np.array([places.k]))[0])
    gained = places.gains * places.law[:-1]
    if counts is None:
        return float(gained.sum()) * full
    means = counts(np.zeros(1, complex), np.zeros((len(gained) + 1, 1)), centred=False)
    return float(np.real(means[0] @ gained)) * full


def _degrees(counts: LabelMeans, places: Places) -> Integers:
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
            coefficients = np.abs(counts.moments(highest))[None, :]
        else:
            coefficients = np.abs(counts.coefficients(deviation[:, probes], t[probes], highest))
        left = np.maximum.accumulate(coefficients[:, ::-1], axis=1)[:, ::-1]
        small = ratio[:, :, None] ** np.arange(highest + 1) * left <= TOLERANCE * coefficients[:, 0].min()
        small = small.all(axis=1)
        small[:, n - 1 :] = True  # there are no more than n polynomials
        if small.any(axis=1).all():
            break
    return np.where(small.any(axis=1), np.argmax(small, axis=1), -1)


@shared  # scorers of one population have the same labels
def _label_means(
    gains: tuple[float, ...], law: tuple[float, ...], discount: Discount, k: int, n: int
) -> LabelMeans:
    return LabelMeans(np.array(gains), np.array(law), discount_sums(discount, n), k, n - 1)
