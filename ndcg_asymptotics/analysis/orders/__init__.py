"""Rates of the right order of two scorers, from plain replicates and from importance sampling."""
