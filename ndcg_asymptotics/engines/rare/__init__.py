"""The rare engine: probabilities of wrong orders by importance sampling under the tilted law."""

import lazy_loader

from ndcg_asymptotics.engines.engine import ORDER_AXES

VARIABLES = {"order": ORDER_AXES, "log_weight": ORDER_AXES, "last": ORDER_AXES}

# results are read without numba, which the functions need
__getattr__, __dir__, _ = lazy_loader.attach(
    __name__, submod_attrs={"engine": ["check", "memory", "simulate", "warm"]}
)
