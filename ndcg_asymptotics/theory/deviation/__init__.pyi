from .regime import effect_sizes as effect_sizes
from .standard import StandardDeviation as StandardDeviation
from .standard import difference_std as difference_std
from .standard import moments as moments
from .standard import ndcg_std as ndcg_std
