"""The items engine: every item of a list, and NDCG at every list size of a grid."""

import lazy_loader

from ndcg_asymptotics.engines.engine import NDCG_AXES, ORDER_AXES

VARIABLES = {"ndcg": NDCG_AXES, "order": ORDER_AXES}

# results are read without numba, which the functions need
__getattr__, __dir__, _ = lazy_loader.attach(
    __name__, submod_attrs={"engine": ["check", "memory", "simulate", "simulate_block", "warm"]}
)
