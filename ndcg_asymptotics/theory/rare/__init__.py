"""How fast the wrong order dies out: the cheapest way to it, what it costs, and the speed in n."""

from ndcg_asymptotics.theory.rare.fixed_point import CELLS, Side, Tilt, tilt

__all__ = ["CELLS", "Side", "Tilt", "tilt"]
