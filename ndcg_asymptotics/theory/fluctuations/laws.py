"""The law of NDCG_n about its mean, for long lists.

=============================  ==========================================================================
discount, cutoff               law of NDCG_n, standardised
=============================  ==========================================================================
log, linear, r^-b (b <= 1/2)   normal
r^-b, 1/2 < b <= 1             ``sum_r r^-b (Y_r - E Y)``, the Y_r independent with the label law at the top
sum D < infinity; fixed k      ``sum_r D(r) (Y_r - E Y)``, with the same Y_r
=============================  ==========================================================================

A cutoff that grows with n, such as cn or n^a, changes none of these. The second and the third follow from the
labels at the top ranks becoming independent draws from the label law at s = 1, while the ranks below add
nothing to the variance (Theorem 6 of Wang et al. 2013 says of the third that it does not vanish). For two
scorers that are independent given the label the difference has the difference of the series.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtr

from ndcg_asymptotics.core.arrays import ENDLESS, Complex, Floats, Integers
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.core.errors import require_available
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance, Scorer
from ndcg_asymptotics.theory.fluctuations.enumeration import collected, enumerable, order_law
from ndcg_asymptotics.theory.fluctuations.one_item import one_item
from ndcg_asymptotics.theory.fluctuations.variance import quick_moments
from ndcg_asymptotics.theory.rules.ranks import ONE_BY_ONE

LawKind = Literal["normal", "top ranks", "lasting", "certain", "groups", "one item", "few items"]


_MOST_ENUMERATED = 100  # terms of a series whose law may be enumerated
_ATOMS = 200_000  # atoms that are kept apart
_LATTICE = 2**19  # points of a lattice to which more atoms move
_NEGLIGIBLE = 1e-4  # in standard deviations, terms that are left out
_RESOLVED = 0.01  # in standard deviations, the displacement of atoms up to which a law is taken as enumerated
_INVERSION = 1e-3  # error of inverting a characteristic function that has faded to this …
_FADED, _LAST = 1e-4, 0.9  # … at the last frequencies, from this part of them on
_BEYOND = 28.0  # minus the logarithm of the probability that is left out on either side of a law
# below it the logarithm of the characteristic function of one term, bounded by 1, is a series of cumulants
_SMALL_TERM, _CUMULANTS = 0.25, 16  # which leaves 0.25^16, as there is no zero below 1
# range in standard deviations of a table of a distribution function, and the root of its size
_FURTHEST, _ENTRIES = 8.0, 64


def regime(scorers: Sequence[Scorer], measure: Measure) -> LawKind:
    """Return which law holds for NDCG_n of one scorer, or for the difference of two.

    >>> regime((Relevance.of("constant(0.5)"),), Measure.of("nDCG(zipf)"))
    'top ranks'
    """
    if one_item(scorers[0]):  # exactly known (`one_item`)
        return "one item"
    if not scorers[0].iid:  # a few depths decide, whatever n is
        return "few items"
    asymptotics = measure.discount.asymptotics
    fixed = asymptotics.summable or measure.cutoff.regime == "fixed"
    # a cutoff that grows without bound does not change the top ranks, which make up the variance
    if not (fixed or asymptotics.square_summable):
        return "normal"
    if all(scorer.model.gain_variance(0.0) == 0 for scorer in scorers):
        return "certain" if fixed else "normal"
    return "lasting" if fixed else "top ranks"


@dataclass(frozen=True, eq=False)  # compared by identity, since results are cached by law
class SeriesLaw:
    """The standardised law of ``sum_r D(r) (Y_r - E Y_r)``, the Y_r independent and alike.

    Attributes
    ----------
    values, chances : (V,)
        The law of one term; its mean is 0.
    weights : (R,)
        D(1), D(2), …, in units of the standard deviation of the sum.
    rest : float
        The variance of the terms beyond, in the same units. They are treated as normal.
    unit : float
        The standard deviation of the sum.
    """

    values: Floats
    chances: Floats
    weights: Floats
    rest: float
    unit: float

    def cdf(self, x: float) -> float:
        """Return P(sum <= x standard deviations).

        The law is enumerated where that resolves it. Else its characteristic function is inverted
        (Gil-Pelaez, with the midpoint rule of Davies 1973).

        >>> law = series_law((Relevance.of("constant(0.5)"),), Measure.of("nDCG(geometric(2))"))
        >>> round(law.cdf(math.sqrt(3) / 2), 4)  # uniform
        0.75
        """
        if self._atoms is not None:
            atoms, sums = self._atoms
            below = int(np.searchsorted(atoms, x, side="right"))
            return float(sums[below - 1]) if below else 0.0
        if abs(x) >= self.reach:
            return float(x > 0)
        # Gil-Pelaez by Davies' midpoint rule: F(x) = 1/2 - sum_k Im(phi(u_k) exp(-i u_k x)) / (pi (k + 1/2))
        u, phi = self._transform
        k = np.arange(u.size) + 0.5
        return float(np.clip(0.5 - (np.imag(phi * np.exp(-1j * u * x)) / k).sum() / math.pi, 0.0, 1.0))

    def cdfs(self, x: Floats) -> Floats:
        """Return `cdf` for an array, from a table where the law is not enumerated."""
        if self._atoms is not None:
            atoms, sums = self._atoms
            return np.asarray(np.append(0.0, sums)[np.searchsorted(atoms, x, side="right")])
        return np.asarray(np.interp(x, *_table(self)))

    @property
    def enumerable(self) -> bool:
        """Whether the law is known by its atoms."""
        return self._atoms is not None

    @property
    def unresolved(self) -> float:
        """A bound of the distance by which atoms are displaced; 0 where the law is not enumerated."""
        return 0.0 if self._atoms is None else _enumerated(self)[2]

    @property
    def inexact(self) -> float:
        """The error of the distribution function by inversion, which is 1 where that does not converge."""
        if self._atoms is not None:
            return 0.0
        u, phi = self._transform
        last = np.abs(phi[int(_LAST * u.size) :])
        return _INVERSION if float(last.max()) < _FADED else 1.0

    def quantile(self, p: float) -> float:
        """Return the smallest x with P(sum <= x) >= p."""
        if self._atoms is not None:
            atoms, sums = self._atoms
            return float(atoms[min(int(np.searchsorted(sums, p)), atoms.size - 1)])
        from scipy.optimize import brentq  # here: to load it takes longer than a quantile

        return float(brentq(lambda x: self.cdf(x) - p, -self.reach, self.reach))

    @property
    def reach(self) -> float:
        """Standard deviations beyond which the law has no mass, by Bernstein's inequality.

        The inversion is periodic with twice this period.
        """
        largest = _BEYOND / 3 * float(self.weights[0] * np.abs(self.values).max())
        return largest + math.sqrt(largest**2 + 2 * _BEYOND)

    @property
    def _atoms(self) -> tuple[Floats, Floats] | None:
        if self.rest or self.weights.size > _MOST_ENUMERATED:
            return None
        atoms, sums, displaced = _enumerated(self)
        return (atoms, sums) if displaced <= _RESOLVED else None

    @property
    def _transform(self) -> tuple[Floats, Complex]:
        return _characteristic(self)


@shared
def series_law(scorers: tuple[Relevance, ...], measure: Measure, n: int = ENDLESS) -> SeriesLaw:
    """Return the law of one scorer's NDCG_n, or of the difference of two, where the top ranks make it.

    The series ends at rank k(n) of a list of n items.
    """
    values, chances = _top(scorers[0])
    if len(scorers) == 2:
        other, others = _top(scorers[1])
        values = np.subtract.outer(values, other).ravel()
        chances = np.multiply.outer(chances, others).ravel()
    values = values - chances @ values
    k = min(measure.cutoff(n), n)
    count = min(k, ONE_BY_ONE)
    discounts = measure.discount(np.arange(1.0, count + 1), float(n))
    tail = 0.0
    if k > count and discounts[-1] > 0:  # the sum of r^-2b over the ranks beyond, as an integral
        exponent = math.log2(float(discounts[count // 2 - 1] / discounts[-1]))
        some = 1 - (count / k) ** (2 * exponent - 1)
        tail = float(discounts[-1]) ** 2 * (count * some / (2 * exponent - 1) - 0.5) if exponent < 50 else 0.0
        tail = max(tail, 0.0)
    one = float(chances @ values**2)
    scale = math.sqrt(one * (float((discounts**2).sum()) + tail))
    negligible = float(discounts[-1]) < 1e-16 * float(discounts[0])
    discounts = discounts[discounts > 1e-16 * discounts[0]]
    rest = tail * one / scale**2 if k > count and not negligible else 0.0
    return SeriesLaw(values, chances, discounts / scale, rest, scale)


@shared
def _enumerated(law: SeriesLaw) -> tuple[Floats, Floats, float]:
    """Return atoms, the distribution function there, and a bound of the distance that atoms are displaced by.

    Equal atoms are merged after every term. Where too many are left, the other terms are replaced by their
    mean, 0, if their sum is negligible; else atoms move to the nearest points of a lattice.
    """
    atoms, chances = np.zeros(1), np.ones(1)
    terms = np.multiply.outer(law.weights, law.values)
    for r, term in enumerate(terms):
        if atoms.size * term.size > _ATOMS:
            if (left := float(np.abs(terms[r:]).max(axis=1).sum())) < _NEGLIGIBLE:
                return atoms, _sums(chances), left
            return _on_lattice(atoms, chances, terms[r:], law.chances)
        sums = np.add.outer(atoms, term).ravel()
        together = np.multiply.outer(chances, law.chances).ravel()
        atoms, chances = collected(sums, together, float(np.abs(sums).max()))
    return atoms, _sums(chances), 0.0


def _sums(chances: Floats) -> Floats:
    """Return the distribution function at atoms in increasing order, which is 1 at the last one."""
    sums = np.cumsum(chances)
    return np.asarray(sums / sums[-1])


def _on_lattice(
    atoms: Floats, chances: Floats, terms: Floats, of_a_term: Floats
) -> tuple[Floats, Floats, float]:
    """Return `_enumerated` for atoms plus the sum of independent terms, a row of values for each."""
    lowest = terms.min(axis=1)
    step = (float(np.ptp(atoms)) + float(np.ptp(terms, axis=1).sum())) / _LATTICE
    places = np.round((atoms - atoms[0]) / step).astype(np.int64)
    displaced = float(np.abs(atoms - atoms[0] - step * places).max())
    held = np.asarray(np.bincount(places, chances), np.float64)
    for term, low in zip(terms, lowest, strict=True):
        shifts = np.round((term - low) / step).astype(np.int64)
        displaced += float(np.abs(term - low - step * shifts).max())
        moved = np.zeros(held.size + int(shifts.max()))
        for shift, chance in zip(shifts, of_a_term, strict=True):
            moved[shift : shift + held.size] += chance * held
        held = moved
    kept = np.flatnonzero(held > 1e-24)
    return atoms[0] + float(lowest.sum()) + step * kept, _sums(held[kept]), displaced


@shared
def _characteristic(law: SeriesLaw) -> tuple[Floats, Complex]:
    step = math.pi / law.reach
    u = step * np.arange(0.5, 20_000)
    # prod_r E exp(i u D(r) (Y_r - E Y)) for the ranks that are kept, times a normal law for those beyond. Up
    # to the frequency at which the term of a rank is no longer small its logarithm is a series of cumulants.
    largest = float(np.abs(law.values).max())
    starts = np.searchsorted(u, _SMALL_TERM / (largest * law.weights))
    found = np.exp(_small_terms(law, largest, u, starts) - 0.5 * law.rest * u**2)
    for weight, start in zip(law.weights, starts, strict=True):
        alive = int(np.count_nonzero(np.maximum.accumulate(np.abs(found)[::-1])[::-1] > 1e-12))
        u, found = u[:alive], found[:alive]
        if start >= alive:  # nor are later terms, whose weights are smaller, ever large
            break
        found[start:] *= np.exp(1j * np.multiply.outer(weight * u[start:], law.values)) @ law.chances
    return np.asarray(u), np.asarray(found)


def _small_terms(law: SeriesLaw, largest: float, u: Floats, starts: Integers) -> Complex:
    """Return the sum of log E exp(i u D(r) (Y_r - E Y)) over the ranks whose ``starts`` are beyond u."""
    moments = [float(law.chances @ (law.values / largest) ** m) for m in range(_CUMULANTS + 1)]
    cumulants = [0.0]
    for m in range(1, _CUMULANTS + 1):
        lower = sum(math.comb(m - 1, j - 1) * cumulants[j] * moments[m - j] for j in range(1, m))
        cumulants.append(moments[m] - lower)
    # ranks from this one on have a small term
    first = np.searchsorted(starts, np.arange(u.size), side="right")
    total = np.zeros(u.size, np.complex128)
    for m in range(_CUMULANTS, 1, -1):  # Horner's rule for sum_m kappa_m / m! (i u)^m sum_r D(r)^m
        sums = np.append(np.cumsum((largest * law.weights[::-1]) ** m)[::-1], 0.0)  # from each rank on
        total *= 1j * u
        total += (cumulants[m] / math.factorial(m) * sums)[first]
    total *= -(u**2)
    return total


@shared
def _table(law: SeriesLaw) -> tuple[Floats, Floats]:
    """Return values of x, and there the distribution function of a law that is not enumerated.

    Lines between them are off by 1e-6 where the density is that of the normal law.
    """
    # exp(-i u (a + b)) is a product, so few exponentials give all values; compare `SeriesLaw.cdf`
    u, phi = law._transform
    fine = np.arange(_ENTRIES) * (2 * _FURTHEST / _ENTRIES**2)
    coarse = np.arange(_ENTRIES) * (2 * _FURTHEST / _ENTRIES) - _FURTHEST
    terms = phi / (np.arange(u.size) + 0.5) * np.exp(np.multiply.outer(coarse, -1j * u))
    sums = np.imag(terms @ np.exp(np.multiply.outer(-1j * u, fine)))
    x = np.add.outer(coarse, fine).ravel()
    inside = np.abs(x) < law.reach
    return x, np.where(inside, np.clip(0.5 - sums.ravel() / math.pi, 0.0, 1.0), x > 0)


def _top(scorer: Relevance) -> tuple[Floats, Floats]:
    """Return the gains that occur at the very top, and their probabilities."""
    values, chances = scorer.label_law(0.0)
    return values[chances > 0], chances[chances > 0]


def standard_cdf(scorers: Sequence[Scorer], measure: Measure, x: float) -> float:
    """Return the distribution function of the standardised law of long lists."""
    if _regime_of_one_law(scorers, measure) in ("normal", "certain"):
        return float(ndtr(x))
    return series_law(tuple(scorer.model for scorer in scorers), measure).cdf(x)


def standard_cdfs(scorers: Sequence[Scorer], measure: Measure, x: Floats) -> Floats:
    """Return `standard_cdf` for an array, to 1e-6 where the law is tabulated.

    >>> curve, measure = Scorer.of("constant(0.5)"), Measure.of("nDCG(geometric(2))")
    >>> standard_cdfs((curve,), measure, np.array([0.0, 5.0])).round(3)  # uniform
    array([0.5, 1. ])
    """
    if _regime_of_one_law(scorers, measure) in ("normal", "certain"):
        return np.asarray(ndtr(x))
    return series_law(tuple(scorer.model for scorer in scorers), measure).cdfs(x)


def _regime_of_one_law(scorers: Sequence[Scorer], measure: Measure) -> LawKind:
    found = regime(scorers, measure)
    few = found in ("one item", "few items")
    require_available(not few, "the law of lists with few relevant items has no one shape")
    return found


@shared
def right_rate(a: Scorer, b: Scorer, measure: Measure, n: int) -> float:
    """Return P(NDCG_n(a) > NDCG_n(b)), exactly where few ranks count; ties count as wrong.

    Elsewhere it is that of the law of long lists with the exact mean and variance of the difference.

    >>> good, blank = Scorer.of("linear(0.1, 0.7)"), Scorer.of("constant(0.4)")
    >>> round(right_rate(good, blank, Measure.of("nDCG"), 100), 2)
    0.94
    """
    if enumerable(a, measure, n) and enumerable(b, measure, n):
        return order_law(a, b, measure, n).more
    mean, sd = quick_moments((a, b), measure, n)
    return 1.0 - standard_cdf((a, b), measure, -mean / sd) if sd > 0 else float(mean > 0)
