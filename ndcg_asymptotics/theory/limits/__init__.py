"""The limits of NDCG_n as n -> infinity: theorems, leading terms of the gap, and extrapolated means."""

from ndcg_asymptotics.theory.limits.limits import LIMITS_OF_DCG, Limit, OccurringGrades, limit

__all__ = ["LIMITS_OF_DCG", "Limit", "OccurringGrades", "limit"]
