"""Comparison of the values that runs have query by query, by any measures, in all pairs of runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ndcg_asymptotics.analysis.runs.compared import MeasureComparison, PairComparison
from ndcg_asymptotics.analysis.runs.comparison import Comparison
from ndcg_asymptotics.analysis.runs.correction import Correction, corrected, limitation, require_tests
from ndcg_asymptotics.analysis.runs.paired import alpha_of, paired_differences
from ndcg_asymptotics.lists.values import RunValues


def compare_values(
    values: RunValues,
    *,
    level: float = 0.95,
    power: float = 0.8,
    correction: Correction = "maxt",
    resamples: int = 9999,
    seed: int = 0,
    remarks: Sequence[str] = (),
) -> Comparison:
    """Compare every pair of runs by their values for the same queries.

    Parameters
    ----------
    values : RunValues
    level, power, correction, resamples, seed
        As in `compare`.
    remarks : texts
        What else there is to say about the values.

    Raises
    ------
    InputError
        For fewer than two runs, and too few queries for the level (6 at 0.95).

    >>> from ndcg_asymptotics.lists.values import Scale
    >>> rng = np.random.default_rng(1)
    >>> seconds = rng.exponential(1.0, (2, 50, 1)) * np.array([[[1.0]], [[3.0]]])
    >>> queries = tuple(map(str, range(50)))
    >>> found = compare_values(RunValues(("new", "old"), queries, ("s",), seconds, (Scale(True),)))
    >>> found.pairs[0].clearest.ahead, found.ranked(0)[0].run
    (1, 'new')
    """
    require_tests(len(values.runs), level, power, correction)
    # statistics are of numbers of about the size 1, so that a rounding error has the same size in all
    units = np.tile(values.units, len(values.pairs))
    gaps = values.differences / units
    tests = paired_differences(gaps, level=level, power=power, resamples=resamples, seed=seed)
    p_corrected = corrected([test.p for test in tests], gaps, correction, resamples, seed)
    found = (test.times(unit) for test, unit in zip(tests, units.tolist(), strict=True))
    each = iter(zip(found, p_corrected, strict=True))
    means = dict(zip(values.runs, values.means.tolist(), strict=True))
    pairs = tuple(
        PairComparison(
            a,
            b,
            tuple(
                MeasureComparison(
                    measure, means[a][m], means[b][m], *next(each), lower_is_better=scale.lower_is_better
                )
                for m, (measure, scale) in enumerate(zip(values.measures, values.scales, strict=True))
            ),
        )
        for a, b in values.pairs
    )
    limited = limitation(correction, len(tests), len(values.queries), resamples, alpha_of(level))
    said = ((f"Warning: {limited}",) if limited else ()) + tuple(remarks)
    return Comparison(
        values.runs, len(values.queries), level, power, pairs, said, correction, values.by_query()
    ).in_words()
