"""Results: what a study found, and immutable files of it on the disk."""

from ndcg_asymptotics.results.folder import open_results
from ndcg_asymptotics.results.record import Results, results_of

__all__ = ["Results", "open_results", "results_of"]
