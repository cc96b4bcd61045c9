"""The base class of surrogate losses: a value for the scores and labels of a list, and its gradient."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Bools, Floats
from ndcg_asymptotics.learning.labels import Batch
from ndcg_asymptotics.learning.utilities import Utility, utility_of
from ndcg_asymptotics.specs.spec import Spec, Write


class Surrogate(Protocol):
    """A loss of given labels, as a function of the scores.

    Attributes
    ----------
    contributing : (Q,) bool
        Which lists have a loss; the others contribute the value 0 and no gradient.
    curved : bool
        Whether the loss is convex with second derivatives, which `hessian` gives.
    """

    contributing: Bools
    curved: bool

    def __call__(self, scores: Floats) -> tuple[Floats, Floats]:
        """Return the loss of every list (Q,) and the gradient with respect to the scores (n,)."""

    def hessian(self, scores: Floats) -> Callable[[Floats], Floats]:
        """Return the product of the Hessian at these scores with a vector (n,), if it is `curved`."""


Order = tuple[int, ...]
"""The items of a list, the best first."""


def _without_proof(order: Order) -> bool:
    return False


@dataclass(frozen=True, eq=False)
class Minimiser:
    """The scores that minimise an expected loss, and how certain their order is.

    Attributes
    ----------
    scores : (m,), or None
        One minimiser; None if the infimum is not attained.
    swap_cost : (m, m)
        The increase of the expected loss, or of a quantity that increases with it, if the two items of a
        pair are tied; symmetric, 0 on the diagonal.
    above : (m, m) bool
        Whether item i comes before item j.
    residual : float
        A bound of the error of ``swap_cost``. The order of a pair is certain if its swap cost exceeds it.
    admits : function
        Whether a minimiser has a given order, where items of equal scores may stand in any order. True only
        if that is proved without rounding errors; False may mean that no proof is known.
    """

    scores: Floats | None
    swap_cost: Floats
    above: Bools
    residual: float
    admits: Callable[[Order], bool] = _without_proof

    @property
    def certain(self) -> Bools:
        """Whether i comes before j in every minimiser, (m, m)."""
        return self.above & (self.swap_cost > self.residual)


class Loss(Spec, family="loss"):
    """A surrogate loss φ(s, y) of the scores s of a list with labels y.

    Attributes
    ----------
    claim
        What the papers claim about its consistency.
    scale_invariant, shift_invariant
        Whether φ(c s, y) = φ(s, y) for every c > 0; whether φ(s + c, y) = φ(s, y) for every c.

    >>> values, gradient = Loss.parse("squared").evaluate([1.0, 0.0, 2.0], Batch.of([[1, 0], [2]]))
    >>> values, gradient
    (array([0., 1.]), array([ 0.,  0., -2.]))
    """

    claim: ClassVar[str]
    scale_invariant: ClassVar[bool] = False
    shift_invariant: ClassVar[bool] = False

    @property
    def curvature(self) -> float | None:
        """The c for which φ is c/2 |s|² plus a linear function of the scores; None if there is none."""
        return None

    @abstractmethod
    def on(self, batch: Batch, utility: Utility) -> Surrogate:
        """Return the loss of these labels as a function of the scores.

        Raises
        ------
        InputError
            If the loss does not allow these labels, or is not defined for the utility.
        """

    @abstractmethod
    def minimiser(self, labels: Floats, probabilities: Floats, utility: Utility) -> Minimiser:
        """Return the scores that minimise the expected loss under a distribution of label vectors (K, m)."""

    def evaluate(
        self, scores: ArrayLike, batch: Batch, measure: Utility | str = "nDCG"
    ) -> tuple[Floats, Floats]:
        """Return the loss of every list (Q,) and the gradient with respect to the scores (n,).

        Parameters
        ----------
        scores : (n,)
            The scores of the batch's items, finite.
        batch : Batch
        measure : Utility or str
            What the loss is a surrogate for; not every loss depends on it.

        Raises
        ------
        InputError
            As `on`, and for scores that are not finite or of another number.
        """
        return self.on(batch, utility_of(measure))(batch.check_scores(scores))

    def arguments(self, write: Write = str) -> tuple[str, ...]:
        """Return the canonical texts of the arguments, without trailing ones that are the defaults."""
        fields = list(self._fields())
        while fields and getattr(self, fields[-1].name) == fields[-1].default:
            fields.pop()
        return super().arguments(write)[: len(fields)]


_MOST_EXACT = 2.0**53  # doubles hold all smaller whole numbers


def is_whole(values: Floats) -> bool:
    """Return whether all values are whole numbers below 2^53, which doubles hold without rounding.

    >>> is_whole(np.array([3.0, 0.0])), is_whole(np.array([2.5]))
    (True, False)
    """
    return bool((values == np.rint(values)).all() and np.abs(values).max(initial=0.0) < _MOST_EXACT)


_LARGEST = 300.0  # beyond it exp is continued by its tangent; exp(300)², in norms, is still a finite double


def exp_with_tangent(x: Floats) -> tuple[Floats, Floats]:
    """Return exp(x) and its derivative; beyond x = 300 its tangent there, which is finite and convex.

    >>> [float(part[0]) for part in exp_with_tangent(np.zeros(1))]
    [1.0, 1.0]
    """
    slope = np.exp(np.minimum(x, _LARGEST))
    return slope * (1 + np.maximum(x - _LARGEST, 0.0)), slope


def exp_curvature(x: Floats) -> Floats:
    """Return the second derivative of `exp_with_tangent`: exp(x), and 0 beyond x = 300.

    >>> exp_curvature(np.array([0.0, 1e4]))
    array([1., 0.])
    """
    return np.where(x <= _LARGEST, np.exp(np.minimum(x, _LARGEST)), 0.0)
