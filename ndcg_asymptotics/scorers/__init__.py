"""Scorers: the relevance curves that describe them, mixtures of these, populations on the same labels."""

from ndcg_asymptotics.scorers.closed_forms import (
    Constant,
    Cusp,
    LinearCurve,
    Polynomial,
    PowerCurve,
    Step,
)
from ndcg_asymptotics.scorers.curve import Curve
from ndcg_asymptotics.scorers.empirical import Empirical
from ndcg_asymptotics.scorers.graded import Graded
from ndcg_asymptotics.scorers.log_odds import Binormal, Logistic
from ndcg_asymptotics.scorers.mixture import Mixture, mixture
from ndcg_asymptotics.scorers.own import OwnCurve, curve
from ndcg_asymptotics.scorers.piecewise import PiecewiseLinear
from ndcg_asymptotics.scorers.population import Coupling, Gaussian, Independent, Population
from ndcg_asymptotics.scorers.relevance import Random, Relevance

__all__ = [
    "Binormal",
    "Constant",
    "Coupling",
    "Curve",
    "Cusp",
    "Empirical",
    "Gaussian",
    "Graded",
    "Independent",
    "LinearCurve",
    "Logistic",
    "Mixture",
    "OwnCurve",
    "PiecewiseLinear",
    "Polynomial",
    "Population",
    "PowerCurve",
    "Random",
    "Relevance",
    "Step",
    "curve",
    "mixture",
]
