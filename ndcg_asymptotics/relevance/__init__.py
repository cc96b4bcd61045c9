"""Relevance curves: what a scorer is, as far as NDCG of i.i.d. data goes."""

from ndcg_asymptotics.relevance.curves import (
    Constant,
    Cusp,
    LinearCurve,
    Polynomial,
    PowerCurve,
    Step,
)
from ndcg_asymptotics.relevance.empirical import Empirical, PiecewiseLinear
from ndcg_asymptotics.relevance.log_odds import Binormal, Logistic
from ndcg_asymptotics.relevance.model import Curve, Graded, Random, Relevance

__all__ = [
    "Binormal",
    "Constant",
    "Curve",
    "Cusp",
    "Empirical",
    "Graded",
    "LinearCurve",
    "Logistic",
    "PiecewiseLinear",
    "Polynomial",
    "PowerCurve",
    "Random",
    "Relevance",
    "Step",
]
