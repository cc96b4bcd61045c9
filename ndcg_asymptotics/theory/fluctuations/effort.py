"""The effort of one evaluation of a variance, and its outcome."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.measures.exponentials import TOLERANCE

RANKS = (40.0, 400.0, 2e4)
"""Ranks of the lower item of a pair; terms of degree p of the binomial series fall like p! K^-p with it."""
MANY_ITEMS = 1000.0
"""Expected items of a class from which values change little with their number."""


@dataclass(frozen=True)
class Effort:
    """The effort that an evaluation makes.

    Attributes
    ----------
    refine : float
        Panels of depth are this much narrower than usual.
    digits : float
        The relative error of the rule for the label counts.
    fit : float
        The relative error of the discount as a sum of exponentials.
    degrees : (int, int, int)
        The degrees of the binomial series from each of ``RANKS`` on.
    further : int
        Label counts at which a variance is computed, beyond those that a polynomial in them needs.
    """

    refine: float
    digits: float
    fit: float
    degrees: tuple[int, int, int]
    further: int = 0

    @property
    def stages(self) -> tuple[tuple[float, int], ...]:
        """Ranks of the lower item, and the degree of the binomial series from each on."""
        return tuple((self.refine * rank, d) for rank, d in zip(RANKS, self.degrees, strict=True))

    def series(self, grades: int) -> tuple[tuple[float, int], ...]:
        """Return the stages at which the binomial series is used; items further up are near the top."""
        terms = [math.comb(degree + grades + 1, degree) for degree in self.degrees]
        # of many grades it has so many terms that a cross approximation is quicker
        return self.stages[sum(count > 100 for count in terms[:-1]) :]

    def degree(self, law: Floats, n: int, digits: float, most: int) -> int:
        """Return the degree of a polynomial for a function of label counts that changes little with them.

        It changes by its own size over n items, and ``law`` (J + 1,) are the probabilities of the grades. The
        polynomial has at most ``most`` terms.
        """
        wide = 2.0 * math.sqrt(float((law * (1 - law)).max()) / n)
        wanted = math.ceil(math.log(digits) / math.log(min(max(wide, 1e-12), 0.2))) - 1
        # pairs of items of a grade are as many as the square of its count: its variance, relative to its
        # squared mean, counts where the grade has few items
        if n * float(law[law > 0].min()) * digits < 10:
            wanted = max(wanted, 2)
        grades = len(law) - 1
        return max(d for d in range(wanted + 1) if math.comb(d + grades, grades) <= most or d < 2)

    def nodes(self, degree: int, rare: float) -> int:
        """Return the number of nodes of a Gauss rule for a polynomial of a degree in one count.

        ``rare`` is the expected number of items of the rarer class. Where it is small, values may depend on
        the count in other ways.
        """
        return degree // 2 + 1 + (min(self.further, 1) if rare > MANY_ITEMS else self.further)

    @property
    def variances(self) -> float:
        """The relative error of the rule for variances above a cutoff, of which means are taken."""
        return float(self.digits**0.42)  # they change less with the counts than squares of means do

    @property
    def negligible(self) -> float:
        """The relative error of a matrix near the top."""
        return 1e-3 * self.digits

    @property
    def rounding(self) -> float:
        """The error that two evaluations share, relative to the variance without covariances."""
        return max(self.fit, 100 * TOLERANCE)


ROUGH = Effort(0.6, 1e-4, 1e-5, (4, 3, 2))
"""The first evaluation of every value, and the only one for curves that are drawn and for searches."""
USUAL = Effort(1.0, 1e-6, 1e-6, (4, 3, 2), further=3)
"""The one whose value is stated: some four digits."""
FINE = Effort(1.25, 1e-10, TOLERANCE, (8, 5, 3), further=9)
"""An evaluation where the first two differ by too much.

These are variances far below those of single items, as covariances cancel them, and those of lists of few
items of a class, whose values change steeply with the counts.
"""
FINER = Effort(1.75, 1e-11, TOLERANCE, (8, 5, 3), further=25)
"""The last one, whose difference from `FINE` is the error there."""
CAUTION = 3.0
"""The stated error of a variance over the difference of two evaluations."""
FEW_GRADES = 2
"""Grades up to which `FINE` evaluations take seconds, and rules for label counts have many nodes."""


class MeanAndDeviation(NamedTuple):
    """Mean and standard deviation of NDCG, or of its difference for two scorers."""

    mean: float
    sd: float


class Moments(NamedTuple):
    """Mean and variance of NDCG, or of its difference for two scorers.

    Attributes
    ----------
    mean, variance : float
    size : float
        The variance without the covariances in it, to which rounding errors are relative.
    missed : float
        An error of the variance that a second evaluation does not show.
    mean_error : float
        The error of the mean, where it is known.
    """

    mean: float
    variance: float
    size: float
    missed: float = 0.0
    mean_error: float = 0.0


def mixed_moments(weights: Floats, found: Sequence[Moments]) -> Moments:
    """Return the moments of a mixture: the variance within its parts and that of their means."""
    means, *others, mean_errors = np.array(found).T
    mean = float(weights @ means)
    between = float(weights @ (means - mean) ** 2)
    variance, size, missed = (float(weights @ part) for part in others)
    off = math.sqrt(float(weights @ mean_errors**2))
    # by the inequality of Cauchy and Schwarz
    missed += 2 * math.sqrt(between) * off + off**2
    # where every part is known from the recursion over ranks, so is their mixture
    size = size + between if size else 0.0
    return Moments(mean, variance + between, size, missed, float(weights @ mean_errors))
