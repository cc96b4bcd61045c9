"""Engines: simulations of a study's replicates. numba is used here and nowhere else."""
