"""Real ranked lists: read from files, evaluated as trec_eval does, and turned into relevance curves."""

from ndcg_asymptotics.lists.evaluation import Evaluation, evaluate, evaluate_files
from ndcg_asymptotics.lists.fitting import FittedCurve, fit_curves
from ndcg_asymptotics.lists.pooling import fit_csv, fit_files, pool_runs
from ndcg_asymptotics.lists.readers import Qrels, RankedList, Run, read_csv, read_qrels, read_run

__all__ = [
    "Evaluation",
    "FittedCurve",
    "Qrels",
    "RankedList",
    "Run",
    "evaluate",
    "evaluate_files",
    "fit_csv",
    "fit_curves",
    "fit_files",
    "pool_runs",
    "read_csv",
    "read_qrels",
    "read_run",
]
