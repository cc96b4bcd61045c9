"""The standard deviation of NDCG of one list."""

from ndcg_asymptotics.theory.fluctuations.effects import effect_sizes
from ndcg_asymptotics.theory.fluctuations.variance import StandardDeviation, difference_std, ndcg_std

__all__ = ["StandardDeviation", "difference_std", "effect_sizes", "ndcg_std"]
