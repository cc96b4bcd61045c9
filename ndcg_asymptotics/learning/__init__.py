"""Surrogate losses for learning to rank: which are right for NDCG, decided, searched and trained.

`losses` are formulas with gradients; `utilities` say what an order is worth; `consistency` asks whether
a loss, minimised perfectly, gives the best order; `training` minimises it on data. A trained ranker
reaches the rest of the package as a run.
"""
