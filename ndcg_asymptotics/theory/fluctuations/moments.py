"""The moments that one evaluation of a standard deviation finds."""

from __future__ import annotations

from typing import NamedTuple


class Moments(NamedTuple):
    """Mean and variance of NDCG, or of its difference for two scorers.

    Attributes
    ----------
    mean, variance : float
    size : float
        The variance without the covariances in it, which says what rounding may do.
    missed : float
        What the variance may lack besides what a second evaluation shows.
    """

    mean: float
    variance: float
    size: float
    missed: float = 0.0
