"""Results: where they are kept, how they are written so that nothing spoils them, how parts are merged."""

from ndcg_asymptotics.results.results import Results, open_results, results_of

__all__ = ["Results", "open_results", "results_of"]
