"""How fast the wrong order dies out: the cheapest way to it, what it costs, and the speed in n."""

from ndcg_asymptotics.theory.rare.speed import PairPrediction, predict_pair, speed_exponent
from ndcg_asymptotics.theory.rare.tilt import Tilt, tilt

__all__ = ["PairPrediction", "Tilt", "predict_pair", "speed_exponent", "tilt"]
