"""LambdaRank: pairwise gradients weighted by what an exchange would change in NDCG."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NoReturn

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.learning.labels import Batch
from ndcg_asymptotics.learning.losses.loss import Loss
from ndcg_asymptotics.learning.losses.pair_sums import PairSum
from ndcg_asymptotics.learning.losses.pairwise import Weighted
from ndcg_asymptotics.learning.utilities import Discounted, Utility


@dataclass(frozen=True)
class LambdaRank(Loss, keyword="lambdarank"):
    """dφ/ds_i of a pair y_i > y_j is -|ΔNDCG| / (1 + exp(s_i - s_j)) (Burges, Ragno and Le 2006).

    |ΔNDCG| = |G_i - G_j| |D(rank of i) - D(rank of j)| / ||G||_D is what an exchange of the two would change
    in NDCG, at their present ranks. The ranks jump as the scores change, and the field is not the gradient of
    any function: there is no loss, and no minimiser. With the weights of a ranking it is the gradient of the
    weighted logistic loss, ``Σ |ΔNDCG| log(1 + exp(s_j - s_i))``, the value that `evaluate` returns.

    Training minimises that loss, ranks the documents anew, and so on until no document changes its rank. The
    field is then 0. Boosted trees take a single step for each ranking; they come to rest at the same points.
    """

    claim: ClassVar[str] = "no loss"
    shift_invariant: ClassVar[bool] = True

    def on(self, batch: Batch, utility: Utility) -> LambdaField:
        if not isinstance(utility, Discounted):
            raise InputError(f"{self.keyword} needs DCG or NDCG, got {utility}")
        return LambdaField(batch, utility)

    def minimiser(self, labels: Floats, probabilities: Floats, utility: Utility) -> NoReturn:
        raise InputError("it is a field of gradients that are not those of a loss, so it has no minimiser")


class LambdaField:
    """The field of a batch: a surrogate whose weights depend on the ranks."""

    curved = True

    def __init__(self, batch: Batch, utility: Discounted) -> None:
        pairs = Weighted("logistic", "gain").on(batch, utility)
        assert isinstance(pairs, PairSum)  # for mypy: `Weighted` is a sum over pairs
        self._pairs, self._batch = pairs, batch
        self.contributing = pairs.contributing
        # ||G||_D of the list of each document, and D(1), D(2), … of each list at its documents' places
        ideal, self._discounts = np.zeros(batch.labels.size), np.zeros(batch.labels.size)
        for _, items in batch.blocks:
            ideal[items] = utility.ideal(batch.labels[items])[:, None] if utility.measure.normalised else 1.0
            self._discounts[items] = utility.weights(items.shape[1])
        self._gain_differences = pairs.terms.weight / ideal[pairs.terms.first]  # (G_i - G_j) / ||G||_D
        self._starts = np.repeat(batch.starts, batch.sizes)
        self._lists = np.repeat(np.arange(batch.sizes.size), batch.sizes)

    def ranks(self, scores: Floats) -> Integers:
        """Return the rank of every document in its list, from 0; ties are ranked as they stand."""
        order = np.lexsort((-scores, self._lists))
        ranks = np.empty(scores.size, np.int64)
        ranks[order] = np.arange(scores.size) - self._starts
        return ranks

    def frozen(self, scores: Floats) -> PairSum:
        """Return the logistic loss weighted by |ΔNDCG| at these scores, whatever scores it is called with."""
        at_rank = self._discounts[self._starts + self.ranks(scores)]
        first, second = self._pairs.terms.first, self._pairs.terms.second
        return self._pairs.reweighted(self._gain_differences * np.abs(at_rank[first] - at_rank[second]))

    def __call__(self, scores: Floats) -> tuple[Floats, Floats]:
        return self.frozen(scores)(scores)

    def hessian(self, scores: Floats) -> Callable[[Floats], Floats]:
        return self.frozen(scores).hessian(scores)
