"""The DCG of the ideal list."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ndcg_asymptotics.core.arrays import Floats


def ideal_dcg(ends: Floats, gains: Floats, cumulative: Callable[[Floats], Floats]) -> Floats:
    """``sum_j y_j (F(e_j) - F(e_{j-1}))``: labels in decreasing order, those of gain y_j up to rank e_j.

    Parameters
    ----------
    ends : (..., J)
        The last rank of each gain in the ideal list, cut at the cutoff; e_0 = 0.
    gains : (J,)
        The gains, in decreasing order.
    cumulative : function
        F(k) for an array of k, F(0) = 0.

    >>> ideal_dcg(np.array([1.0, 3.0]), np.array([2.0, 1.0]), lambda k: k).item()
    4.0
    """
    return np.asarray(np.diff(cumulative(ends), axis=-1, prepend=0.0) @ gains)
