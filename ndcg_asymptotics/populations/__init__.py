"""Scorers: relevance curves, and populations of scorers on the same labels."""

from ndcg_asymptotics.populations.curve_file import Empirical
from ndcg_asymptotics.populations.custom import OwnCurve, curve
from ndcg_asymptotics.populations.families import (
    Binormal,
    ConstantCurve,
    Cusp,
    LinearCurve,
    LogisticCurve,
    PiecewiseLinear,
    Polynomial,
    PowerCurve,
    Step,
)
from ndcg_asymptotics.populations.fixed_counts import FixedCounts, with_relevant
from ndcg_asymptotics.populations.graded import Graded
from ndcg_asymptotics.populations.noisy import Noisy
from ndcg_asymptotics.populations.population import Coupling, Gaussian, Independent, Population
from ndcg_asymptotics.populations.roc import (
    DepthLaw,
    GradedRoc,
    Roc,
    RocBeta,
    RocBinormal,
    RocModel,
    RocPower,
)
from ndcg_asymptotics.populations.scorer import Curve, Random, Relevance, Scorer

__all__ = [
    "Binormal",
    "ConstantCurve",
    "Coupling",
    "Curve",
    "Cusp",
    "DepthLaw",
    "Empirical",
    "FixedCounts",
    "Gaussian",
    "Graded",
    "GradedRoc",
    "Independent",
    "LinearCurve",
    "LogisticCurve",
    "Noisy",
    "OwnCurve",
    "PiecewiseLinear",
    "Polynomial",
    "Population",
    "PowerCurve",
    "Random",
    "Relevance",
    "Roc",
    "RocBeta",
    "RocBinormal",
    "RocModel",
    "RocPower",
    "Scorer",
    "Step",
    "curve",
    "with_relevant",
]
