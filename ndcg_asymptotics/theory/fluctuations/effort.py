"""How exactly a variance is evaluated."""

from __future__ import annotations

from dataclasses import dataclass

from ndcg_asymptotics.measures.exponentials import TOLERANCE


@dataclass(frozen=True)
class Effort:
    """What an evaluation spends on each of its parts.

    Attributes
    ----------
    refine : float
        How much narrower than usual panels of depth are.
    digits : float
        What the rule for the label counts may leave, relative.
    fit : float
        The relative error of the discount as a sum of exponentials.
    degrees : (int, int, int)
        Of the binomial series from each of ``RANKS`` on.
    splits : int
        Ways in which the items above and below a cutoff are dealt out to grades.
    """

    refine: float
    digits: float
    fit: float
    degrees: tuple[int, int, int]
    splits: int

    @property
    def stages(self) -> tuple[tuple[float, int], ...]:
        """Ranks of the lower item from which a degree is enough."""
        return tuple((self.refine * rank, d) for rank, d in zip(RANKS, self.degrees, strict=True))

    @property
    def negligible(self) -> float:
        """What may be left of a matrix near the top."""
        return 1e-3 * self.digits


RANKS = (40.0, 400.0, 2e4)
USUAL = Effort(1.0, 1e-9, TOLERANCE, (8, 5, 3), 20_000)
REFINED = Effort(1.5, 1e-11, TOLERANCE, (8, 5, 3), 50_000)
"""A second opinion on the usual one."""
QUICK = Effort(0.8, 1e-4, 1e-6, (4, 3, 2), 20_000)
"""Good to 1e-4, in a fraction of the time."""
FEW_GRADES = 2
"""Grades up to which more than a quick evaluation takes seconds, not minutes."""
