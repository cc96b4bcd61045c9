"""The cells engine: lists of up to 9e18 items, drawn by counts, NDCG within rigorous brackets."""

from ndcg_asymptotics.engines.cells.engine import VARIABLES, check, memory, simulate, warm

__all__ = ["VARIABLES", "check", "memory", "simulate", "warm"]
