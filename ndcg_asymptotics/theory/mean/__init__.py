"""The exact mean of NDCG and DCG at finite n."""

from ndcg_asymptotics.theory.mean.expectation import expected_ndcg, relative_means

__all__ = ["expected_ndcg", "relative_means"]
