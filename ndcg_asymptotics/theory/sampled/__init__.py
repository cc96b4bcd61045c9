"""Exact moments of NDCG against sampled negatives, and of corrected estimates of the full NDCG."""

from ndcg_asymptotics.theory.sampled.candidates import CandidateRanks
from ndcg_asymptotics.theory.sampled.corrected import (
    bias_variance_estimate,
    corrected_moments,
    metric_of_ranks,
    rank_estimate,
)
from ndcg_asymptotics.theory.sampled.moments import full_ndcg, sampled_ndcg
from ndcg_asymptotics.theory.sampled.ranked_items import RankedItems

__all__ = [
    "CandidateRanks",
    "RankedItems",
    "bias_variance_estimate",
    "corrected_moments",
    "full_ndcg",
    "metric_of_ranks",
    "rank_estimate",
    "sampled_ndcg",
]
