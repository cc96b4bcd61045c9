"""Scorers, described by all that NDCG of i.i.d. data depends on: their relevance curves.

With s the canonical score (the scorer's probability integral transform, uniform on [0, 1]) and
``t = 1 - s`` the depth from the top of the ranking, a scorer is its relevance curve
``ybar(s) = E[Y | s]``, held here as a function of depth, ``m(t) = ybar(1 - t)``. Depth is what
the top of a long list needs: t = 1e-18 is a number, 1 - 1e-18 is not.

A `Relevance` is such a model: `Curve` is the binary case, P(Y = 1 | t); graded models have one curve per
gain. `FixedCounts` is a `Model` of another kind: every list has the same number of relevant items, whose
depths are independent. In a `Mixture` lists belong to groups, and each group has its own model. All are a
`Scorer`, whose `groups` theory averages over.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import InputError, NotAvailableError, require
from ndcg_asymptotics.specs.scanner import Call
from ndcg_asymptotics.specs.spec import Spec

if TYPE_CHECKING:
    from ndcg_asymptotics.populations.curve import Curve

_T = TypeVar("_T")


class Scorer(Spec, family="relevance model"):
    """A scorer of lists that belong to one or several groups, each with its model."""

    @property
    @abstractmethod
    def groups(self) -> tuple[tuple[float, Model], ...]:
        """The weight and the model of every group; a single group unless this is a mixture."""

    @classmethod
    def build(cls, call: Call) -> Self:
        if call.name.startswith("roc_"):
            said = "a ROC curve needs a number of relevant items"
            call.scanner.fail(f"{said}: relevant(1, {call.name}(…))", call.position)
        return super().build(call)

    @property
    @abstractmethod
    def gains(self) -> tuple[float, ...]:
        """The positive gains, in decreasing order; 0 takes the remaining probability."""

    @property
    @abstractmethod
    def masses(self) -> tuple[float, ...]:
        """The label law P(Y = y_j), one number per gain."""

    @abstractmethod
    def mean_gain(self, t: ArrayLike) -> Floats:
        """Return E[Y | t] for an array of depths."""

    @property
    def weights(self) -> Floats:
        """The weight of every group; they add up to 1."""
        found = np.array([weight for weight, _ in self.groups])
        return np.asarray(found / found.sum())

    @property
    def iid(self) -> bool:
        """Whether labels are i.i.d.; else every list of a group has the same number of relevant items."""
        return all(isinstance(model, Relevance) for _, model in self.groups)

    @property
    def least_n(self) -> int:
        """The length of the shortest list that has all relevant items; 1 for i.i.d. labels."""
        return max(model.least_n for _, model in self.groups)

    def check_lengths(self, lengths: Iterable[int]) -> None:
        """Refuse lists that are too short for the relevant items."""
        relevant, shortest = self.least_n, min(lengths)
        said = f"lists with {relevant} relevant items have n >= {relevant}, got {shortest}"
        require(shortest >= relevant, said, "n")

    @property
    def models(self) -> list[Relevance]:
        """The relevance model of every group.

        Raises
        ------
        NotAvailableError
            If the number of relevant items is fixed.
        """
        return [_relevance(model) for _, model in self.groups]

    @property
    def mixed(self) -> bool:
        """Whether lists belong to several groups."""
        return len(self.groups) > 1

    @property
    def model(self) -> Relevance:
        """The relevance model of all lists.

        Raises
        ------
        NotAvailableError
            If there are several groups, or the number of relevant items is fixed.
        """
        if self.mixed:
            raise NotAvailableError("a mixture has no relevance curve of its own, each of its groups has one")
        return self.models[0]


def _relevance(model: Model) -> Relevance:
    if not isinstance(model, Relevance):
        raise NotAvailableError("not available for lists with a fixed number of relevant items")
    return model


def over_groups(
    scorers: Sequence[Scorer],
    quantity: Callable[..., _T],
    combine: Callable[[Floats, list[_T]], _T],
    fixed_counts: Callable[..., _T] | None = None,
) -> _T:
    """Return a quantity of scorers, combined from that of each group.

    Parameters
    ----------
    scorers : sequence of Scorer
        With the same groups.
    quantity : callable
        Takes one relevance model for each scorer.
    combine : callable
        Takes the weights of several groups and the quantity of each; not called for a single group.
    fixed_counts : callable, optional
        Takes one `FixedCounts` for each scorer.

    Raises
    ------
    NotAvailableError
        If the number of relevant items is fixed and ``fixed_counts`` is not given.

    >>> from ndcg_asymptotics.populations import mixture
    >>> two = mixture([(0.25, "linear(0.2, 0.8)"), (0.75, "constant(0.1)")])
    >>> float(over_groups([two], lambda model: model.masses[0], lambda weights, masses: weights @ masses))
    0.2
    """
    if scorers[0].iid or fixed_counts is None:
        groups = zip(*(scorer.models for scorer in scorers), strict=True)
        found = [quantity(*models) for models in groups]
    else:
        pairs = zip(*(scorer.groups for scorer in scorers), strict=True)
        found = [fixed_counts(*(model for _, model in group)) for group in pairs]
    return found[0] if len(found) == 1 else combine(scorers[0].weights, found)


class Model(Scorer):
    """A scorer whose lists are all of one kind: it is its only group."""

    @property
    def groups(self) -> tuple[tuple[float, Model], ...]:
        return ((1.0, self),)


class Relevance(Model):
    """The law of a label given the depth of its item: gains y_1 > … > y_J > 0 and P(Y = y_j | t)."""

    @property
    def least_n(self) -> int:
        return 1

    @property
    @abstractmethod
    def curves(self) -> tuple[Curve, ...]:
        """P(Y = y_j | t), one curve per gain."""

    @property
    def graded(self) -> bool:
        """Whether there are labels other than 0 and 1."""
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
        """Return E[Y | t] for an array of depths."""
        values = [y * c.value(t) for y, c in zip(self.gains, self.curves, strict=True)]
        return np.asarray(sum(values), dtype=np.float64)

    def gain_variance(self, t: ArrayLike) -> Floats:
        """Return Var(Y | t) for an array of depths."""
        squares = [y**2 * c.value(t) for y, c in zip(self.gains, self.curves, strict=True)]
        return np.maximum(np.asarray(sum(squares), dtype=np.float64) - self.mean_gain(t) ** 2, 0.0)

    def label_law(self, t: ArrayLike) -> tuple[Floats, Floats]:
        """Return the gains (J + 1,), the last one 0, and their probabilities (J + 1, …) at depths t."""
        chances = np.array([curve.value(t) for curve in self.curves], dtype=np.float64)
        without = np.maximum(1.0 - chances.sum(axis=0), 0.0)
        return np.append(self.gains, 0.0), np.concatenate([chances, without[None]])

    @property
    def law_at_top(self) -> tuple[Floats, Floats]:
        """The gains, the last one 0, and their probabilities at s = 1."""
        return self.label_law(0.0)


class Random(Scorer, keyword="random"):
    """random: an uninformative scorer, with the label law of the others in its population."""

    def _alone(self) -> NoReturn:
        raise InputError("'random' takes the label law of the other scorers; alone it has none")

    groups = property(_alone)
    gains = property(_alone)
    masses = property(_alone)

    def mean_gain(self, t: ArrayLike) -> NoReturn:
        self._alone()

    @classmethod
    def _fields(cls) -> tuple[Any, ...]:
        return ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Random)

    def __hash__(self) -> int:
        return hash(Random)
