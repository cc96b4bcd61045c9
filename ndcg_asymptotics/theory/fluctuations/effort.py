"""The effort of one evaluation of a variance, and its outcome."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.measures.exponentials import TOLERANCE


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
    splits : int
        The number of nodes for the distribution of the items above and below a cutoff over grades.
    quick : bool
        Whether few nodes for label counts are enough.
    further : int
        Label counts at which a variance is computed, beyond those that a polynomial in them needs.
    """

    refine: float
    digits: float
    fit: float
    degrees: tuple[int, int, int]
    splits: int
    quick: bool = False
    further: int = 0

    @property
    def stages(self) -> tuple[tuple[float, int], ...]:
        """Ranks of the lower item, and the degree of the binomial series from each on."""
        return tuple((self.refine * rank, d) for rank, d in zip(RANKS, self.degrees, strict=True))

    def series(self, grades: int) -> tuple[tuple[float, int], ...]:
        """Return the stages at which the binomial series is used; items further up are near the top."""
        terms = [math.comb(degree + grades + 1, degree) for _, degree in self.stages]
        # of many grades it has so many terms that a cross approximation is quicker
        dear = sum(count > _MOST_TERMS for count in terms[:-1]) if self.quick else 0
        return self.stages[dear:]

    def degree(self, law: Floats, n: int, digits: float, most: int) -> int:
        """Return the degree of a polynomial for a function of label counts that changes little with them.

        It changes by its own size over n items, and ``law`` (J + 1,) are the probabilities of the grades. The
        polynomial has at most ``most`` terms.
        """
        deviations = _QUICK_DEVIATIONS if self.quick else _DEVIATIONS
        wide = deviations * math.sqrt(float((law * (1 - law)).max()) / n)
        wanted = math.ceil(math.log(digits) / math.log(min(max(wide, 1e-12), 0.2))) - self.quick
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
        return degree // 2 + 1 + (min(self.further, 1) if rare > _MANY else self.further)

    @property
    def counts(self) -> float:
        """The relative error of a rule for the label counts of a whole list."""
        # its nodes are many, but little is computed at each
        return (1e-3 if self.quick else 0.1) * self.digits

    @property
    def variances(self) -> float:
        """The relative error of the rule for variances above a cutoff, of which means are taken."""
        return float(self.digits ** (_QUICK_VARIANCE_DIGITS if self.quick else _VARIANCE_DIGITS))

    @property
    def negligible(self) -> float:
        """The relative error of a matrix near the top."""
        return 1e-3 * self.digits


# within so many standard deviations of label counts a polynomial in them is good
_DEVIATIONS, _QUICK_DEVIATIONS = 3.0, 2.0
# exponents of the tolerance for variances above a cutoff, which may be coarser
_VARIANCE_DIGITS, _QUICK_VARIANCE_DIGITS = 0.55, 0.42
_MANY = 1000.0  # items of the rarer class, with which values change little
_MOST_TERMS = 100  # of the series in a quick evaluation
RANKS = (40.0, 400.0, 2e4)
"""Terms of degree p fall like p! K^-p with the rank K of the lower item."""
ROUGH = Effort(0.6, 1e-5, 1e-5, (4, 3, 2), 20_000, quick=True)
"""An evaluation that is good to 1e-5 or so: for curves that are drawn and for searches."""
QUICK = Effort(1.0, 1e-6, 1e-6, (4, 3, 2), 20_000, quick=True, further=3)
"""One that is good to 1e-6, in a fraction of the usual time."""
USUAL = Effort(1.0, 1e-9, TOLERANCE, (8, 5, 3), 20_000, further=1)
REFINED = Effort(1.5, 1e-11, TOLERANCE, (8, 5, 3), 50_000, further=3)


@dataclass(frozen=True)
class Refinement:
    """Evaluations, each better than the one before, until two agree; a value and a bound of its error follow.

    Attributes
    ----------
    efforts : two or more
    caution : float
        The stated error is this times the difference of two evaluations.
    rounding : float
        The error that they share, relative to the variance without covariances.
    agreed : float
        The error, relative to the variance, from which a further evaluation is made.
    """

    efforts: tuple[Effort, ...]
    caution: float
    rounding: float
    agreed: float


TWO_QUICK = Refinement((ROUGH, QUICK), 3.0, 1e-6, 0.02)
"""Some four digits, where more than 128 ranks count: enough to show, and beside a simulation."""
MANY_GRADES = Refinement((replace(ROUGH, digits=1e-3, degrees=(3, 2, 1)), QUICK), 3.0, 1e-6, 0.01)
"""For a cutoff and more than `FEW_GRADES`, whose rough evaluation takes as long as the better one."""
FULL = Refinement(
    (
        USUAL,
        REFINED,
        # values may change steeply with the counts, in lists of few items of a class
        replace(REFINED, refine=1.25, further=9),
        replace(REFINED, refine=1.75, further=25),
    ),
    3.0,
    1e-9,
    1e-4,
)
"""Some nine digits, in about four times the time; with three grades and more they take minutes."""
FEW_GRADES = 2
"""Grades up to which the rules for label counts have many nodes."""


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
