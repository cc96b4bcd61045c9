"""The every-n engine: NDCG at every list length of one stream."""

from ndcg_asymptotics.engines.every_n.engine import VARIABLES, check, evaluate_every_n, memory, simulate, warm

__all__ = ["VARIABLES", "check", "evaluate_every_n", "memory", "simulate", "warm"]
