"""Large deviations of the wrong order: the tilted law, its cost, and the error exponent."""

from ndcg_asymptotics.theory.rare.exponents import ErrorExponent, error_exponent
from ndcg_asymptotics.theory.rare.rates import (
    PairPrediction,
    PairPredictions,
    log10_wrong,
    log_wrong_probability,
    predict_pair,
    slope,
)
from ndcg_asymptotics.theory.rare.tilting import CELLS, Side, Tilt, tilt

__all__ = [
    "CELLS",
    "ErrorExponent",
    "PairPrediction",
    "PairPredictions",
    "Side",
    "Tilt",
    "error_exponent",
    "log10_wrong",
    "log_wrong_probability",
    "predict_pair",
    "slope",
    "tilt",
]
