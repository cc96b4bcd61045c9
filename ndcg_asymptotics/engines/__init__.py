"""The engines that draw; numba lives here and nowhere else."""
