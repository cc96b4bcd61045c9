"""Losses of norms of the scores: p-norms (Ravikumar, Tewari and Yang 2011, section 4) and cosines."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.learning.losses.listwise import Listwise, inner
from ndcg_asymptotics.learning.utilities import Discounted, Utility
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.specs.ranges import whole
from ndcg_asymptotics.specs.scanner import Argument, Scanner, number_text

_BY_LENGTH = "log"


def unit(x: Floats, q: float = 2.0) -> tuple[Floats, Floats]:
    """Return x / ||x||_q and ||x||_q along the last axis; 0 and 0 for x = 0.

    >>> unit(np.array([3e200, 4e200]))
    (array([0.6, 0.8]), array([5.e+200]))
    """
    largest = np.abs(x).max(axis=-1, keepdims=True)
    scaled = np.divide(x, largest, out=np.zeros_like(x), where=largest > 0)
    norm = (np.abs(scaled) ** q).sum(axis=-1, keepdims=True) ** (1 / q)
    return np.divide(scaled, norm, out=scaled, where=norm > 0), norm * largest


class OfNorm(Listwise):
    """A loss of ||s||_q, 1/p + 1/q = 1."""

    def exponents(self, items: int) -> tuple[float, float]:
        """Return p and q for lists of a length."""
        return 2.0, 2.0

    def _ascent(self, s: Floats) -> tuple[Floats, Floats, Floats]:
        """Return s/||s||_q, ||s||_q and its gradient."""
        _, q = self.exponents(s.shape[-1])
        direction, length = unit(s, q)
        return direction, length, np.sign(direction) * np.abs(direction) ** (q - 1)

    def _bend(self, direction: Floats) -> Floats:
        """Return the derivative of the gradient of ||s||_q with respect to s/||s||_q, item by item."""
        _, q = self.exponents(direction.shape[-1])
        return np.asarray((q - 1) * np.abs(direction) ** (q - 2))


class OfDirection(OfNorm):
    """φ = c - <s/||s||_q, t>. At s = 0 it has no derivative; there φ is c, the gradient is defined as -t."""

    at_zero: ClassVar[float] = 0.0
    scale_invariant: ClassVar[bool] = True

    def at(self, s: Floats, t: Floats) -> tuple[Floats, Floats]:
        direction, length, steepest = self._ascent(s)
        product = inner(direction, t)
        gradient = (product * steepest - t) / np.where(length > 0, length, 1.0)
        return self.at_zero - product[..., 0], gradient

    def product(self, s: Floats, t: Floats, v: Floats) -> Floats:
        direction, length, steepest = self._ascent(s)
        inverse = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0)
        product, along = inner(direction, t), inner(steepest, v)
        turn = (v - direction * along) * inverse  # of the direction
        slope = (product * steepest - t) * inverse
        return (
            inner(turn, t) * steepest + product * (self._bend(direction) * turn) - slope * along
        ) * inverse


@dataclass(frozen=True)
class CosineConsistent(OfDirection, keyword="cosine_consistent"):
    """φ = 1 - <s/|s|, G/||G||_D>: sorts by E[G/||G||_D], optimal for NDCG (Ravikumar et al. 2011).

    G/||G||_D is not divided by its length, which would give `cosine` again.
    """

    at_zero: ClassVar[float] = 1.0
    claim: ClassVar[str] = "consistent (Ravikumar et al., section 4)"


@dataclass(frozen=True)
class Cosine(CosineConsistent, keyword="cosine"):
    """φ = 1 - <s/|s|, G/|G|>: sorts by E[G/|G|] (Qin et al. 2008; inconsistent, Ravikumar et al. 2011)."""

    claim: ClassVar[str] = "inconsistent (Ravikumar et al., Proposition 7)"

    def target(self, labels: Floats, utility: Utility) -> Floats:
        return unit(utility.gains(labels))[0]


@dataclass(frozen=True)
class PNorm(OfNorm, keyword="pnorm"):
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
    depth: float = field(default=0, metadata=whole(0))
    claim: ClassVar[str] = "consistent (Ravikumar et al., Theorem 8)"

    def __post_init__(self) -> None:
        requirement = f'{self.keyword}(p) needs 1 < p <= 2 or "{_BY_LENGTH}"'
        if isinstance(self.p, str):
            require(self.p == _BY_LENGTH, f"{requirement}, got {self.p!r}")
        else:
            require(1 < self.p <= 2, f"{requirement}, got {number_text(self.p)}")
        super().__post_init__()

    @classmethod
    def accept(cls, name: str, argument: Argument, scanner: Scanner) -> Any:
        if name == "p" and isinstance(argument.value, str):
            return argument.value
        return super().accept(name, argument, scanner)

    def exponents(self, items: int) -> tuple[float, float]:
        """Return p and q for lists of a length.

        >>> PNorm("log").exponents(1)
        (2.0, 2.0)
        """
        if isinstance(self.p, str):
            q = math.log(items) + 2
            return q / (q - 1), q
        return self.p, self.p / (self.p - 1)

    def target(self, labels: Floats, utility: Utility) -> Floats:
        if self.depth == 0:
            return utility.standardised(labels)
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

    def link(self, mean: Floats) -> Floats:
        # the gradient of ||·||_p² / 2
        p, _ = self.exponents(mean.size)
        direction, length = unit(mean, p)
        return length * np.sign(direction) * np.abs(direction) ** (p - 1)

    def strong_convexity(self, items: int) -> tuple[float, float] | None:
        p, _ = self.exponents(items)
        return p, p - 1


@dataclass(frozen=True)
class PNormNormalised(OfDirection, PNorm, keyword="pnorm_normalised"):
    """φ = -<s/||s||_q, G/||G||_D>, q = p/(p-1), 1 < p <= 2 (Ravikumar et al. 2011, section 4).

    The parameters are those of `pnorm`; p = 2 is the cosine with the norm.
    """

    claim: ClassVar[str] = "consistent (Ravikumar et al., section 4)"

    def strong_convexity(self, items: int) -> None:
        return None
