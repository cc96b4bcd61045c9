"""Surrogate losses: `Listwise` and `Bregman` compare scores with a target, `Pairwise` with each other.

`ListMLE` is the likelihood of an order, and `LambdaRank` a field of gradients without a loss.
"""

from __future__ import annotations

from collections.abc import Sequence

from ndcg_asymptotics.core.arrays import as_list
from ndcg_asymptotics.learning.losses.bregman import Bregman
from ndcg_asymptotics.learning.losses.lambdarank import LambdaField, LambdaRank
from ndcg_asymptotics.learning.losses.listwise import Listwise
from ndcg_asymptotics.learning.losses.loss import Loss, Minimiser, Surrogate
from ndcg_asymptotics.learning.losses.norms import PNorm, PNormNormalised
from ndcg_asymptotics.learning.losses.pairwise import Pairwise
from ndcg_asymptotics.learning.losses.plackett_luce import ListMLE

__all__ = [
    "Bregman",
    "LambdaField",
    "LambdaRank",
    "ListMLE",
    "Listwise",
    "Loss",
    "Minimiser",
    "PNorm",
    "PNormNormalised",
    "Pairwise",
    "Surrogate",
    "losses_of",
]

STANDARD = (
    *("squared", "squared_consistent", "cosine", "cosine_consistent", "listnet", "listnet_consistent"),
    *("pnorm(1.5)", "pnorm_normalised(1.5)", 'bregman("hyperbolic")'),
    *('pairwise("logistic")', 'pairwise("squared_hinge")', 'pairwise("hinge")', 'margin("logistic")'),
    *("order_preserving", "duchi", "linear_ndcg", "listmle", "approx_ndcg"),
)
"""One loss of every kind, with usual parameters."""


def losses_of(losses: Sequence[Loss | str] | Loss | str | None) -> tuple[Loss, ...]:
    """Return losses given as objects or texts; None stands for one of every kind, with usual parameters.

    >>> [str(loss) for loss in losses_of(["squared", 'pairwise("hinge")'])]
    ['squared', 'pairwise("hinge")']
    """
    specs = STANDARD if losses is None else as_list(losses, "losses", (Loss, str))
    return tuple(Loss.of(loss) for loss in specs)
