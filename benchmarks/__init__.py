"""Benchmarks, whose figures are ratios of times within one run; `python -m benchmarks` runs all."""
