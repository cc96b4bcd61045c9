"""A test of a variance for values that are nearly normal.

``(R - 1) s^2 / sigma^2`` has a chi-square law if they are normal. The variance of s^2 is
``sigma^4 (2 / (R - 1) + excess / R)``, so with an excess kurtosis the law has ``(R - 1) / (1 + excess / 2)``
degrees of freedom in its place (Box 1953). Only a positive excess is believed.
"""

from __future__ import annotations

import math

from scipy import stats
from scipy.special import chdtr, chdtrc, chdtri, gammaincinv

from ndcg_asymptotics.core.arrays import Floats


def chi_square_freedom(values: Floats) -> float:
    """Degrees of freedom for the variance of values (R,).

    >>> import numpy as np
    >>> chi_square_freedom(np.array([0.0, 0.0, 0.1, 0.9, 1.0, 1.0]))
    5.0
    """
    return (len(values) - 1) / (1 + max(float(stats.kurtosis(values)), 0.0) / 2)


def chi_square_test(least: float, most: float, freedom: float) -> float:
    """The p-value of a ratio of standard deviations, seen over true, that lies from ``least`` to ``most``.

    >>> round(chi_square_test(1.1, 1.1, 999.0), 5)
    1e-05
    """
    if least <= 1 <= most:
        return 1.0
    beyond = chdtrc(freedom, freedom * least**2) if least > 1 else chdtr(freedom, freedom * most**2)
    return float(2 * beyond)


def chi_square_detectable(freedom: float, level: float, power: float) -> float:
    """The error of a standard deviation, relative, too small or too large, that is seen with this power.

    >>> round(chi_square_detectable(999.0, 1e-6, 0.99), 2)
    0.18
    """
    fewest, most = (2 * gammaincinv(freedom / 2, level / 2), chdtri(freedom, level / 2))
    low, high = chdtri(freedom, power), chdtri(freedom, 1 - power)  # what is seen in between
    too_small, too_large = math.sqrt(low / most), math.sqrt(high / fewest)
    return float(max(1 - too_small, too_large - 1))
