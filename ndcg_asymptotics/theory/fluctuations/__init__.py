"""How far NDCG of one list is from its mean."""

from ndcg_asymptotics.theory.fluctuations.variance import Spread, difference_spread, ndcg_spread

__all__ = ["Spread", "difference_spread", "ndcg_spread"]
