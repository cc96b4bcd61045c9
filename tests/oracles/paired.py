"""The p-value of a paired comparison by scipy's tests."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from ndcg_asymptotics.core.arrays import Floats


def largest_p(a: Floats, b: Floats, alternative: Any) -> float:
    """Return the larger p-value of Student's paired t test and of the exact permutation test."""
    student = stats.ttest_rel(a, b, alternative=alternative)
    permutation = stats.permutation_test(
        (a - b,),
        np.mean,
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
        alternative=alternative,
    )
    return float(max(student.pvalue, permutation.pvalue))
