"""Which losses give the best order: decided for a distribution, searched over distributions, bounded."""

from ndcg_asymptotics.learning.consistency.bounds import ExcessRisk, excess_risk
from ndcg_asymptotics.learning.consistency.decide import Decided, Decision, decide_losses
from ndcg_asymptotics.learning.consistency.problem import Problem
from ndcg_asymptotics.learning.consistency.problem_file import load_problem
from ndcg_asymptotics.learning.consistency.search import Search, search_losses
from ndcg_asymptotics.learning.consistency.worst import Worst, worst_regret

__all__ = [
    "Decided",
    "Decision",
    "ExcessRisk",
    "Problem",
    "Search",
    "Worst",
    "decide_losses",
    "excess_risk",
    "load_problem",
    "search_losses",
    "worst_regret",
]
