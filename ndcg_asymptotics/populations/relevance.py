"""Relevance curves: what a scorer is, as far as NDCG of i.i.d. data goes.

With s the canonical score (the scorer's probability integral transform, uniform on [0, 1]) and
``t = 1 - s`` the depth from the top of the ranking, a scorer is its relevance curve
``ybar(s) = E[Y | s]``, held here as a function of depth, ``m(t) = ybar(1 - t)``. Depth is what
the top of a long list needs: t = 1e-18 is a number, 1 - 1e-18 is not.

`Curve` is the binary case, P(Y = 1 | t); graded models have one curve per gain.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.specs.spec import Spec

if TYPE_CHECKING:
    from ndcg_asymptotics.populations.curve import Curve


class Relevance(Spec, family="relevance model"):
    """The law of a label given the depth of its item: gains y_1 > … > y_J > 0 and P(Y = y_j | t)."""

    @property
    @abstractmethod
    def gains(self) -> tuple[float, ...]:
        """The positive gains, in decreasing order; 0 takes the remaining probability."""

    @property
    @abstractmethod
    def curves(self) -> tuple[Curve, ...]:
        """P(Y = y_j | t), one curve per gain."""

    @property
    def graded(self) -> bool:
        """Whether labels are more than 0 and 1."""
        return self.gains != (1.0,)

    @property
    def masses(self) -> tuple[float, ...]:
        """The label law P(Y = y_j), one number per gain."""
        return tuple(curve.mass for curve in self.curves)

    @property
    def continuous(self) -> bool:
        """Whether every curve is continuous on [0, 1]."""
        return all(curve.is_continuous for curve in self.curves)

    @property
    def breakpoints(self) -> tuple[float, ...]:
        """Depths inside (0, 1) where a curve jumps or has a kink."""
        return tuple(sorted({b for curve in self.curves for b in curve.breaks}))

    @property
    def mean_gain_at_top(self) -> float:
        """E[Y | s = 1]; for a binary curve this is ybar(1)."""
        return float(self.mean_gain(0.0))

    def mean_gain(self, t: ArrayLike) -> Floats:
        """E[Y | t] for an array of depths."""
        values = [y * c.value(t) for y, c in zip(self.gains, self.curves, strict=True)]
        return np.asarray(sum(values), dtype=np.float64)

    def gain_variance(self, t: ArrayLike) -> Floats:
        """Var(Y | t) for an array of depths."""
        squares = [y**2 * c.value(t) for y, c in zip(self.gains, self.curves, strict=True)]
        return np.maximum(np.asarray(sum(squares), dtype=np.float64) - self.mean_gain(t) ** 2, 0.0)

    def label_law(self, t: ArrayLike) -> tuple[Floats, Floats]:
        """The gains (J + 1,), 0 the last, and their probabilities (J + 1, …) at an array of depths."""
        chances = np.array([curve.value(t) for curve in self.curves], dtype=np.float64)
        without = np.maximum(1.0 - chances.sum(axis=0), 0.0)
        return np.append(self.gains, 0.0), np.concatenate([chances, without[None]])

    @property
    def law_at_top(self) -> tuple[Floats, Floats]:
        """The gains, 0 the last, and their probabilities at s = 1."""
        return self.label_law(0.0)


class Random(Relevance, keyword="random"):
    """random: an uninformative scorer, with the label law of the others in its population."""

    @property
    def gains(self) -> tuple[float, ...]:
        raise InputError("'random' takes the label law of the other scorers; alone it has none")

    @property
    def curves(self) -> tuple[Curve, ...]:
        raise InputError("'random' takes the label law of the other scorers; alone it has none")

    @classmethod
    def _fields(cls) -> tuple[Any, ...]:
        return ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Random)

    def __hash__(self) -> int:
        return hash(Random)
