"""A Monte Carlo asymptotics laboratory for NDCG and its discounts.

A *study* names scorers (by their relevance curves), measures (a discount and a cutoff) and list
lengths. An *engine* draws i.i.d. streams and returns NDCG along growing n. *Theory* gives the same
numbers without drawing: limits, the pseudo-expectation, the exact mean at finite n. *check*,
*distinguish* and *plot* hold the one against the other.

The rooms, from the bottom up; each knows only those below it:

    language, measures, scorers    what has a text: discounts, cutoffs, measures; relevance curves
    studies                        what is asked: a study as an object and as a file, the design of an engine
    theory, engines                the same numbers without drawing and with; numba is in engines only
    lists, store, sweep            real ranked lists; where results are kept; replicates in parallel
    analysis, plots, reports, cli  results against theory; figures; tables; the command line
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ndcg_asymptotics.analysis.check import Check as Check
    from ndcg_asymptotics.analysis.check import check as check
    from ndcg_asymptotics.analysis.distinguish import Distinction as Distinction
    from ndcg_asymptotics.analysis.distinguish import distinguish as distinguish
    from ndcg_asymptotics.engines.every_n import evaluate_every_n as evaluate_every_n
    from ndcg_asymptotics.errors import InputError as InputError
    from ndcg_asymptotics.lists import Evaluation as Evaluation
    from ndcg_asymptotics.lists import FittedCurve as FittedCurve
    from ndcg_asymptotics.lists import evaluate as evaluate
    from ndcg_asymptotics.lists import evaluate_files as evaluate_files
    from ndcg_asymptotics.lists import fit_csv as fit_csv
    from ndcg_asymptotics.lists import fit_curves as fit_curves
    from ndcg_asymptotics.lists import fit_files as fit_files
    from ndcg_asymptotics.measures import Cutoff as Cutoff
    from ndcg_asymptotics.measures import Discount as Discount
    from ndcg_asymptotics.measures import Measure as Measure
    from ndcg_asymptotics.measures import discount as discount
    from ndcg_asymptotics.plots import draw_all as draw_all
    from ndcg_asymptotics.plots import ndcg_curves
    from ndcg_asymptotics.reports.specs import specs as specs
    from ndcg_asymptotics.scorers import Coupling as Coupling
    from ndcg_asymptotics.scorers import Curve as Curve
    from ndcg_asymptotics.scorers import Population as Population
    from ndcg_asymptotics.scorers import Relevance as Relevance
    from ndcg_asymptotics.scorers import curve as curve
    from ndcg_asymptotics.store import Results as Results
    from ndcg_asymptotics.store import open_results as open_results
    from ndcg_asymptotics.store.merge import merge as merge
    from ndcg_asymptotics.studies import Design as Design
    from ndcg_asymptotics.studies import Study as Study
    from ndcg_asymptotics.studies import decades as decades
    from ndcg_asymptotics.studies import load
    from ndcg_asymptotics.sweep.run import run as run
    from ndcg_asymptotics.theory.limits import Limit as Limit
    from ndcg_asymptotics.theory.limits import limit as limit
    from ndcg_asymptotics.theory.mean import Expectation as Expectation
    from ndcg_asymptotics.theory.mean import expected_dcg as expected_dcg
    from ndcg_asymptotics.theory.mean import expected_ndcg as expected_ndcg
    from ndcg_asymptotics.theory.prediction import predict as predict
    from ndcg_asymptotics.theory.pseudo_expectation import pseudo_expectation as pseudo_expectation
    from ndcg_asymptotics.theory.rare import predict_pair as predict_pair

    plot = ndcg_curves
    load_study = load

__version__ = "0.2.0"

_HOMES = {
    "Check": "analysis.check:Check",
    "check": "analysis.check:check",
    "Coupling": "scorers:Coupling",
    "Curve": "scorers:Curve",
    "curve": "scorers:curve",
    "Cutoff": "measures:Cutoff",
    "decades": "studies:decades",
    "Design": "studies:Design",
    "Discount": "measures:Discount",
    "discount": "measures:discount",
    "Distinction": "analysis.distinguish:Distinction",
    "distinguish": "analysis.distinguish:distinguish",
    "draw_all": "plots:draw_all",
    "evaluate": "lists:evaluate",
    "evaluate_every_n": "engines.every_n:evaluate_every_n",
    "evaluate_files": "lists:evaluate_files",
    "Evaluation": "lists:Evaluation",
    "Expectation": "theory.mean:Expectation",
    "expected_dcg": "theory.mean:expected_dcg",
    "expected_ndcg": "theory.mean:expected_ndcg",
    "fit_csv": "lists:fit_csv",
    "fit_curves": "lists:fit_curves",
    "fit_files": "lists:fit_files",
    "FittedCurve": "lists:FittedCurve",
    "InputError": "errors:InputError",
    "Limit": "theory.limits:Limit",
    "limit": "theory.limits:limit",
    "load_study": "studies:load",
    "Measure": "measures:Measure",
    "merge": "store.merge:merge",
    "open_results": "store:open_results",
    "plot": "plots:ndcg_curves",
    "Population": "scorers:Population",
    "predict": "theory.prediction:predict",
    "predict_pair": "theory.rare:predict_pair",
    "pseudo_expectation": "theory.pseudo_expectation:pseudo_expectation",
    "Relevance": "scorers:Relevance",
    "Results": "store:Results",
    "run": "sweep.run:run",
    "specs": "reports.specs:specs",
    "Study": "studies:Study",
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
