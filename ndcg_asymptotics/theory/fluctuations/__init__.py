"""How far NDCG of one list is from its mean."""

from ndcg_asymptotics.theory.fluctuations.variance import StandardDeviation, difference_std, ndcg_std

__all__ = ["StandardDeviation", "difference_std", "ndcg_std"]
