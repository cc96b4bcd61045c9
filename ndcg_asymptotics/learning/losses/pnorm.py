"""The p-norm family of Ravikumar, Tewari and Yang (2011, section 4), with whole and truncated norms."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.learning.losses.listwise import Listwise, inner
from ndcg_asymptotics.learning.losses.loss import unit
from ndcg_asymptotics.learning.utilities import Discounted, Utility
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.specs.scanner import Argument, Scanner, number_text

_BY_LENGTH = "log"


@dataclass(frozen=True)
class PNorm(Listwise, keyword="pnorm"):
    """φ = ||s||_q² - 2 <s, G/||G||_D>, q = p/(p-1), 1 < p <= 2 (Ravikumar et al. 2011, section 4).

    It is the Bregman surrogate of ψ = ||·||_p² at 2s, minus ||G/||G||_D||_p².

    Parameters
    ----------
    p : float or "log"
        1 < p <= 2. With "log" q is log(m) + 2 for a list of m items, as in the paper's experiment.
    depth : float
        The k of the norm Z_k = ||G||_D at k, the ideal DCG of the first k ranks, in place of the measure's
        own; the paper has Z_1 and Z_10. 0 stands for the measure's own. The loss is consistent for NDCG@k
        with this k, and for no other cutoff in general.
    """

    p: float | str
    depth: float = 0
    claim: ClassVar[str] = "consistent (Ravikumar et al., Theorem 8)"

    def __post_init__(self) -> None:
        wanted = f'{self.keyword}(p) needs 1 < p <= 2 or "{_BY_LENGTH}"'
        if isinstance(self.p, str):
            require(self.p == _BY_LENGTH, f"{wanted}, got {self.p!r}")
        else:
            require(1 < self.p <= 2, f"{wanted}, got {number_text(self.p)}")
        whole = 0 <= self.depth < math.inf and self.depth == int(self.depth)
        require(
            whole, f"{self.keyword}: depth must be a whole number, at least 0, got {number_text(self.depth)}"
        )

    @classmethod
    def accept(cls, name: str, argument: Argument, scanner: Scanner) -> Any:
        if name == "p" and isinstance(argument.value, str):
            return argument.value
        return super().accept(name, argument, scanner)

    def exponents(self, items: int) -> tuple[float, float]:
        """Return p and q for lists of a length, with 1/p + 1/q = 1.

        >>> PNorm("log").exponents(1)
        (2.0, 2.0)
        """
        if isinstance(self.p, str):
            q = math.log(items) + 2
            return q / (q - 1), q
        return self.p, self.p / (self.p - 1)

    def target(self, labels: Floats, utility: Utility) -> Floats:
        if self.depth == 0:
            return self.standardised(labels, utility)
        if not isinstance(utility, Discounted):
            raise InputError(f"a norm with a depth is one of DCG, which {utility} has none of")
        return Discounted(utility.gain, Measure(utility.measure.discount, int(self.depth))).standardised(
            labels
        )

    def at(self, s: Floats, t: Floats) -> tuple[Floats, Floats]:
        _, length, steepest = self._ascent(s)
        value = length[..., 0] ** 2 - 2 * (s * t).sum(axis=-1)
        return value, 2 * (length * steepest - t)

    def product(self, s: Floats, t: Floats, v: Floats) -> Floats:
        direction, _, steepest = self._ascent(s)
        along = inner(steepest, v)
        return 2 * (steepest * along + self._bend(direction) * (v - direction * along))

    def _ascent(self, s: Floats) -> tuple[Floats, Floats, Floats]:
        """Return s/||s||_q, ||s||_q and its gradient."""
        _, q = self.exponents(s.shape[-1])
        direction, length = unit(s, q)
        return direction, length, np.sign(direction) * np.abs(direction) ** (q - 1)

    def _bend(self, direction: Floats) -> Floats:
        """Return the derivative of the gradient of ||s||_q with respect to s/||s||_q, item by item."""
        _, q = self.exponents(direction.shape[-1])
        return np.asarray((q - 1) * np.abs(direction) ** (q - 2))

    def link(self, mean: Floats) -> Floats:
        # the gradient of ||·||_p² / 2
        p, _ = self.exponents(mean.size)
        direction, length = unit(mean, p)
        return length * np.sign(direction) * np.abs(direction) ** (p - 1)

    def strong_convexity(self, items: int) -> tuple[float, float] | None:
        p, _ = self.exponents(items)
        return p, p - 1


@dataclass(frozen=True)
class PNormNormalised(PNorm, keyword="pnorm_normalised"):
    """φ = -<s/||s||_q, G/||G||_D>, q = p/(p-1), 1 < p <= 2 (Ravikumar et al. 2011, section 4).

    The parameters are those of `pnorm`; p = 2 is the cosine with the norm. At s = 0 φ is 0 and the gradient
    is defined as -G/||G||_D.
    """

    claim: ClassVar[str] = "consistent (Ravikumar et al., section 4)"
    scale_invariant: ClassVar[bool] = True

    def strong_convexity(self, items: int) -> None:
        return None

    def at(self, s: Floats, t: Floats) -> tuple[Floats, Floats]:
        direction, length, steepest = self._ascent(s)
        product = (direction * t).sum(axis=-1, keepdims=True)
        return -product[..., 0], (product * steepest - t) / np.where(length > 0, length, 1.0)

    def product(self, s: Floats, t: Floats, v: Floats) -> Floats:
        direction, length, steepest = self._ascent(s)
        inverse = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0)
        product, along = inner(direction, t), inner(steepest, v)
        turn = (v - direction * along) * inverse  # of the direction
        slope = (product * steepest - t) * inverse
        return (
            inner(turn, t) * steepest + product * (self._bend(direction) * turn) - slope * along
        ) * inverse
