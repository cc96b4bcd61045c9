"""Surrogate losses for learning to rank: which are consistent with NDCG, and training with them.

`losses` holds the formulas with their gradients and `utilities` the measures of an order. `decide`, `search`
and `regret` find out whether the minimiser of a loss gives the best order of a `problem`. `ranker` minimises
losses on `queries`; a trained ranker produces runs, which the rest of the package takes.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
