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

As in `stats.paired`, each interval is the shorter one that holds that of the permutations and that of
the t law. docs/howto/collections.md has their coverage.
"""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Mapping, Sequence
from io import StringIO
from itertools import combinations
from pathlib import Path
from typing import Literal, cast, get_args

import numpy as np

from ndcg_asymptotics.comparisons.collections_outcome import (
    CollectionsComparison,
    CollectionsRow,
    CorrectedTest,
    MeasureOverCollections,
    PairOverCollections,
    Way,
)
from ndcg_asymptotics.core.arrays import Floats, as_texts, brief, require_choice
from ndcg_asymptotics.core.errors import InputError, naming, refuse_others, require
from ndcg_asymptotics.core.files import path_of
from ndcg_asymptotics.core.progress import tracked
from ndcg_asymptotics.core.rows import Column
from ndcg_asymptotics.core.tables import Table
from ndcg_asymptotics.lists.conventions import ConventionOptions, Conventions
from ndcg_asymptotics.lists.inputs import judgements_of, runs_of
from ndcg_asymptotics.lists.other_measures import AnyMeasures, any_measures_of
from ndcg_asymptotics.lists.reading.tables import delimiter_of
from ndcg_asymptotics.lists.reading.text import read_text
from ndcg_asymptotics.lists.reading.values import ValueOptions, read_values
from ndcg_asymptotics.lists.run_values import values_of_runs
from ndcg_asymptotics.lists.values import RunValues, few, require_names
from ndcg_asymptotics.measures.measure import MEASURES
from ndcg_asymptotics.stats.correction import MultipleTests, require_runs
from ndcg_asymptotics.stats.paired import (
    Difference,
    fewest_queries,
    mean_tests,
    t_test,
    without_rounding,
)

_SMALL = 50  # queries of a collection below which intervals cover too rarely if most differences are 0
_COLUMNS = ("collection", "qrels", "run", "path")
Over = Literal["fixed", "random", "both"]
"""Whether the collections are given, a sample, or both in turn."""


def compare_collections(
    collections: object,
    tests: MultipleTests,
    over: Over,
    options: ValueOptions,
    conventions: ConventionOptions,
) -> CollectionsComparison:
    """Compare every pair of runs in each collection and in the mean over all; parameters as of `compare`.

    p-values of the means are corrected for all pairs and measures, and those in collections also for the
    number of collections.
    """
    require_choice(over, get_args(Over), "over")
    read = _same_runs_and_measures(_read(collections, options, conventions))
    first = next(iter(read.values()))
    require_runs(len(first.runs))
    remarks = _remarks(read)
    ways = _ways(read, over, tests.level, remarks)
    units = np.max([values.units for values in read.values()], axis=0)
    every_unit = np.tile(units, len(first.pairs))
    gaps = [without_rounding(values.differences / every_unit) for values in read.values()]
    remarks[:0] = _few_that_differ(dict(zip(read, gaps, strict=True)))
    sizes = [len(d) for d in gaps]
    tested_units = {"fixed": sum(sizes), "random": len(sizes)}
    limitations = [(way, tests.limitation(every_unit.size, tested_units[way])) for way in ways]
    remarks += [f"Warning: collections {way}: {limitation}" for way, limitation in limitations if limitation]
    of_way = {"fixed": _fixed, "random": _random}
    # of each collection, and behind these of the means over all
    tested = [*_in_collections(gaps, tests), *(of_way[way](gaps, tests) for way in ways)]
    means = [values.means for values in read.values()]  # (runs, measures)
    means += [np.mean(means, axis=0)] * len(ways)
    counts = [*sizes, *[sum(sizes)] * len(ways)]
    pairs: list[PairOverCollections] = []
    for a, b in combinations(range(len(first.runs)), 2):
        judged = []
        for m, (measure, scale) in enumerate(zip(first.measures, first.scales, strict=True)):
            # tests go by pair, then by measure
            test, unit, lower = len(pairs) * len(units) + m, float(units[m]), scale.lower_is_better
            rows = tuple(
                CollectionsRow.of(
                    measure, name, count, of_runs[[a, b], m].tolist(), outcomes[test], unit, lower
                )
                for name, count, of_runs, outcomes in zip((*read, *ways), counts, means, tested, strict=True)
            )
            judged.append(MeasureOverCollections(measure, rows[len(sizes) :], rows[: len(sizes)]))
        pairs.append(PairOverCollections(first.runs[a], first.runs[b], tuple(judged)))
    return CollectionsComparison(
        runs=first.runs,
        collections=tuple(read),
        queries=tuple(sizes),
        over=tuple(ways),
        level=tests.level,
        power=tests.power,
        correction=tests.correction,
        pairs=tuple(pairs),
        remarks=tuple(remarks),
        by_query=_by_query(read),
    ).in_words()


def _read(
    collections: object, options: ValueOptions, convention_options: ConventionOptions
) -> dict[str, RunValues]:
    """Return the values of runs in each collection, from a table of files or from values by collection."""
    read = {}
    if isinstance(collections, str | os.PathLike):
        higher = "is of values: higher NDCG is better"
        require(not options.get("lower_is_better"), higher, "lower_is_better")
        conventions = Conventions.of(**convention_options)
        measures = conventions.measures(
            any_measures_of(cast("AnyMeasures", options.get("measures") or MEASURES))
        )
        files_by_collection, columns = _listed(path_of(collections, "collections")), options.get("columns")
        runs = as_texts(options.get("runs"), "runs")
        for name, (qrels, files) in tracked(files_by_collection.items(), "collections"):
            with naming(name, fields=True):
                require_names("run", runs, files)
                scores = runs_of({run: files[run] for run in runs or files}, columns)
                labels = judgements_of(qrels, columns, conventions.gain)
                read[name] = values_of_runs(scores, labels, measures, conventions)
        return read
    if not isinstance(collections, Mapping):
        kinds = "the path of a table or a mapping of name to values"
        raise InputError(f"must be {kinds}, got {brief(collections)}", "collections")
    refuse_others("collections of values", convention_options, ("missing",))
    for name, values in tracked(collections.items(), "collections"):
        with naming(str(name), fields=True):
            read[str(name)] = read_values(values, **options)
    return read


def _listed(path: Path) -> dict[str, tuple[Path, dict[str, Path]]]:
    """Return the file of judgements and those of the runs of each collection, by a table.

    Raises
    ------
    InputError
        For a table without the columns or with an empty cell, a run that is named twice in a collection, and
        judgements that differ within a collection.
    """
    text = read_text(path)
    files_by_collection: dict[str, tuple[Path, dict[str, Path]]] = {}
    with naming(str(path)):
        delimiter = delimiter_of(text.partition("\n")[0])
        reader = csv.DictReader(StringIO(text), delimiter=delimiter, skipinitialspace=True)
        header = reader.fieldnames = [name.strip() for name in reader.fieldnames or ()]
        columns = f"expected the columns {', '.join(_COLUMNS)}"
        require({*_COLUMNS} <= {*header}, f"{columns}, found {', '.join(header) or 'no columns'}")
        for row in reader:
            cells = [(row[column] or "").strip() for column in _COLUMNS]
            require(all(cells), f"line {reader.line_num}: {columns} in every row, got {', '.join(cells)}")
            name, qrels, run, file = cells
            judged, files = files_by_collection.setdefault(name, (path.parent / qrels, {}))
            differ = f"{name} has two files of judgements, {judged} and {path.parent / qrels}"
            require(judged == path.parent / qrels, differ)
            require(run not in files, f"{name} has the run {run} twice")
            files[run] = path.parent / file
    return files_by_collection


def _remarks(collections: Mapping[str, RunValues]) -> list[str]:
    """Return the remarks on the values, with the name of the collection unless all have the same."""
    remarks = []
    for remark in dict.fromkeys(remark for values in collections.values() for remark in values.remarks):
        names = [name for name, values in collections.items() if remark in values.remarks]
        prefix = "" if len(names) == len(collections) else f"{few(names)}: "
        warning, mark, text = remark.rpartition("Warning: ")
        remarks.append(f"{warning}{mark}{prefix}{text}")
    return remarks


def _by_query(collections: Mapping[str, RunValues]) -> Table:
    """Return a table with a row per collection, run and query."""
    tables = {name: values.by_query for name, values in collections.items()}
    rows = tuple((name, *row) for name, table in tables.items() for row in table.rows)
    return Table("", (Column("collection"), *next(iter(tables.values())).columns), rows)


def _same_runs_and_measures(collections: Mapping[str, RunValues]) -> dict[str, RunValues]:
    """Return the values of each collection, with runs and measures in the order of the first.

    Raises
    ------
    InputError
        If there is a single collection, or one with other runs or measures than the first.
    """
    enough = f"must be at least two, got {len(collections)}; without collections, compare takes one"
    require(len(collections) >= 2, enough, "collections")
    first_name, first = next(iter(collections.items()))
    for name, values in collections.items():
        for kind in ("runs", "measures"):
            first_names, names = getattr(first, kind), getattr(values, kind)
            differ = f"{first_name} has {few(first_names)}, and {name} has {few(names)}"
            require({*first_names} == {*names}, f"all must have the same {kind}: {differ}", "collections")
    return {name: values.only(first.runs, first.measures) for name, values in collections.items()}


def _ways(collections: Mapping[str, RunValues], over: Over, level: float, remarks: list[str]) -> list[Way]:
    """Return the ways to treat the collections, after refusing too few queries or collections."""
    fewest, count = fewest_queries(level), len(collections)
    needs = f"a comparison at level {level:g} needs at least {fewest} queries that all runs answer in each"
    for name, values in collections.items():
        answered = len(values.queries)
        require(answered >= fewest, f"{needs}, {name} has {answered}", "collections")
    sample = f"random, about others like these, takes at least {fewest} collections at level {level:g}"
    require(over != "random" or count >= fewest, f"{sample}, got {count}", "over")
    if over == "both" and count < fewest:
        remarks.insert(0, f"Warning: the answer is about these collections only; {sample}, got {count}")
        return ["fixed"]
    return ["fixed", "random"] if over == "both" else [over]


def _few_that_differ(gaps: Mapping[str, Floats]) -> list[str]:
    """Return a warning of small collections where some two runs that differ are equal for most queries."""
    shares = {name: (d == 0).mean(axis=0) for name, d in gaps.items() if len(d) < _SMALL}
    small = [name for name, equal in shares.items() if ((equal > 0.5) & (equal < 1)).any()]
    warning = (
        f"Warning: in {few(small)}, with fewer than {_SMALL} queries each, two runs have the same value on "
        "most queries: intervals of such differences cover less often than they say"
    )
    return [warning] if small else []


def _fixed(gaps: Sequence[Floats], tests: MultipleTests) -> list[CorrectedTest]:
    """Compare the means over given collections, or in a single one."""
    moments = list(zip(*stratified_moments(gaps), strict=True))
    students = [t_test(*moment, tests.alpha) for moment in moments]
    d, sizes = np.concatenate(gaps), [len(d) for d in gaps]
    weights = np.repeat([min(sizes) / size for size in sizes], sizes)
    paired_tests = mean_tests(
        d, students, alpha=tests.alpha, resamples=tests.resamples, seed=tests.seed, weights=weights
    )
    differences = [
        Difference(mean, math.nan, test.interval, test.p) if test else Difference(0.0, 0.0, None, 1.0)
        for (mean, _, _), test in zip(moments, paired_tests, strict=True)
    ]
    p_corrected = tests.corrected([difference.p for difference in differences], d * weights[:, None])
    return list(zip(differences, p_corrected, strict=True))


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


def _random(gaps: Sequence[Floats], tests: MultipleTests) -> list[CorrectedTest]:
    """Compare the means over collections that are a sample: each is one observation."""
    return list(zip(*tests.of(np.stack([d.mean(axis=0) for d in gaps])), strict=True))


def _in_collections(gaps: Sequence[Floats], tests: MultipleTests) -> list[list[CorrectedTest]]:
    """Compare the runs in each collection; p-values are corrected for the number of collections as well.

    Collections are independent, so that max-T of each with Bonferroni's factor for their number loses next to
    nothing.
    """
    each = [_fixed([d], tests) for d in tracked(gaps, "collections")]
    if tests.correction == "maxt":
        return [[(difference, min(1.0, len(gaps) * p)) for difference, p in of_one] for of_one in each]
    adjusted = iter(tests.corrected([difference.p for of_one in each for difference, _ in of_one], gaps[0]))
    return [[(difference, next(adjusted)) for difference, _ in of_one] for of_one in each]
