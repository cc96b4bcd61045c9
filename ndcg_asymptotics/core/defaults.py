"""Defaults that more than one room has."""

LEVEL = 0.95
"""The confidence level of intervals; tests have the level 1 - `LEVEL`."""

BAND = (0.05, 0.95)
"""The quantiles of replicates that summaries and charts show."""
