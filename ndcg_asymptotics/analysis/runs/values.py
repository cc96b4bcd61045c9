"""Comparison of the values that runs have query by query, by any measures, in all pairs of runs."""

from __future__ import annotations

from typing import Unpack

import numpy as np

from ndcg_asymptotics.analysis.runs.compared import MeasureComparison, PairComparison
from ndcg_asymptotics.analysis.runs.comparison import Comparison
from ndcg_asymptotics.analysis.runs.correction import Correction, corrected, limitation, require_tests
from ndcg_asymptotics.analysis.runs.paired import ROUNDING, Alternative, alpha_of, paired_differences
from ndcg_asymptotics.lists.reading.values import ValueOptions, read_values


def compare_values(
    given: object,
    *,
    level: float = 0.95,
    power: float = 0.8,
    correction: Correction = "maxt",
    resamples: int = 9999,
    seed: int = 0,
    alternative: Alternative = "two-sided",
    **options: Unpack[ValueOptions],
) -> Comparison:
    """Compare every pair of runs by their values for the same queries.

    The parameters are those of `compare`, and options those of `read_values`.
    """
    values = read_values(given, **options)
    require_tests(len(values.runs), level, power, correction)
    # statistics are of numbers of about the size 1, so that a rounding error has the same size in all
    units = np.tile(values.units, len(values.pairs))
    gaps = values.differences / units
    tests = paired_differences(
        gaps, level=level, power=power, resamples=resamples, seed=seed, alternative=alternative
    )
    p_corrected = corrected([test.p for test in tests], gaps, correction, resamples, seed, alternative)
    means = dict(zip(values.runs, values.means.tolist(), strict=True))
    each = iter(zip(tests, p_corrected, gaps.T, units.tolist(), strict=True))
    pairs = []
    for a, b in values.pairs:
        judged = []
        for m, (measure, scale) in enumerate(zip(values.measures, values.scales, strict=True)):
            test, p, gap, unit = next(each)
            judged.append(
                MeasureComparison(
                    measure,
                    means[a][m],
                    means[b][m],
                    test.times(unit),
                    p,
                    lower_is_better=scale.lower_is_better,
                    wins=int(np.sum(scale.direction * gap > ROUNDING)),
                    ties=int(np.sum(np.abs(gap) <= ROUNDING)),
                    losses=int(np.sum(scale.direction * gap < -ROUNDING)),
                )
            )
        pairs.append(PairComparison(a, b, tuple(judged)))
    limited = limitation(correction, len(tests), len(values.queries), resamples, alpha_of(level), alternative)
    said = ((f"Warning: {limited}",) if limited else ()) + values.remarks
    return Comparison(
        values.runs,
        len(values.queries),
        level,
        power,
        tuple(pairs),
        said,
        correction,
        values.by_query,
        alternative,
    ).in_words()
