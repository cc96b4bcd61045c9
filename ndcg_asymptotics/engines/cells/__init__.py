"""The cells engine: lists of up to 9e18 items, drawn by counts, NDCG within rigorous brackets."""

import lazy_loader

from ndcg_asymptotics.engines.engine import NDCG_AXES, ORDER_AXES

VARIABLES = {"ndcg": NDCG_AXES, "low": NDCG_AXES, "high": NDCG_AXES, "order": ORDER_AXES}

# results are read without numba, which the functions need
__getattr__, __dir__, _ = lazy_loader.attach(
    __name__, submod_attrs={"engine": ["check", "memory", "simulate", "warm"]}
)
