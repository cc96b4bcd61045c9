"""Exact moments of NDCG and DCG of the first ranks, by a recursion over ranks (docs/fluctuations.md)."""
