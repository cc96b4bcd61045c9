"""Exact moments of metrics of sampled ranks, and what sampled ranks say about the full metric."""

from ndcg_asymptotics.theory.sampled.candidates import CandidateRanks
from ndcg_asymptotics.theory.sampled.corrected import bias_variance_estimate
from ndcg_asymptotics.theory.sampled.moments import metric_of_ranks, sampled_moments

__all__ = ["CandidateRanks", "bias_variance_estimate", "metric_of_ranks", "sampled_moments"]
