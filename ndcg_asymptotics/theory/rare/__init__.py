"""Large deviations of the wrong order: the tilted law, its cost, and the error exponent."""

from ndcg_asymptotics.theory.rare.exponents import ErrorExponent, error_exponent
from ndcg_asymptotics.theory.rare.fixed_point import CELLS, tilt
from ndcg_asymptotics.theory.rare.law import Side, Tilt
from ndcg_asymptotics.theory.rare.rates import (
    PairPrediction,
    PairPredictions,
    log_chance,
    predict_pair,
    slope,
)

__all__ = [
    "CELLS",
    "ErrorExponent",
    "PairPrediction",
    "PairPredictions",
    "Side",
    "Tilt",
    "error_exponent",
    "log_chance",
    "predict_pair",
    "slope",
    "tilt",
]
