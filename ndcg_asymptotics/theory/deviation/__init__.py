"""The standard deviation of NDCG of one list."""

from ndcg_asymptotics.theory.deviation.regime import effect_sizes
from ndcg_asymptotics.theory.deviation.standard import StandardDeviation, difference_std, moments, ndcg_std

__all__ = ["StandardDeviation", "difference_std", "effect_sizes", "moments", "ndcg_std"]
