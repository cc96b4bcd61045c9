"""Losses that are sums over pairs of items."""

from ndcg_asymptotics.learning.losses.pairwise.duchi import Duchi
from ndcg_asymptotics.learning.losses.pairwise.linear_ndcg import LinearNDCG, swapped_gains
from ndcg_asymptotics.learning.losses.pairwise.margin import Margin
from ndcg_asymptotics.learning.losses.pairwise.order_preserving import OrderPreserving
from ndcg_asymptotics.learning.losses.pairwise.pairwise import Pairwise
from ndcg_asymptotics.learning.losses.pairwise.weighted import Weighted

__all__ = ["Duchi", "LinearNDCG", "Margin", "OrderPreserving", "Pairwise", "Weighted", "swapped_gains"]
