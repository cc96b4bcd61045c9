"""Real ranked lists: read from files, evaluated as trec_eval does, and turned into relevance curves."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ndcg_asymptotics.lists.evaluation import evaluate, evaluate_files, evaluate_lists
from ndcg_asymptotics.lists.outcome import Evaluation, Evaluations
from ndcg_asymptotics.lists.readers import Qrels, RankedList, Run, read_csv, read_qrels, read_run

if TYPE_CHECKING:
    from ndcg_asymptotics.lists.fitted_files import fit_csv as fit_csv
    from ndcg_asymptotics.lists.fitted_files import fit_files as fit_files
    from ndcg_asymptotics.lists.fitting import FittedCurve as FittedCurve
    from ndcg_asymptotics.lists.fitting import fit_curves as fit_curves
    from ndcg_asymptotics.lists.pooling import pool_runs as pool_runs

_HOMES = {
    "FittedCurve": "fitting",
    "fit_csv": "fitted_files",
    "fit_curves": "fitting",
    "fit_files": "fitted_files",
    "pool_runs": "pooling",
}
__all__ = [
    "Evaluation",
    "Evaluations",
    "FittedCurve",
    "Qrels",
    "RankedList",
    "Run",
    "evaluate",
    "evaluate_files",
    "evaluate_lists",
    "fit_csv",
    "fit_curves",
    "fit_files",
    "pool_runs",
    "read_csv",
    "read_qrels",
    "read_run",
]


def __getattr__(name: str) -> Any:
    # what fits curves is loaded when first used: to evaluate a run must not wait for scipy
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
