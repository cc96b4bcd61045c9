"""Exact mean and variance of NDCG when a user's relevant items are ranked among m sampled negatives.

The list of a user with R relevant items has n = R + m items, and the i-th relevant one has rank i + A_i,
where A_i is the number of sampled negatives above it (`law`). With gains y_i

    E[DCG] = sum_i y_i E[w_i(A_i)],   w_i(x) = D(i + x) if i + x <= k(n), else 0.

For i < j the counts are nested: given A_j = y, A_i is Binomial(y, a_i/a_j) with replacement and
Hypergeometric(a_j, a_i, y) without, where a_i irrelevant items are above item i. So E[w_i w_j] is a double
sum. Where the cutoff cuts neither law, it is quicker in orthonormal polynomials of A_i and A_j: the l-th ones
have correlation rho_l and are uncorrelated with all others, so

    Cov(w_i, w_j) = sum_l rho_l f_l g_l,

with the coefficients f_l and g_l of the weights. What is left beyond degree L is at most rho_L times the root
of the variances that are left; where this is not small, the double sum is taken.

For one item w_i, its mean and its variance are smooth functions of a_i. Where there are many different a_i
they are interpolated by polynomials on panels, and each panel is tested between its nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.theory.rules.counts import EXHAUSTED, NEGLIGIBLE
from ndcg_asymptotics.theory.sampled.law import at_counts, window
from ndcg_asymptotics.theory.sampled.ranked_items import RankedItems

_NODES = 16  # of a panel
_NARROW = 64  # items of a panel that is not interpolated
_ERROR = 1e-11  # largest error of an interpolated mean or variance, in units of D(1) and its square
_DEGREE = 24  # of the polynomials in a covariance
_HELD = 1 << 21  # coefficients of these polynomials in memory


def full_ndcg(ranked: RankedItems, measure: Measure) -> Floats:
    """Return NDCG, or DCG, of each user in the ranking of all items, n = N.

    >>> full_ndcg(RankedItems.of(["u", "v"], [1, 3], 10), Measure.parse("nDCG"))
    array([1. , 0.5])
    """
    n, users = ranked.sizes[ranked.user], len(ranked.users)
    counted = np.where(ranked.rank <= _cutoffs(measure, n), _discount(measure, ranked.rank, n), 0.0)
    dcg = np.bincount(ranked.user, ranked.gain * counted, users)
    ideal = _normaliser(ranked, measure, ranked.sizes[None])[0]
    return np.asarray(np.divide(dcg, ideal, out=np.zeros(users), where=ideal > 0))


def sampled_ndcg(
    ranked: RankedItems,
    measure: Measure,
    negatives: Sequence[int] | Integers,
    *,
    replacement: bool = False,
    variance: bool = True,
) -> tuple[Floats, Floats]:
    """Return the exact mean and variance of NDCG of each user against m sampled negatives.

    Parameters
    ----------
    ranked : RankedItems
    measure : Measure
    negatives : (M,)
        Numbers of negatives m >= 1; without replacement at most ``ranked.most_negatives``.
    replacement : bool
        Whether an item can be sampled twice.
    variance : bool
        Whether the variance is computed; without it zeros are returned, and the time for users with many
        relevant items is that of the mean.

    Returns
    -------
    mean, variance : (M, U)
        The error is below 1e-10 of a list's NDCG.

    >>> mean, variance = sampled_ndcg(RankedItems.of(["u"], [2], 3), Measure.parse("nDCG"), [1, 2])
    >>> mean.ravel().round(6), variance.ravel().round(6)  # half the time the better item is sampled
    (array([0.815465, 0.63093 ]), array([0.034053, 0.      ]))
    """
    m = np.asarray(negatives, np.int64)
    mean, found = np.zeros((m.size, len(ranked.users))), np.zeros((m.size, len(ranked.users)))
    kinds, kind = np.unique(np.stack([ranked.relevant, ranked.irrelevant]), axis=1, return_inverse=True)
    for one, (relevant, irrelevant) in enumerate(kinds.T.tolist()):
        law = _Items(measure, relevant, irrelevant, m, replacement)
        mine = np.flatnonzero(kind.ravel()[ranked.user] == one)
        if variance and relevant > 1:
            at_once = max(1, _HELD // (relevant * m.size * _DEGREE))
            firsts = np.flatnonzero(ranked.position[mine] == 1)
            for items in np.split(mine, firsts[at_once::at_once]):
                _add_together(mean, found, law, ranked, items)
            continue
        for i in range(1, relevant + 1):
            items = mine[ranked.position[mine] == i]
            above, inverse = np.unique(ranked.above[items], return_inverse=True)
            of_item = law.moments(i, above)
            mean[:, ranked.user[items]] += ranked.gain[items] * of_item[0][:, inverse]
            found[:, ranked.user[items]] += ranked.gain[items] ** 2 * of_item[1][:, inverse]
    lengths = ranked.relevant + m[:, None]
    ideal = _normaliser(ranked, measure, lengths) / _unit(measure, lengths)
    mean = np.divide(mean, ideal, out=np.zeros_like(mean), where=ideal > 0)
    found = np.divide(found, ideal**2, out=np.zeros_like(mean), where=ideal > 0)
    return mean, np.maximum(found, 0.0) if variance else np.zeros_like(mean)


def _add_together(mean: Floats, variance: Floats, law: _Items, ranked: RankedItems, items: Integers) -> None:
    """Add to means and variances (M, U) what the items of some users give, which stand together."""
    user, gain = ranked.user[items], ranked.gain[items]
    places = np.stack([ranked.position[items], ranked.above[items]])
    expansion = law.expansion(places)
    np.add.at(mean.T, user, (gain * expansion.mean).T)
    np.add.at(variance.T, user, (gain**2 * expansion.variance).T)
    # each item with those of its user that follow, some items at a time
    following = np.searchsorted(user, user, side="right") - np.arange(user.size) - 1
    parts = np.cumsum(following) // max(1, _HELD // (len(variance) * _DEGREE))
    for part in np.split(np.arange(user.size), np.flatnonzero(np.diff(parts)) + 1):
        count = following[part]
        first = np.repeat(part, count)
        second = first + 1 + np.arange(first.size) - np.repeat(np.cumsum(count) - count, count)
        covariance = law.covariances(places, expansion, first, second)
        np.add.at(variance.T, user[first], (2 * gain[first] * gain[second] * covariance).T)


def _normaliser(ranked: RankedItems, measure: Measure, lengths: Integers) -> Floats:
    """Return what DCG of each user is divided by in lists of some lengths (M, U): the ideal DCG, or 1."""
    if not measure.normalised:
        return np.ones(lengths.shape)
    counts = ranked.relevant
    place = np.arange(1, ranked.ideal_user.size + 1) - (np.cumsum(counts) - counts)[ranked.ideal_user]
    found = np.empty(lengths.shape)
    for row, of_users in zip(found, lengths, strict=True):
        n = of_users[ranked.ideal_user]
        terms = np.where(place <= _cutoffs(measure, n), _discount(measure, place, n), 0.0)
        row[:] = np.bincount(ranked.ideal_user, ranked.ideal_gain * terms, len(ranked.users))
    return found


def _cutoffs(measure: Measure, n: Integers) -> Integers:
    distinct, inverse = np.unique(n, return_inverse=True)
    return np.array([measure.cutoff(length) for length in distinct.tolist()], np.int64)[inverse].reshape(
        n.shape
    )


def _coefficients(measure: Measure, n: Integers) -> Floats:
    """Return the coefficients (…, I) of the discount's basis functions in lists of some lengths."""
    discount = measure.discount
    if not discount.depends_on_n:
        return np.ones((*n.shape, 1)) * discount.coefficients(1)
    distinct, inverse = np.unique(n, return_inverse=True)
    rows = np.array([discount.coefficients(length) for length in distinct.tolist()], np.float64)
    return np.asarray(rows[inverse].reshape(*n.shape, len(discount.basis())))


def _discount(measure: Measure, rank: Integers | Floats, n: Integers) -> Floats:
    """Return D_n(r) for ranks (p, …) in lists of lengths (p,)."""
    coefficients = _coefficients(measure, n)
    shape = (-1, *([1] * (rank.ndim - 1)))
    return np.asarray(
        sum(
            coefficients[..., b].reshape(shape) * basis(rank)
            for b, basis in enumerate(measure.discount.basis())
        )
    )


def _unit(measure: Measure, n: Integers) -> Floats:
    """Return D_n(1), the unit of all moments."""
    ones = np.ones(n.size)
    return _discount(measure, ones, n.ravel()).reshape(n.shape)


class _Expansion(NamedTuple):
    """A weight in the orthonormal polynomials of A_i, for M numbers of negatives and K of items above.

    Attributes
    ----------
    coefficients : (M, K, L)
    left : (M, K)
        The variance beyond degree L; infinite if the cutoff cuts the law of A_i.
    mean, variance : (M, K)
    """

    coefficients: Floats
    left: Floats
    mean: Floats
    variance: Floats

    def at(self, places: Integers) -> _Expansion:
        """Return the expansions of some of the items."""
        return _Expansion(*(part[:, places] for part in self))


@dataclass(frozen=True)
class _Items:
    """The items of users with ``relevant`` relevant items and ``irrelevant`` other ones.

    Weights are in units of D(1).
    """

    measure: Measure
    relevant: int
    irrelevant: int
    negatives: Integers
    replacement: bool

    def moments(self, i: int, above: Integers) -> Floats:
        """Return the means and variances (2, M, A) of w_i for different numbers of items above."""
        found = np.empty((2, self.negatives.size, above.size))
        if above.size <= 128:
            return self._computed(i, above, self.negatives)
        ends = [0, _NARROW]
        while ends[-1] <= above[-1]:
            ends.append(2 * ends[-1])
        every = np.arange(self.negatives.size)
        panels = [(low, high, every) for low, high in pairwise(ends)]
        while panels:
            low, high, which = panels.pop()
            inside = slice(*np.searchsorted(above, [low, high]).tolist())
            wanted = above[inside]
            if wanted.size <= 2 * _NODES or high - low <= _NARROW:
                if wanted.size:
                    found[:, which, inside] = self._computed(i, wanted, self.negatives[which])
                continue
            values, error = self._interpolated(i, low, min(high, self.irrelevant + 1), wanted, which)
            good = error <= _ERROR
            found[:, which[good], inside] = values[:, good]
            if not good.all():
                middle = (low + high) // 2
                panels += [(low, middle, which[~good]), (middle, high, which[~good])]
        return found

    def _interpolated(
        self, i: int, low: int, high: int, wanted: Integers, which: Integers
    ) -> tuple[Floats, Floats]:
        """Return moments by interpolation in the number of items above, and the error for each m.

        The nodes are those of Chebyshev, rounded to whole numbers; the error is the largest one halfway
        between nodes.
        """
        length = high - 1 - low
        at = low + np.rint(length * (1 - np.cos(np.pi * np.arange(_NODES) / (_NODES - 1))) / 2)
        tested = (at[1:] + at[:-1]) // 2
        points = np.concatenate((at, tested)).astype(np.int64)
        values = self._computed(i, points, self.negatives[which])

        def polynomials(a: Floats | Integers) -> Floats:
            return np.asarray(chebyshev.chebvander(2 * (a - low) / length - 1, _NODES - 1))

        fitted = np.linalg.solve(
            polynomials(at), np.moveaxis(values[..., :_NODES], -1, 0).reshape(_NODES, -1)
        )
        between = (polynomials(tested) @ fitted).T.reshape(2, which.size, -1)
        error = np.abs(between - values[..., _NODES:]).max(axis=(0, 2))
        return (polynomials(wanted) @ fitted).T.reshape(2, which.size, -1), error

    def _computed(self, i: int, above: Integers, negatives: Integers) -> Floats:
        """Return the means and variances (2, M, A) of w_i, each by itself."""
        m, a = (part.ravel() for part in np.meshgrid(negatives, above, indexing="ij"))
        found = self._of_points(np.full(m.size, i), m, a, np.full(m.size, self.irrelevant), m)
        return found.reshape(2, negatives.size, above.size)

    def _of_points(
        self, i: Integers, m: Integers, above: Integers, total: Integers, sampled: Integers
    ) -> Floats:
        """Return the mean and variance (2, P) of w_i; ``m`` of ``total`` items are drawn.

        ``sampled`` negatives are in the list; more than m where the law is one given A_j.
        """
        found = np.zeros((2, m.size))
        for which, _, _, _, *moments in self._weights(i, m, above, total, sampled):
            found[:, which] = moments
        return found

    def _weights(
        self, i: Integers, m: Integers, above: Integers, total: Integers, sampled: Integers
    ) -> Iterator[tuple[Integers, Floats, Floats, Floats, Floats, Floats]]:
        """Yield for some points at a time what A_i can be (p, X), with which probability, and w_i there.

        Of w_i the deviation from its mean (p, X), the mean and the variance (p,). Points whose law has no
        part up to the cutoff are left out.
        """
        n = self.relevant + sampled
        last, unit = _cutoffs(self.measure, n) - i, _unit(self.measure, n)
        smooth = self.measure.discount.smooth
        for which, x, chances in at_counts(m, above, total, last, self.replacement, smooth):
            value = _discount(self.measure, i[which, None] + x, n[which]) / unit[which, None]
            mean = (chances * value).sum(axis=1)
            value -= mean[:, None]
            # ranks beyond the cutoff, where the weight is 0
            beyond = np.where(last[which] < m[which], np.maximum(1 - chances.sum(axis=1), 0.0), 0.0)
            yield which, x, chances, value, mean, (chances * value**2).sum(axis=1) + beyond * mean**2

    def covariances(
        self, places: Integers, expansion: _Expansion, first: Integers, second: Integers
    ) -> Floats:
        """Return the covariances (M, P) of w_i(A_i) and w_j(A_j), i < j, of pairs of items.

        The items have the ``places`` (2, K), their positions and the numbers of items above them, and this
        ``expansion``; pairs are those of the items ``first`` and ``second`` (P,).
        """
        _, at, inverse = np.unique(
            np.vstack([places[:, first], places[:, second]]), axis=1, return_index=True, return_inverse=True
        )
        (i, above_i), (j, above_j) = places[:, first[at]], places[:, second[at]]
        of_i, of_j = expansion.at(first[at]), expansion.at(second[at])
        correlations = self._correlations(above_i, above_j)
        found = np.einsum("mkl,mkl,kl->mk", of_i.coefficients, of_j.coefficients, correlations)
        constant = [~one.coefficients.any(axis=2) & (one.left == 0) for one in (of_i, of_j)]
        cut = np.isinf(of_i.left) | np.isinf(of_j.left)
        left = np.sqrt(np.where(cut, 0.0, of_i.left)) * np.sqrt(np.where(cut, 0.0, of_j.left))
        apart = (cut & ~constant[0] & ~constant[1]) | (correlations[:, -1] * left > _ERROR)
        at, pair = np.nonzero(apart)
        product = self._product(i[pair], j[pair], self.negatives[at], above_i[pair], above_j[pair])
        found[at, pair] = product - of_i.mean[at, pair] * of_j.mean[at, pair]
        return np.asarray(found[:, inverse.ravel()])

    def _correlations(self, above_i: Integers, above_j: Integers) -> Floats:
        """Return rho_l (K, L) of nested counts, l = 1 … L.

        E[.|A_j] maps polynomials of degree l in A_i to such in A_j, and E[.|A_i] conversely, so orthonormal
        polynomials go to multiples rho_l of each other. The leading terms are those of the falling powers,
        E[(A_i)_l | A_j] = (A_j)_l (a_i)_l/(a_j)_l and conversely for m - A_j, whence, without replacement,
        rho_l^2 = (a_i)_l (I - a_j)_l / ((a_j)_l (I - a_i)_l); with it, powers take the place of falling ones.
        """
        k = np.zeros(_DEGREE) if self.replacement else np.arange(float(_DEGREE))
        a_i, a_j = above_i[:, None] - k, above_j[:, None] - k
        b_i, b_j = self.irrelevant - above_i[:, None] - k, self.irrelevant - above_j[:, None] - k
        over = np.maximum(a_i, 0) * np.maximum(b_j, 0)
        under = np.maximum(a_j, 0) * np.maximum(b_i, 0)
        ratio = np.divide(over, under, out=np.zeros_like(over), where=under > 0)
        return np.asarray(np.sqrt(np.cumprod(ratio, axis=1)))

    def expansion(self, places: Integers) -> _Expansion:
        """Return w_i in the orthonormal polynomials of A_i, for ``places`` (2, K): i and the number above."""
        distinct, inverse = np.unique(places, axis=1, return_inverse=True)
        m, (i, a) = np.repeat(self.negatives, distinct.shape[1]), np.tile(distinct, self.negatives.size)
        total = np.full(m.size, self.irrelevant)
        cut = _cutoffs(self.measure, self.relevant + m) - i < window(m, a, total, self.replacement)[1]
        found, left = np.zeros((m.size, _DEGREE)), np.zeros(m.size)
        means, variances = np.zeros(m.size), np.zeros(m.size)
        for which, x, weights, rest, mean, variance in self._weights(i, m, a, total, m):
            means[which], variances[which] = mean, variance
            shift = x - (weights * x).sum(axis=1, keepdims=True)
            here, before, beside = np.ones_like(x), np.zeros_like(x), np.zeros((which.size, 1))
            for degree in range(_DEGREE):
                middle = (weights * shift * here**2).sum(axis=1, keepdims=True)
                here, before = (shift - middle) * here - beside * before, here
                beside = np.sqrt((weights * here**2).sum(axis=1, keepdims=True))
                some = beside > EXHAUSTED
                here = np.divide(here, beside, out=np.zeros_like(here), where=some)
                # from what is left, so that rounding in polynomials of high degree does no harm
                found[which, degree] = (weights * rest * here).sum(axis=1)
                np.subtract(rest, found[which, degree, None] * here, out=rest)
            left[which] = np.where(cut[which], np.inf, (weights * rest**2).sum(axis=1))
        shape = (self.negatives.size, distinct.shape[1])
        parts = (left.reshape(shape), means.reshape(shape), variances.reshape(shape))
        return _Expansion(found.reshape(*shape, _DEGREE), *parts).at(inverse.ravel())

    def _product(self, i: Integers, j: Integers, m: Integers, above_i: Integers, above_j: Integers) -> Floats:
        """Return the means (P,) of w_i(A_i) w_j(A_j) for i < j, each by itself."""
        n = self.relevant + m
        last, unit = _cutoffs(self.measure, n) - j, _unit(self.measure, n)
        found = np.zeros(m.size)
        total = np.full(m.size, self.irrelevant)
        smooth = self.measure.discount.smooth
        for which, y, weights in at_counts(m, above_j, total, last, self.replacement, smooth):
            outer = weights * _discount(self.measure, j[which, None] + y, n[which]) / unit[which, None]
            row, column = np.nonzero(weights > NEGLIGIBLE)
            item = which[row]
            # i + A_i <= j + A_j, so the cutoff cuts no more
            sizes = y[row, column].astype(np.int64)
            given = self._of_points(i[item], sizes, above_i[item], above_j[item], m[item])[0]
            found[which] = np.bincount(row, outer[row, column] * given, which.size)
        return found
