"""The permutation test of paired differences by its definition, and the noncentral t law by an integral."""

from __future__ import annotations

import itertools
import math
from typing import Any

import mpmath
import numpy as np

from ndcg_asymptotics.core.arrays import Floats


def permutation_p(d: Floats) -> float:
    """Return the p-value of the permutation test by its definition, over all changes of signs."""
    signs = np.array(list(itertools.product([-1, 1], repeat=d.size)))
    return float(np.mean(np.abs(signs @ d) >= abs(d.sum()) - 1e-12))


def t_beyond(value: Any, queries: int, effect: float) -> float:
    """Return P(T > value) of a paired t test, integrated over the law of the sample's standard deviation."""
    with mpmath.workdps(25):
        freedom, shift = mpmath.mpf(queries - 1), mpmath.mpf(effect) * mpmath.sqrt(queries)
        norm = freedom / 2 * mpmath.log(freedom / 2) - mpmath.loggamma(freedom / 2) + mpmath.log(2)

        def density(s: mpmath.mpf) -> mpmath.mpf:
            weight = mpmath.exp(norm + (freedom - 1) * mpmath.log(s) - freedom * s * s / 2)
            return weight * mpmath.ncdf(shift - value * s)

        std = 1 / math.sqrt(2 * (queries - 1))
        places = {max(1e-30, 1 + j * std) for j in range(-12, 13, 2)} | {3.0 if queries > 4 else 12.0}
        turn = float(shift / value)  # where the law given the deviation turns from 1 to 0
        places |= {turn * x for x in (0.5, 0.9, 1, 1.1, 2) if turn > 0}
        return float(mpmath.quad(density, sorted(places)))
