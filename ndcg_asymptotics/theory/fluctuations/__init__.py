"""How far NDCG of one list is from its mean."""
