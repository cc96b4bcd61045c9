"""The exact mean of NDCG and DCG at finite n."""

from ndcg_asymptotics.theory.mean.expectation import (
    Expectation,
    expected_ndcg,
    relative_means,
)

__all__ = ["Expectation", "expected_ndcg", "relative_means"]
