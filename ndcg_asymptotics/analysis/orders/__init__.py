"""How reliably a measure orders two scorers, from plain replicates and from importance sampling."""
