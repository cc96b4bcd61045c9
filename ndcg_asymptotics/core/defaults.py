"""Defaults and choices that more than one room has."""

from enum import StrEnum
from typing import Literal

LEVEL = 0.95
"""The confidence level of intervals; tests have the level 1 - `LEVEL`."""

BAND = (0.05, 0.95)
"""The quantiles of replicates that summaries and charts show."""

FigureFormat = StrEnum("FigureFormat", ["svg", "png", "pdf"])
"""The formats of figures."""

Format = Literal["table", "csv", "latex", "json"]
"""The formats in which tables can be printed."""
