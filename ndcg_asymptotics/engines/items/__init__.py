"""The items engine: every item of a list, and NDCG at every list size of a grid."""

from ndcg_asymptotics.engines.items.engine import VARIABLES, check, memory, simulate, warm

__all__ = ["VARIABLES", "check", "memory", "simulate", "warm"]
