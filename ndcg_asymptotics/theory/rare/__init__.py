"""How fast the wrong order dies out: the cheapest way to it, what it costs, and the speed in n."""

from ndcg_asymptotics.theory.rare.fixed_point import CELLS, tilt
from ndcg_asymptotics.theory.rare.law import Side, Tilt
from ndcg_asymptotics.theory.rare.rates import (
    PairPrediction,
    PairPredictions,
    log_chance,
    predict_pair,
    slope,
)
from ndcg_asymptotics.theory.rare.speeds import Speed, speed

__all__ = [
    "CELLS",
    "PairPrediction",
    "PairPredictions",
    "Side",
    "Speed",
    "Tilt",
    "log_chance",
    "predict_pair",
    "slope",
    "speed",
    "tilt",
]
