"""Surrogate losses for learning to rank: which are consistent with NDCG, and training with them.

`losses` are formulas with gradients; `utilities` are the measures of an order; `consistency` decides whether
the minimiser of a loss gives the best order; `training` minimises losses on data. A trained ranker reaches
the rest of the package as a run.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
