"""Engines: simulations of a study's replicates. numba is used here and nowhere else."""

from ndcg_asymptotics.engines.compiled import ensure_cache

ensure_cache()  # before a module with kernels is imported, which needs it
