"""A Monte Carlo asymptotics laboratory for NDCG and its discounts."""
