"""The rare engine: probabilities of wrong orders by importance sampling under the tilted law."""

from ndcg_asymptotics.engines.rare.engine import VARIABLES, check, memory, simulate, warm

__all__ = ["VARIABLES", "check", "memory", "simulate", "warm"]
