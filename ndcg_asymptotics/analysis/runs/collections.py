"""Comparison of runs over many collections, such as those of BEIR and MTEB.

With d_cq the difference of two runs for query q of collection c, the mean over C collections is

    D = (1/C) sum_c m_c,    m_c = (1/n_c) sum_q d_cq,

in which every collection counts the same. What its interval is about depends on what would change if the
experiment were repeated:

- *fixed*: other queries of the same collections. The standard error is that of a stratified sample,
  ``sqrt(sum_c s_c^2 / n_c) / C``, with Satterthwaite's degrees of freedom; the permutation test exchanges the
  runs within queries, whose weights are 1/(C n_c).
- *random*: other collections like these. The m_c are then C independent numbers with unequal variances, and
  the interval is Student's over them. At levels of 0.917 and more it is conservative for normal m_c with any
  variances (Bakirov and Szekely 2006; Ibragimov and Müller 2010, "t-statistic based correlation and
  heterogeneity robust inference", Journal of Business & Economic Statistics 28). The permutation test
  exchanges the runs in whole collections (Canay, Romano and Shaikh 2017, "Randomization tests under an
  approximate symmetry assumption", Econometrica 85).

As in `analysis.runs.paired`, each interval is the shorter one that holds that of the permutations and that of
the t law. docs/howto/collections.md has their coverage.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Literal, get_args

import numpy as np

from ndcg_asymptotics.analysis.runs.collections_files import read_collections
from ndcg_asymptotics.analysis.runs.collections_rows import (
    InCollection,
    MeasureOverCollections,
    OverCollections,
    PairOverCollections,
    Tested,
    Way,
)
from ndcg_asymptotics.analysis.runs.collections_text import CollectionsComparison
from ndcg_asymptotics.analysis.runs.correction import MultipleTests, require_runs
from ndcg_asymptotics.analysis.runs.paired import (
    Difference,
    Interval,
    fewest_queries,
    mean_tests,
    moments_of,
    student_test,
    t_test,
    without_rounding,
)
from ndcg_asymptotics.core.arrays import Floats, require_choice
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.progress import tracked
from ndcg_asymptotics.core.tables import Column, Table
from ndcg_asymptotics.lists.conventions import ConventionOptions
from ndcg_asymptotics.lists.reading.values import ValueOptions
from ndcg_asymptotics.lists.values import RunValues, few

_SMALL = 50  # queries of a collection below which intervals cover too rarely if most differences are 0
Over = Literal["fixed", "random", "both"]
"""Whether the collections are given, a sample, or both in turn."""


def compare_collections(
    collections: object,
    tests: MultipleTests,
    over: Over,
    options: ValueOptions,
    conventions: ConventionOptions,
) -> CollectionsComparison:
    """Compare every pair of runs in each of several collections, and in the mean over them.

    p-values of the means are corrected for all pairs and measures, and those in collections also for the
    number of collections.

    Parameters
    ----------
    collections, over
        As in `compare`.
    tests : MultipleTests
    options, conventions : mappings
        Those of `read_values` and of `evaluate`.
    """
    require_choice(over, get_args(Over), "over")
    read = _same_runs_and_measures(read_collections(collections, options, conventions))
    first = next(iter(read.values()))
    require_runs(len(first.runs))
    remarks = _remarks(read)
    ways = _ways(read, over, tests.level, remarks)
    units = np.max([values.units for values in read.values()], axis=0)
    every_unit = np.tile(units, len(first.pairs))
    gaps = [without_rounding(values.differences / every_unit) for values in read.values()]
    remarks[:0] = _few_that_differ(dict(zip(read, gaps, strict=True)))
    overall = {way: (_fixed if way == "fixed" else _random)(gaps, tests) for way in ways}
    each = _in_collections(gaps, tests)
    sizes = tuple(len(d) for d in gaps)
    for way in ways:
        if said := tests.limitation(len(every_unit), sum(sizes) if way == "fixed" else len(sizes)):
            remarks.append(f"Warning: collections {way}: {said}")
    means = np.stack([values.means for values in read.values()])  # (collections, runs, measures)
    scales = list(zip(first.measures, units.tolist(), first.scales, strict=True))
    pairs = []
    for i, (a, b) in enumerate(combinations(range(len(first.runs)), 2)):
        judged = []
        for m, (measure, unit, scale) in enumerate(scales):
            of_runs, test = means[:, (a, b), m], i * len(scales) + m
            rows = tuple(
                InCollection.of(name, size, of_collection, found[test], unit, tests)
                for name, size, of_collection, found in zip(read, sizes, of_runs.tolist(), each, strict=True)
            )
            of_all = of_runs.mean(axis=0).tolist()
            of_ways = tuple(
                OverCollections.of(measure, way, of_all, found[test], unit, scale.lower_is_better)
                for way, found in overall.items()
            )
            judged.append(MeasureOverCollections(measure, of_ways, rows))
        pairs.append(PairOverCollections(first.runs[a], first.runs[b], tuple(judged)))
    return CollectionsComparison(
        first.runs,
        tuple(read),
        sizes,
        tuple(ways),
        tests.level,
        tests.power,
        tests.correction,
        tuple(pairs),
        tuple(remarks),
        _by_query(read),
    ).in_words()


def _remarks(collections: Mapping[str, RunValues]) -> list[str]:
    """Return the remarks on the values, with the name of the collection unless all have the same."""
    found: dict[str, list[str]] = {}
    for name, values in collections.items():
        for said in values.remarks:
            found.setdefault(said, []).append(name)
    remarks = []
    for said, names in found.items():
        text = said.removeprefix("Warning: ")
        where = "" if len(names) == len(collections) else f"{few(names)}: "
        remarks.append(("Warning: " if text != said else "") + where + text)
    return remarks


def _by_query(collections: Mapping[str, RunValues]) -> Table:
    """Return a table with a row per collection, run and query."""
    tables = {name: values.by_query for name, values in collections.items()}
    rows = tuple((name, *row) for name, table in tables.items() for row in table.rows)
    return Table("", (Column("collection"), *next(iter(tables.values())).columns), rows)


def _same_runs_and_measures(found: Mapping[str, RunValues]) -> dict[str, RunValues]:
    """Return the values of each collection, with runs and measures in the order of the first.

    Raises
    ------
    InputError
        If there is a single collection, or one with other runs or measures than the first.
    """
    enough = f"must be at least two, got {len(found)}; without collections, compare takes one"
    require(len(found) >= 2, enough, "collections")
    first_name, first = next(iter(found.items()))
    for name, values in found.items():
        for what in ("runs", "measures"):
            here, there = getattr(first, what), getattr(values, what)
            for lacks, has, names in (
                (name, first_name, [one for one in here if one not in there]),
                (first_name, name, [one for one in there if one not in here]),
            ):
                said = f"{lacks} lacks {few(names)}, which {has} has"
                require(not names, f"all must have the same {what}: {said}", "collections")
    return {name: values.only(first.runs, first.measures) for name, values in found.items()}


def _ways(collections: Mapping[str, RunValues], over: Over, level: float, remarks: list[str]) -> list[Way]:
    """Return the ways to treat the collections, after refusing too few queries or collections."""
    fewest, count = fewest_queries(level), len(collections)
    for name, values in collections.items():
        answered = len(values.queries)
        require(
            answered >= fewest,
            f"a comparison at level {level:g} needs at least {fewest} queries that all runs answer in each, "
            f"{name} has {answered}",
            "collections",
        )
    needs = f"at level {level:g} takes at least {fewest} collections, got {count}"
    require(
        over != "random" or count >= fewest,
        f"random is about collections of which these are a sample, and {needs}; fixed is about these ones",
        "over",
    )
    if over == "both" and count < fewest:
        remarks.insert(
            0, f"Warning: the answer is about these collections only; one about others like them {needs}"
        )
        return ["fixed"]
    return ["fixed", "random"] if over == "both" else [over]


def _few_that_differ(gaps: Mapping[str, Floats]) -> list[str]:
    """Return a warning of small collections where some two runs that differ are equal for most queries."""
    found = []
    for name, d in gaps.items():
        ties = (d == 0).mean(axis=0)
        if len(d) < _SMALL and bool(((ties > 0.5) & (ties < 1)).any()):
            found.append(name)
    if not found:
        return []
    return [
        f"Warning: in {few(found)}, with fewer than {_SMALL} queries each, two runs have the same value on "
        "most queries: intervals of such differences cover less often than they say"
    ]


def _fixed(gaps: Sequence[Floats], tests: MultipleTests) -> list[Tested]:
    """Compare the means over given collections."""
    sizes = [len(d) for d in gaps]
    means, errors, freedoms = stratified_moments(gaps)
    students = [t_test(*one, tests.alpha) for one in zip(means, errors, freedoms, strict=True)]
    d = np.concatenate(gaps)
    weights = np.repeat([1 / (len(gaps) * size) for size in sizes], sizes)
    found = _tested(d, means, [math.nan] * len(means), students, tests, weights)
    p_corrected = tests.corrected([one.p for one in found], d * (weights / weights.max())[:, None])
    return list(zip(found, p_corrected, strict=True))


def _tested(
    d: Floats,
    means: Sequence[float],
    sds: Sequence[float],
    students: Sequence[tuple[Interval, float]],
    tests: MultipleTests,
    weights: Floats | None = None,
) -> list[Difference]:
    """Return means with their tests by permutations and by Student's t, without numbers of new queries."""
    found = mean_tests(
        d, students, alpha=tests.alpha, resamples=tests.resamples, seed=tests.seed, weights=weights
    )
    return [
        Difference(0.0, 0.0, None, 1.0) if test is None else Difference(mean, sd, test.interval, test.p)
        for mean, sd, test in zip(means, sds, found, strict=True)
    ]


def stratified_moments(gaps: Sequence[Floats]) -> tuple[list[float], list[float], list[float]]:
    """Return the means over collections, their standard errors, and Satterthwaite's degrees of freedom.

    Parameters
    ----------
    gaps : one (queries, tests) array per collection

    >>> stratified_moments([np.array([[1.0], [3.0]]), np.array([[0.0], [3.0], [6.0]])])
    ([2.5], [1.0], [2.909090909090909])
    """
    count = len(gaps)
    means = np.mean([d.mean(axis=0) for d in gaps], axis=0)
    parts = np.array([d.var(axis=0, ddof=1) / len(d) for d in gaps])  # (collections, tests)
    below = (parts**2 / np.array([[len(d) - 1] for d in gaps])).sum(axis=0)
    total = parts.sum(axis=0)
    freedoms = np.divide(total**2, below, out=np.ones_like(total), where=below > 0)
    return means.tolist(), (np.sqrt(total) / count).tolist(), freedoms.tolist()


def _random(gaps: Sequence[Floats], tests: MultipleTests) -> list[Tested]:
    """Compare the means over collections that are a sample: each is one observation."""
    return list(zip(*tests.of(np.stack([d.mean(axis=0) for d in gaps])), strict=True))


def _in_collections(gaps: Sequence[Floats], tests: MultipleTests) -> list[list[Tested]]:
    """Compare the runs in each collection; p-values are corrected for the number of collections as well.

    Collections are independent, so that max-T of each with Bonferroni's factor for their number loses next to
    nothing.
    """
    found = []
    for d in tracked(gaps, "collections"):
        means, sds = zip(*moments_of(d), strict=True)
        students = [student_test(*one, len(d), tests.alpha) for one in zip(means, sds, strict=True)]
        found.append(_tested(d, means, sds, students, tests))
    p = [[one.p for one in of_collection] for of_collection in found]
    if tests.correction == "maxt":
        p_corrected = [
            [min(1.0, len(gaps) * one) for one in tests.corrected(of_collection, d)]
            for d, of_collection in zip(gaps, p, strict=True)
        ]
    else:
        every = tests.corrected(np.ravel(p).tolist(), gaps[0])
        p_corrected = np.reshape(every, (len(gaps), -1)).tolist()
    return [list(zip(*both, strict=True)) for both in zip(found, p_corrected, strict=True)]
