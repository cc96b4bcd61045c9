"""What a loss is: a number for the scores and labels of a list, and its gradient in the scores."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Bools, Floats
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.learning.labels import Batch
from ndcg_asymptotics.learning.utilities import Utility, utility_of
from ndcg_asymptotics.specs.spec import Spec


class Surrogate(Protocol):
    """A loss of given labels, as a function of the scores.

    Attributes
    ----------
    contributing : (Q,) bool
        The lists that have a loss; those with nothing to learn from contribute 0 and no gradient.
    """

    contributing: Bools

    def __call__(self, scores: Floats) -> tuple[Floats, Floats]:
        """The loss of every list (Q,) and the gradient by the scores (n,)."""


@dataclass(frozen=True, eq=False)
class Minimiser:
    """What is known of the scores that minimise an expected loss.

    Attributes
    ----------
    scores : (m,), or None
        One minimiser; None if the infimum is not attained.
    price : (m, m)
        For each pair of items, how much it costs to have them the other way round, in the unit of
        ``residual``: symmetric, 0 on the diagonal.
    above : (m, m) bool
        Which item of a pair comes first.
    residual : float
        A bound of the error of ``price``: an order is certain where its price exceeds it.
    """

    scores: Floats | None
    price: Floats
    above: Bools
    residual: float

    @property
    def certain(self) -> Bools:
        """(m, m): that i comes before j in every minimiser."""
        return self.above & (self.price > self.residual)


class Loss(Spec, family="loss"):
    """A surrogate loss φ(s, y) of the scores s of a list with labels y.

    Attributes
    ----------
    claim
        What the papers say of minimising it for NDCG.
    scale_invariant
        Whether φ(c s, y) = φ(s, y) for every c > 0.

    >>> values, gradient = Loss.parse("squared").evaluate([1.0, 0.0, 2.0], Batch.of([[1, 0], [2]]))
    >>> values, gradient
    (array([0., 1.]), array([ 0.,  0., -2.]))
    """

    claim: ClassVar[str]
    scale_invariant: ClassVar[bool] = False

    @abstractmethod
    def on(self, batch: Batch, utility: Utility) -> Surrogate:
        """The loss of these labels, as a function of the scores.

        Raises
        ------
        InputError
            If the loss cannot take these labels, or needs a standardisation that the utility lacks.
        """

    @abstractmethod
    def minimiser(self, labels: Floats, probabilities: Floats, utility: Utility) -> Minimiser:
        """The scores that minimise the expected loss under a distribution of label vectors (K, m)."""

    def evaluate(
        self, scores: ArrayLike, batch: Batch, measure: Utility | str = "nDCG"
    ) -> tuple[Floats, Floats]:
        """The loss of every list (Q,) and the gradient by the scores (n,).

        Parameters
        ----------
        scores : (n,)
            Of the batch's items, finite.
        batch : Batch
        measure : Utility or str
            What the loss is a surrogate for, where it depends on that.

        Raises
        ------
        InputError
            As `on`, or if the scores are not finite or too few.
        """
        return self.on(batch, utility_of(measure))(batch.check_scores(scores))

    def arguments(self) -> tuple[str, ...]:
        """The canonical texts of the arguments, without those at the end that are the defaults."""
        texts, values = list(super().arguments()), [getattr(self, f.name) for f in self._fields()]
        for field, value in zip(reversed(self._fields()), reversed(values), strict=True):
            if value != field.default:
                break
            texts.pop()
        return tuple(texts)

    def standardised(self, labels: Floats, utility: Utility) -> Floats:
        """The utility's standard form of the labels.

        Raises
        ------
        InputError
            If there is none.
        """
        targets = utility.standardised(labels)
        if targets is None:
            raise InputError(f"the loss needs a standardisation of the labels, and {utility} has none")
        return targets


_LARGEST = 300.0  # beyond, exp is continued by its tangent: its square is still a double


def exp_with_tangent(x: Floats) -> tuple[Floats, Floats]:
    """exp(x) and its derivative; beyond x = 300 by the tangent there, which keeps both finite and convex.

    >>> [float(part[0]) for part in exp_with_tangent(np.zeros(1))]
    [1.0, 1.0]
    """
    slope = np.exp(np.minimum(x, _LARGEST))
    return slope * (1 + np.maximum(x - _LARGEST, 0.0)), slope


def unit(x: Floats, q: float = 2.0) -> tuple[Floats, Floats]:
    """x / ||x||_q and ||x||_q along the last axis; 0 and 0 for x = 0.

    >>> unit(np.array([3e200, 4e200]))
    (array([0.6, 0.8]), array([5.e+200]))
    """
    largest = np.abs(x).max(axis=-1, keepdims=True)
    scaled = np.divide(x, largest, out=np.zeros_like(x), where=largest > 0)
    norm = (np.abs(scaled) ** q).sum(axis=-1, keepdims=True) ** (1 / q)
    return np.divide(scaled, norm, out=scaled, where=norm > 0), norm * largest
