"""A Monte Carlo asymptotics laboratory for NDCG and its discounts.

A *study* names scorers (by their relevance curves), measures (a discount and a cutoff) and list
lengths. An *engine* draws i.i.d. streams and returns NDCG along growing n. *Theory* gives the same
numbers without drawing: limits, the pseudo-expectation, the exact mean at finite n. *check*,
*distinguish* and *plot* hold the one against the other.

The rooms, from the bottom up; each knows only those below it:

    core                           arrays, errors, files, text, tables, progress
    specs, measures, populations   what has a text: discounts, cutoffs, measures; relevance curves
    studies                        what is asked: a study as an object and as a file, the design of an engine
    theory, engines                the same numbers without drawing and with; numba is in engines only
    lists, results, sweep          real ranked lists; where results are kept; replicates in parallel
    learning                       losses for learning to rank: which are right for NDCG; training
    analysis, plots, reports       results against theory; figures; tables
    cli                            the command line
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ndcg_asymptotics.analysis.check import Check as Check
    from ndcg_asymptotics.analysis.check import check as check
    from ndcg_asymptotics.analysis.grid import check_grid as check_grid
    from ndcg_asymptotics.analysis.orders.distinguish import Distinction as Distinction
    from ndcg_asymptotics.analysis.orders.distinguish import distinguish as distinguish
    from ndcg_asymptotics.analysis.required import Required as Required
    from ndcg_asymptotics.analysis.required import required as required
    from ndcg_asymptotics.analysis.runs.compare import compare as compare
    from ndcg_asymptotics.analysis.runs.compare import compare_files as compare_files
    from ndcg_asymptotics.analysis.runs.comparison import Comparison as Comparison
    from ndcg_asymptotics.analysis.runs.iid import Departures as Departures
    from ndcg_asymptotics.analysis.runs.iid import departures as departures
    from ndcg_asymptotics.analysis.verdict import Verdict as Verdict
    from ndcg_asymptotics.analysis.verdict import cheapest_pool as cheapest_pool
    from ndcg_asymptotics.analysis.verdict import verdict as verdict
    from ndcg_asymptotics.core.errors import InputError as InputError
    from ndcg_asymptotics.core.errors import InputWarning as InputWarning
    from ndcg_asymptotics.engines.every_n import evaluate_every_n as evaluate_every_n
    from ndcg_asymptotics.learning.consistency import Problem as Problem
    from ndcg_asymptotics.learning.consistency import decide_losses as decide_losses
    from ndcg_asymptotics.learning.consistency import load_problem as load_problem
    from ndcg_asymptotics.learning.consistency import search_losses as search_losses
    from ndcg_asymptotics.learning.losses import Loss as Loss
    from ndcg_asymptotics.learning.training import Queries as Queries
    from ndcg_asymptotics.learning.training import Ranker as Ranker
    from ndcg_asymptotics.learning.training import read_svmlight as read_svmlight
    from ndcg_asymptotics.learning.training import train_files as train_files
    from ndcg_asymptotics.learning.training import train_ranker as train_ranker
    from ndcg_asymptotics.lists import Evaluation as Evaluation
    from ndcg_asymptotics.lists import Evaluations as Evaluations
    from ndcg_asymptotics.lists import FittedCurve as FittedCurve
    from ndcg_asymptotics.lists import evaluate as evaluate
    from ndcg_asymptotics.lists import evaluate_files as evaluate_files
    from ndcg_asymptotics.lists import evaluate_lists as evaluate_lists
    from ndcg_asymptotics.lists import fit_csv as fit_csv
    from ndcg_asymptotics.lists import fit_curves as fit_curves
    from ndcg_asymptotics.lists import fit_files as fit_files
    from ndcg_asymptotics.lists.coupling import fit_coupling as fit_coupling
    from ndcg_asymptotics.lists.groups import fit_groups as fit_groups
    from ndcg_asymptotics.lists.growing import Growth as Growth
    from ndcg_asymptotics.lists.growing import grow as grow
    from ndcg_asymptotics.lists.growing import grow_files as grow_files
    from ndcg_asymptotics.lists.pooling import pool_runs as pool_runs
    from ndcg_asymptotics.measures import Cutoff as Cutoff
    from ndcg_asymptotics.measures import Discount as Discount
    from ndcg_asymptotics.measures import Measure as Measure
    from ndcg_asymptotics.measures import discount as discount
    from ndcg_asymptotics.plots import draw_all as draw_all
    from ndcg_asymptotics.plots import draw_comparison as draw_comparison
    from ndcg_asymptotics.plots import draw_growth as draw_growth
    from ndcg_asymptotics.plots import ndcg_curves
    from ndcg_asymptotics.plots.grid import draw_grid as draw_grid
    from ndcg_asymptotics.populations import Coupling as Coupling
    from ndcg_asymptotics.populations import Curve as Curve
    from ndcg_asymptotics.populations import Mixture as Mixture
    from ndcg_asymptotics.populations import Population as Population
    from ndcg_asymptotics.populations import Relevance as Relevance
    from ndcg_asymptotics.populations import curve as curve
    from ndcg_asymptotics.populations import mixture as mixture
    from ndcg_asymptotics.reports.page import report as report
    from ndcg_asymptotics.reports.specs import specs as specs
    from ndcg_asymptotics.results import Results as Results
    from ndcg_asymptotics.results import open_results as open_results
    from ndcg_asymptotics.results.grid import open_grid as open_grid
    from ndcg_asymptotics.results.growing import open_growth as open_growth
    from ndcg_asymptotics.results.growing import save_growth as save_growth
    from ndcg_asymptotics.results.merge import merge as merge
    from ndcg_asymptotics.results.verify import Verification as Verification
    from ndcg_asymptotics.results.verify import verify as verify
    from ndcg_asymptotics.studies import Design as Design
    from ndcg_asymptotics.studies import Study as Study
    from ndcg_asymptotics.studies import decades as decades
    from ndcg_asymptotics.studies import load
    from ndcg_asymptotics.studies.grid import Grid as Grid
    from ndcg_asymptotics.studies.grid import load_grid as load_grid
    from ndcg_asymptotics.sweep.grid import run_grid as run_grid
    from ndcg_asymptotics.sweep.sweep import run as run
    from ndcg_asymptotics.theory.fluctuations import Spread as Spread
    from ndcg_asymptotics.theory.fluctuations import difference_spread as difference_spread
    from ndcg_asymptotics.theory.fluctuations import ndcg_spread as ndcg_spread
    from ndcg_asymptotics.theory.gap import leading_gap as leading_gap
    from ndcg_asymptotics.theory.limits import Limit as Limit
    from ndcg_asymptotics.theory.limits import limit as limit
    from ndcg_asymptotics.theory.mean import Expectation as Expectation
    from ndcg_asymptotics.theory.mean import expected_dcg as expected_dcg
    from ndcg_asymptotics.theory.mean import expected_ndcg as expected_ndcg
    from ndcg_asymptotics.theory.pairs import (
        distinguishable_in_expectation as distinguishable_in_expectation,
    )
    from ndcg_asymptotics.theory.pairs import first_moment as first_moment
    from ndcg_asymptotics.theory.prediction import predict as predict
    from ndcg_asymptotics.theory.pseudo_expectation import pseudo_expectation as pseudo_expectation
    from ndcg_asymptotics.theory.rare import predict_pair as predict_pair

    plot = ndcg_curves
    load_study = load

__version__ = "0.2.0"

_HOMES = {
    "cheapest_pool": "analysis.verdict:cheapest_pool",
    "Check": "analysis.check:Check",
    "check": "analysis.check:check",
    "check_grid": "analysis.grid:check_grid",
    "compare": "analysis.runs.compare:compare",
    "compare_files": "analysis.runs.compare:compare_files",
    "Comparison": "analysis.runs.comparison:Comparison",
    "Coupling": "populations:Coupling",
    "Curve": "populations:Curve",
    "curve": "populations:curve",
    "Cutoff": "measures:Cutoff",
    "decades": "studies:decades",
    "decide_losses": "learning.consistency:decide_losses",
    "Departures": "analysis.runs.iid:Departures",
    "departures": "analysis.runs.iid:departures",
    "Design": "studies:Design",
    "difference_spread": "theory.fluctuations:difference_spread",
    "Discount": "measures:Discount",
    "discount": "measures:discount",
    "Distinction": "analysis.orders.distinguish:Distinction",
    "distinguish": "analysis.orders.distinguish:distinguish",
    "distinguishable_in_expectation": "theory.pairs:distinguishable_in_expectation",
    "draw_all": "plots:draw_all",
    "draw_comparison": "plots:draw_comparison",
    "draw_grid": "plots.grid:draw_grid",
    "draw_growth": "plots:draw_growth",
    "evaluate": "lists:evaluate",
    "evaluate_every_n": "engines.every_n:evaluate_every_n",
    "evaluate_files": "lists:evaluate_files",
    "evaluate_lists": "lists:evaluate_lists",
    "Evaluation": "lists:Evaluation",
    "Evaluations": "lists:Evaluations",
    "Expectation": "theory.mean:Expectation",
    "expected_dcg": "theory.mean:expected_dcg",
    "expected_ndcg": "theory.mean:expected_ndcg",
    "first_moment": "theory.pairs:first_moment",
    "fit_coupling": "lists.coupling:fit_coupling",
    "fit_csv": "lists:fit_csv",
    "fit_curves": "lists:fit_curves",
    "fit_files": "lists:fit_files",
    "fit_groups": "lists.groups:fit_groups",
    "FittedCurve": "lists:FittedCurve",
    "Grid": "studies.grid:Grid",
    "grow": "lists.growing:grow",
    "grow_files": "lists.growing:grow_files",
    "Growth": "lists.growing:Growth",
    "InputError": "core.errors:InputError",
    "InputWarning": "core.errors:InputWarning",
    "leading_gap": "theory.gap:leading_gap",
    "Limit": "theory.limits:Limit",
    "limit": "theory.limits:limit",
    "load_grid": "studies.grid:load_grid",
    "load_problem": "learning.consistency:load_problem",
    "load_study": "studies:load",
    "Loss": "learning.losses:Loss",
    "Measure": "measures:Measure",
    "merge": "results.merge:merge",
    "Mixture": "populations:Mixture",
    "mixture": "populations:mixture",
    "ndcg_spread": "theory.fluctuations:ndcg_spread",
    "open_grid": "results.grid:open_grid",
    "open_growth": "results.growing:open_growth",
    "open_results": "results:open_results",
    "plot": "plots:ndcg_curves",
    "pool_runs": "lists.pooling:pool_runs",
    "Population": "populations:Population",
    "predict": "theory.prediction:predict",
    "predict_pair": "theory.rare:predict_pair",
    "Problem": "learning.consistency:Problem",
    "pseudo_expectation": "theory.pseudo_expectation:pseudo_expectation",
    "Queries": "learning.training:Queries",
    "Ranker": "learning.training:Ranker",
    "read_svmlight": "learning.training:read_svmlight",
    "Relevance": "populations:Relevance",
    "report": "reports.page:report",
    "Required": "analysis.required:Required",
    "required": "analysis.required:required",
    "Results": "results:Results",
    "run": "sweep.sweep:run",
    "run_grid": "sweep.grid:run_grid",
    "save_growth": "results.growing:save_growth",
    "search_losses": "learning.consistency:search_losses",
    "specs": "reports.specs:specs",
    "Spread": "theory.fluctuations:Spread",
    "Study": "studies:Study",
    "train_files": "learning.training:train_files",
    "train_ranker": "learning.training:train_ranker",
    "Verdict": "analysis.verdict:Verdict",
    "verdict": "analysis.verdict:verdict",
    "Verification": "results.verify:Verification",
    "verify": "results.verify:verify",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    # names are loaded when first used: `ndcg-asymptotics --help` must not wait for scipy and numba
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, inner = _HOMES[name].partition(":")
    return getattr(import_module(f"{__name__}.{module}"), inner)


def __dir__() -> list[str]:
    return __all__
