"""Mean and variance of NDCG with a cutoff."""
