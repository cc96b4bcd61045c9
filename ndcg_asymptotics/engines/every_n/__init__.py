"""The every-n engine: NDCG at every list length of one stream."""

import lazy_loader

from ndcg_asymptotics.engines.engine import NDCG_AXES, ORDER_AXES, PAIR_AXES

VARIABLES = {
    "ndcg": NDCG_AXES,
    "minimum": NDCG_AXES,
    "maximum": NDCG_AXES,
    "order": ORDER_AXES,
    "last_not_greater": PAIR_AXES,
    "last_not_less": PAIR_AXES,
    "changes": PAIR_AXES,
}

# results are read without numba, which the functions need
__getattr__, __dir__, _ = lazy_loader.attach(
    __name__, submod_attrs={"engine": ["check", "evaluate_every_n", "memory", "simulate", "warm"]}
)
