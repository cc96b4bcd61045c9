"""Comparison of the values that runs have query by query, by any measures, in all pairs of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np

from ndcg_asymptotics.comparisons.compared import MeasureComparison, PairComparison
from ndcg_asymptotics.comparisons.comparison import Comparison
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.files import path_of, stem
from ndcg_asymptotics.core.text import listed
from ndcg_asymptotics.lists.reading.values import ValueOptions, read_values
from ndcg_asymptotics.lists.values import require_names
from ndcg_asymptotics.stats.correction import MultipleTests
from ndcg_asymptotics.stats.paired import (
    FEW_DIFFERING,
    alpha_of,
    level_text,
    mostly_ties,
    without_rounding,
)


def compare_values(
    source: object, tests: MultipleTests, baseline: object = None, **options: Unpack[ValueOptions]
) -> Comparison:
    """Compare every pair of runs, or each with a baseline, by their values for the same queries.

    The values and the options are what `read_values` takes. The baseline is the name or the file of a run.
    """
    values = read_values(source, **options)
    if baseline is not None:
        name = str(baseline)
        name = name if name in values.runs else stem(path_of(name, "baseline"))
        require_names("run", [name], values.runs, "baseline")
        values = replace(values, baseline=name)
    require(
        len(values.runs) >= 2,
        f"a comparison needs the values of at least two runs, got those of {values.runs[0]} alone; "
        "a run is a file, a column of numbers or a name in the column run",
        "values",
    )
    # statistics are of numbers of about the size 1, so that a rounding error has the same size in all
    units = np.tile(values.units, len(values.pairs))
    gaps = without_rounding(values.differences / units)
    differences, p_corrected = tests.of(gaps)
    means = dict(zip(values.runs, values.means.tolist(), strict=True))
    each = iter(zip(differences, p_corrected, gaps.T, units.tolist(), strict=True))
    pairs, spans = [], values.spans.tolist()
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
                    wins=int(np.sum(scale.direction * gap > 0)),
                    ties=int(np.sum(gap == 0)),
                    losses=int(np.sum(scale.direction * gap < 0)),
                    span=spans[m],
                )
            )
        pairs.append(PairComparison(a, b, tuple(judged)))
    limited = tests.limitation(len(differences), len(values.queries))
    remarks = ((f"Warning: {limited}",) if limited else ()) + _of_ties(pairs, tests.level) + values.remarks
    return Comparison(
        runs=values.runs,
        queries=len(values.queries),
        level=tests.level,
        power=tests.power,
        pairs=tuple(pairs),
        remarks=remarks,
        correction=tests.correction,
        by_query=values.by_query,
        baseline=values.baseline or None,
    ).in_words()


def _of_ties(pairs: Sequence[PairComparison], level: float) -> tuple[str, ...]:
    """Return a remark on comparisons in which most queries are ties and few are not."""
    judged = [of_measure for pair in pairs for of_measure in pair.by_measure]
    tied = [j for j in judged if j.tally.differing and mostly_ties(j.tally.differing, j.tally.queries)]
    if not tied:
        return ()
    if len(pairs) == 1:
        by = listed([f"{j.tally.differing} by {j.measure}" for j in tied])
        extent = (
            f"Warning: of {tied[0].tally.queries:,} queries {pairs[0].a} and {pairs[0].b} differ in only {by}"
        )
    else:
        extent = (
            f"In {len(tied)} of {len(judged)} comparisons two runs have the same value on most queries and "
            f"differ in fewer than {FEW_DIFFERING}"
        )
    level_of = level_text(alpha_of(level))
    return (f"{extent}: {level_of} intervals of such differences cover less often than they say",)
