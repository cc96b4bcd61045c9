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

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats, Integers, list_lengths
from ndcg_asymptotics.core.caching import shared, shared_each
from ndcg_asymptotics.measures import Discount, Measure
from ndcg_asymptotics.populations import FixedCounts, Relevance, Scorer, over_groups
from ndcg_asymptotics.theory.mean.fixed_counts import evaluate_fixed_counts
from ndcg_asymptotics.theory.mean.label_counts import LabelMeans
from ndcg_asymptotics.theory.mean.rank_terms import Crossing, Places, projections, projections_of, rank_terms
from ndcg_asymptotics.theory.rules.ideal import ideal_sums
from ndcg_asymptotics.theory.rules.mesh import Depths, Mesh, joined

_ROUNDING = 2e-11  # relative error that two evaluations share: that of their sums of exponentials
_CAUTION = (
    6.0  # the stated error is this times the difference of two evaluations, which err alike at a sharp kink
)
_LONE_GRADE = 1.5  # a single grade has this times the nodes, as they are cheap
_PROBES = (0.25, 0.5, 1.0)  # parts of the largest correlation at which the degree is determined
_DEGREES = (9, 19, 35)  # of expansions in the number of items above, tried in turn
_UNCORRELATED = 1e-8
_WITHOUT_INFORMATION = 1e-13
_SHARP = 0.85  # correlation of rank and label counts beyond which the counts leave few ranks open
_TOGETHER = 64  # lengths whose laws of ranks are computed together; more take memory and gain no time
_PANEL = 5.0  # width of a panel around a cutoff, in standard deviations of the depth there


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


_FULL = Accuracy(1.0, 3e-11, 44), Accuracy(1.5, 1e-11, 56)
QUICK = Accuracy(0.5, 1e-7, 24), Accuracy(0.75, 2e-8, 30)
"""Pairs of evaluations; their difference estimates the error."""


@dataclass(frozen=True)
class Expectation:
    """The mean at each of several list lengths.

    Attributes
    ----------
    value : (sizes,)
    error : (sizes,)
        A bound of the absolute error, from a second evaluation on another mesh with other nodes and the error
        of the sums of exponentials.
    """

    value: Floats
    error: Floats


def expected_ndcg(
    scorer: Scorer | str,
    measure: Measure | str,
    sizes: Sequence[int] | ArrayLike,
    *,
    quick: bool = False,
) -> Expectation:
    """Return E[NDCG_n], with NDCG_n = 0 where every label is 0, or E[DCG_n].

    The labels are i.i.d., or the number of relevant items is fixed (`mean.fixed_counts`). For i.i.d. ones

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
    quick : bool
        Whether to compute six digits only. That takes a tenth of the time where labels have several grades,
        and is enough beside a simulation.

    Returns
    -------
    Expectation
        The means with a bound of the absolute error of each: about 1e-10, and 1e-7 if ``quick``. It is larger
        where the label counts nearly determine the ranks around a cutoff. That of DCG is 1e-10 of its size.

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
    # DCG takes no time
    pair = QUICK if quick and measure.normalised else _FULL
    scorer.check_lengths(lengths)
    return over_groups(
        [scorer],
        lambda relevance: _expected_ndcg(relevance, measure, lengths, pair),
        _mixed,
        lambda model: expected_with_fixed_counts(model, measure, lengths, pair),
    )


def _mixed(weights: Floats, found: list[Expectation]) -> Expectation:
    return Expectation(*(weights @ [vars(mean)[part] for mean in found] for part in ("value", "error")))


def _expected_ndcg(
    relevance: Relevance, measure: Measure, lengths: tuple[int, ...], pair: tuple[Accuracy, Accuracy]
) -> Expectation:
    return _joined(_at_lengths(lengths, relevance, measure, pair))


@shared_each
def _at_lengths(
    lengths: Sequence[int], relevance: Relevance, measure: Measure, pair: tuple[Accuracy, Accuracy]
) -> list[tuple[float, float]]:
    one = evaluate if measure.normalised else _dcg
    return _stated(lambda accuracy: one(relevance, measure, lengths, accuracy), pair)


def expected_with_fixed_counts(
    model: FixedCounts,
    measure: Measure,
    lengths: tuple[int, ...],
    pair: tuple[Accuracy, Accuracy] = _FULL,
) -> Expectation:
    """Return E[NDCG_n] with a fixed number of relevant items, for n up to 1e90."""
    return _joined(_with_fixed_counts(lengths, model, measure, pair))


@shared_each
def _with_fixed_counts(
    lengths: Sequence[int], model: FixedCounts, measure: Measure, pair: tuple[Accuracy, Accuracy]
) -> list[tuple[float, float]]:
    def means(accuracy: Accuracy) -> Floats:
        return np.array([evaluate_fixed_counts(model, measure, n, accuracy.refine) for n in lengths])

    return _stated(means, pair)


def _stated(
    evaluate_with: Callable[[Accuracy], Floats], pair: tuple[Accuracy, Accuracy]
) -> list[tuple[float, float]]:
    """Return the more accurate ones of two evaluations, and bounds of their errors from both."""
    first, value = map(evaluate_with, pair)
    # a sum of exponentials has a relative error, and all terms are positive
    error = _CAUTION * np.abs(value - first) + (_ROUNDING + 2 * pair[1].tolerance) * value
    return list(zip(value.tolist(), error.tolist(), strict=True))


def _joined(found: Iterable[tuple[float, float]]) -> Expectation:
    value, error = np.array(list(found), np.float64).reshape(-1, 2).T.copy()
    value.flags.writeable = error.flags.writeable = False
    return Expectation(value, error)


@dataclass(frozen=True)
class _Integral:
    """The integral over depth for lists of one length, before the means over the items above.

    Attributes
    ----------
    places : Places
        Its depths; an item of grade j gains ``y_j n P(Y = y_j | t) dt``.
    deviation : (J + 1, T)
        ``G_i(t) - t`` for each grade.
    counts : LabelMeans
    """

    places: Places
    deviation: Floats
    counts: LabelMeans

    def value(self, discount: Discount, gains: Floats, accuracy: Accuracy) -> float:
        """Return the sum of its terms ``weight_j E_c[prod_i q_i^c_i / IDCG(c + e_j)]``."""
        refine, total = max(accuracy.refine, 1.0), 0.0
        for terms in rank_terms(
            discount, self.places, gains, accuracy.tolerance, refine, self.counts.lattice
        ):
            above = (self.deviation if terms.centred else self.deviation + self.places.t)[:, terms.node]
            means = self.counts(terms.slope, above, centred=terms.centred)
            total += float(np.real(terms.weight * means.T).sum())
        return total


def evaluate(relevance: Relevance, measure: Measure, lengths: Sequence[int], accuracy: Accuracy) -> Floats:
    """Return E[NDCG_n] at several lengths, each from one evaluation of the integral over depth."""
    parts = [
        _evaluate_some(relevance, measure, lengths[i : i + _TOGETHER], accuracy)
        for i in range(0, len(lengths), _TOGETHER)
    ]
    return np.concatenate([np.empty(0), *parts])


def _evaluate_some(
    relevance: Relevance, measure: Measure, lengths: Sequence[int], accuracy: Accuracy
) -> Floats:
    found = [_integral(relevance, measure, n, accuracy) for n in lengths]
    integrals = [part for part in found if isinstance(part, _Integral)]
    if integrals:
        gains = iter(projections_of(measure.discount, [part.places for part in integrals]))
    return np.array(
        [
            part.value(measure.discount, next(gains), accuracy) if isinstance(part, _Integral) else part
            for part in found
        ]
    )


def _integral(relevance: Relevance, measure: Measure, n: int, accuracy: Accuracy) -> _Integral | float:
    """Return the integral, or E[NDCG_n] itself where no integral is needed."""
    discount, k = measure.discount, min(measure.cutoff(n), n)
    if discount(1.0, float(n)) == 0:  # linear at n = 1: IDCG is 0
        return 0.0
    mesh = Mesh.of(relevance, n, accuracy.refine)
    occurs = mesh.law[:-1] > 0
    if not occurs.any():
        return 0.0
    gains, law = np.array(relevance.gains)[occurs], mesh.law[np.append(occurs, True)]
    depths = _depths(mesh, k, n, accuracy)
    # rho^2 = sum_i p_i (G_i - t)^2 / (t (1 - t)): the squared correlation of A and the label counts
    deviation = depths.above[np.append(occurs, True)] - depths.t
    correlation = np.sqrt(np.maximum(law @ deviation**2, 0.0) / (depths.t * (1 - depths.t)))
    sharp = bool(correlation.max() > _SHARP)
    counts = _label_means(tuple(gains.tolist()), tuple(law.tolist()), discount, k, n, accuracy, sharp)
    if correlation.max() < _WITHOUT_INFORMATION:
        # every label is as likely at every rank, and n int E[D(1 + A); A < k | t] dt = F(k)
        means = counts(np.zeros(1, complex), np.zeros((len(law), 1)), centred=False)
        return float(np.real(means[0] @ (gains * law[:-1])) * ideal_sums(discount, n)(np.array([k]))[0])
    degrees = _degrees(counts, deviation, depths.t, correlation, n, accuracy)
    gained = n * gains[:, None] * depths.value[occurs] * depths.dt
    directions = np.sqrt(law)[:, None] * deviation / np.sqrt(depths.t * (1 - depths.t))
    return _Integral(Places(n, k, depths.t, directions, gained, degrees), deviation, counts)


def _depths(mesh: Mesh, k: int, n: int, accuracy: Accuracy) -> Depths:
    """Return the depths at which items gain, on finer panels around the cutoff."""
    if k >= n:
        return mesh.depths
    crossing = Crossing.of(k, n)
    count = math.ceil((crossing.stop - crossing.start) / (_PANEL / accuracy.refine * crossing.width))
    edges = np.linspace(crossing.start, crossing.stop, count + 1)
    inner = mesh.edges[(mesh.edges > crossing.start) & (mesh.edges < crossing.stop)]
    around = mesh.between(np.union1d(edges, inner))
    return joined([mesh.down_to(crossing.start), around])


def _degrees(
    counts: LabelMeans, deviation: Floats, t: Floats, correlation: Floats, n: int, accuracy: Accuracy
) -> Integers:
    """Return the degree of the expansion in `rank_terms` for each depth; -1 stands for a Fourier series."""
    if not counts.vary or n == 1 or correlation.max() < _UNCORRELATED:
        return np.zeros(t.size, int)
    # The coefficient of degree m is at most rho^m, but falls further because 1/IDCG varies little. So it is
    # computed at a few depths, and scaled to the others.
    probes = np.unique([np.argmin(np.abs(correlation - part * correlation.max())) for part in _PROBES])
    # with a smaller correlation the m-th coefficient is this one times the m-th power of their ratio
    ratio = correlation[:, None] / correlation[probes]
    ratio = np.where(ratio <= 1, ratio, 0.0)[:, :, None]
    # where nearly all degrees are needed a Fourier series has no more terms
    for highest in sorted({min(degree, (n - 1) // 3) for degree in _DEGREES}):
        found = np.abs(counts.coefficients(deviation[:, probes], t[probes], highest))
        left = np.maximum.accumulate(found[:, ::-1], axis=1)[:, ::-1]
        small = (ratio ** np.arange(highest + 1) * left).max(axis=1) <= accuracy.tolerance * found[:, 0].min()
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
    sharp: bool,
) -> LabelMeans:
    nodes = math.ceil(accuracy.nodes * (_LONE_GRADE if len(gains) == 1 else 1.0))
    sums = ideal_sums(discount, n)
    return LabelMeans(
        np.array(gains), np.array(law), sums, min(k, n), n - 1, nodes, accuracy.tolerance, sharp
    )


def expected_dcg(
    scorer: Scorer | str, discount: Discount | str, sizes: Sequence[int] | ArrayLike
) -> Expectation:
    """Return E[DCG_n] of the whole list; `expected_ndcg` takes DCG with a cutoff, too.

    >>> expected_dcg("constant(0.5)", "zipf", [2]).value.round(9)
    array([0.75])
    """
    return expected_ndcg(scorer, Measure(discount, normalised=False), sizes)


def _dcg(relevance: Relevance, measure: Measure, lengths: Sequence[int], accuracy: Accuracy) -> Floats:
    """Return E[DCG_n] at several lengths, each from one evaluation of the integral over depth."""
    values = np.zeros(len(lengths))
    for i, n in enumerate(lengths):
        k = min(measure.cutoff(n), n)
        depths = _depths(Mesh.of(relevance, n, accuracy.refine), k, n, accuracy)
        gained = n * (np.array(relevance.gains) @ depths.value) * depths.dt
        size = depths.t.size
        gains = projections(measure.discount, depths.t, np.full(size, k), np.full(size, n), 0)[:, 0]
        values[i] = gained @ gains
    return values
