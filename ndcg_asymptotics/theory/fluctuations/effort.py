"""The effort of one evaluation of a variance, and its outcome."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

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
    probed : bool
        Whether more rows of a matrix near the top are tried, where many relevant items lie far above others.
    """

    refine: float
    digits: float
    fit: float
    degrees: tuple[int, int, int]
    splits: int
    probed: bool = False

    @property
    def stages(self) -> tuple[tuple[float, int], ...]:
        """Ranks of the lower item, and the degree of the binomial series from each on."""
        return tuple((self.refine * rank, d) for rank, d in zip(RANKS, self.degrees, strict=True))

    @property
    def negligible(self) -> float:
        """The relative error of a matrix near the top."""
        return 1e-3 * self.digits


RANKS = (40.0, 400.0, 2e4)
"""Terms of degree p fall like p! K^-p with the rank K of the lower item."""
USUAL = Effort(1.0, 1e-9, TOLERANCE, (8, 5, 3), 20_000)
REFINED = Effort(1.5, 1e-11, TOLERANCE, (8, 5, 3), 50_000)
"""A second evaluation, whose difference from the usual one estimates the error."""
QUICK = Effort(0.8, 1e-4, 1e-6, (4, 3, 2), 20_000)
"""An evaluation that is good to 1e-4, in a fraction of the time."""
ROUGH = Effort(0.6, 1e-3, 1e-5, (3, 2, 1), 20_000)
"""An evaluation that is good to 1e-3."""
FEW_GRADES = 2
"""Grades up to which the usual evaluation takes seconds; with more it takes minutes."""


class Moments(NamedTuple):
    """Mean and variance of NDCG, or of its difference for two scorers.

    Attributes
    ----------
    mean, variance : float
    size : float
        The variance without the covariances in it, to which rounding errors are relative.
    missed : float
        An error of the variance that a second evaluation does not show.
    """

    mean: float
    variance: float
    size: float
    missed: float = 0.0
