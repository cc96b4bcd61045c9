"""The exact mean of NDCG at finite n.

Given the label counts c (multinomial), IDCG is known and E[DCG | c] is an integral over depth
(`conditional`), so ``E[NDCG_n] = E_c[ E[DCG_n | c] / IDCG_n(c) ]``. Nothing is asymptotic: n
goes from 1 to 1e18. The limits of Wang et al. (2013) are approached at rates as slow as 1/log n;
these means tell a simulator from its theory at the n that was simulated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.arrays import Floats, list_lengths
from ndcg_asymptotics.measures import Discount, Measure, exponentials
from ndcg_asymptotics.scorers import Mixture, Relevance
from ndcg_asymptotics.theory.mean.conditional import RankMean
from ndcg_asymptotics.theory.mean.counts import multinomial_rule
from ndcg_asymptotics.theory.mean.cut_expectation import cut_ndcg
from ndcg_asymptotics.theory.mean.segments import Mesh

_ROUNDING = 2e-11  # relative: what the mesh check cannot see (sums of exponentials, count rules)
_REFINE = 1.5  # of the second mesh, which tells the error of the first
_CAUTION = 2.0  # the same for the rank from which moments are trusted
_TINY = 1e-300


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

        E[NDCG_n] = sum_c P(c) E[DCG_n | c] / IDCG_n(c),
        E[DCG_n | c] = sum_j y_j c_j sum_m w_m z_m int g_j (1 - G_j u_m)^(c_j - 1)
                                                   prod_{i != j} (1 - G_i u_m)^c_i dt,   u = 1 - z,

    with ``D(r) = sum_m w_m z_m^r``, G_i the distribution functions of the depth of an item of grade
    i. A cutoff k conditions on the depth of the item at rank k + 1 in addition: those above it are
    a full list of k items.

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
        The relative error is at most 1e-9, with a cutoff up to n = 1e5. Beyond it the same holds
        unless k(n) lies within some standard deviations of the number of items of some grade or
        better: there the counts' law is thinned to a lattice, which leaves an error of at most
        1e-6/sqrt(n). ``error`` says what was reached.

    Raises
    ------
    InputError
        If the discount is neither linear nor a sum of exponentials, or a size is out of range.

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
    gains = np.array(relevance.gains)
    mesh, mean = Mesh.of(relevance, max(lengths)), RankMean.of(measure.discount, max(lengths))
    whole = mesh.segment(1.0)
    value, error = np.zeros(len(lengths)), np.zeros(len(lengths))
    for i, n in enumerate(lengths):
        if measure.cutoff(n) < n:
            value[i], error[i] = cut_ndcg(mesh, mean, measure.cutoff(n), n)
            continue
        counts, weights = multinomial_rule(float(n), whole.law)
        ideal = mean.ideal(counts, gains, n)
        some = ideal > 0
        if some.any():
            value[i] = weights[some] @ (mean.dcg(whole, counts[some], n) / ideal[some])
    depths = [min(measure.cutoff(n) / n, 1.0) for n in lengths]
    bound = value * (error + _mesh_error(relevance, mesh, mean, depths, lengths))
    value.flags.writeable = bound.flags.writeable = False
    return Expectation(value, bound)


def forget() -> None:
    """Drop the means that are kept, and the sums of exponentials behind them."""
    _expected_ndcg.cache_clear()
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
    mesh, mean = Mesh.of(relevance, max(lengths)), RankMean.of(discount, max(lengths))
    whole = mesh.segment(1.0).merged()
    value = np.array([float(mean.dcg(whole, np.array([[float(n), 0.0]]), n)[0]) for n in lengths])
    return Expectation(value, value * _mesh_error(relevance, mesh, mean, [1.0] * len(lengths), lengths))


def _mesh_error(
    relevance: Relevance, mesh: Mesh, mean: RankMean, depths: Sequence[float], lengths: Sequence[int]
) -> Floats:
    """The relative error of E[DCG | c] at the mean counts, from a finer mesh with later moments."""
    finer = Mesh.of(relevance, max(lengths), _REFINE)
    cautious = RankMean.of(mean.discount, max(lengths), _CAUTION)
    error = np.full(len(lengths), _ROUNDING)
    for i, (depth, n) in enumerate(zip(depths, lengths, strict=True)):
        first, second = mesh.segment(depth).merged(), finer.segment(depth).merged()
        counts = np.array([[n * depth, 0.0]])
        a, b = float(mean.dcg(first, counts, n)[0]), float(cautious.dcg(second, counts, n)[0])
        error[i] += abs(a - b) / max(abs(a), _TINY)
    return error
