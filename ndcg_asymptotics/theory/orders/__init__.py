"""Large deviations of the wrong order: the tilted law, its cost, and the error exponent."""

from ndcg_asymptotics.theory.orders.exponents import ErrorExponent, error_exponent
from ndcg_asymptotics.theory.orders.tilting import CELLS, Side, Tilt, level_tilt, log_wrong_probability, tilt

__all__ = [
    "CELLS",
    "ErrorExponent",
    "Side",
    "Tilt",
    "error_exponent",
    "level_tilt",
    "log_wrong_probability",
    "tilt",
]
