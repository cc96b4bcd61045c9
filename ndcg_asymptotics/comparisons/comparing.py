"""Comparison of runs: which is better, by which measure, with what certainty and at what cost.

For each measure the paired difference over queries with its interval and test (`stats.paired`), and
the number of queries that would be sufficient (`comparisons.values`). Three runs or more are compared in
all pairs; the number of pairs with a significant difference is the discriminative power of a measure.
Labels of a judge are in `comparisons.judge`, and means over several collections in
`comparisons.collections`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from os import PathLike
from typing import Any, Literal, Unpack, cast, overload

from ndcg_asymptotics.comparisons.collections import Over, compare_collections
from ndcg_asymptotics.comparisons.collections_outcome import CollectionsComparison
from ndcg_asymptotics.comparisons.comparison import Comparison
from ndcg_asymptotics.comparisons.judge import compare_judged
from ndcg_asymptotics.comparisons.judged import JudgedComparison
from ndcg_asymptotics.comparisons.values import compare_values
from ndcg_asymptotics.core.arrays import as_texts, require_choice
from ndcg_asymptotics.core.errors import refuse_others, require
from ndcg_asymptotics.lists.conventions import ConventionOptions, Conventions
from ndcg_asymptotics.lists.evaluating import judged_only, of_lists
from ndcg_asymptotics.lists.inputs import (
    features_of,
    judgements_of,
    named_runs,
    runs_of,
    scores_of_features,
)
from ndcg_asymptotics.lists.judgements import without_negatives
from ndcg_asymptotics.lists.other_measures import AnyMeasures, any_measures_of
from ndcg_asymptotics.lists.reading import ColumnNames
from ndcg_asymptotics.lists.reading.values import ValueOptions
from ndcg_asymptotics.lists.records import Records
from ndcg_asymptotics.lists.run_values import values_of_runs
from ndcg_asymptotics.measures.gains import Gain
from ndcg_asymptotics.measures.measure import MEASURES
from ndcg_asymptotics.stats.correction import Correction, MultipleTests, require_runs

_CONVENTIONS = tuple(ConventionOptions.__annotations__)
_OF_TESTS = tuple(field.name for field in fields(MultipleTests))
_OF_ALL = ("columns", *_OF_TESTS)
_OPTIONS = {
    "runs": ("qrels", "unjudged", "baseline", *_CONVENTIONS),
    "judge": ("runs", "qrels", *_CONVENTIONS),
    "lists": ("feature", "query", "unjudged", "baseline", *_CONVENTIONS),
    "values": ("runs", "lower_is_better", "missing", "baseline"),
    "collections": ("runs", "over", "lower_is_better", *_CONVENTIONS),
}
"""What may be stated of each kind of input, beside the options of all."""
_EITHER = "compare needs either runs and qrels, lists, values, or collections"
_USUAL = {"unjudged": "zero"}
_BELONGS = {
    "feature": "features are those of SVMlight files, --lists FILE",
    "query": "it is for SVMlight files of lists",
    "over": "it is for collections",
    "baseline": "it is for the runs of one collection",
    "lower_is_better": "it is for values and collections of them; higher NDCG is better",
}


class CompareOptions(ConventionOptions, total=False):
    """The options of `compare`."""

    lists: object
    values: object
    columns: ColumnNames | None
    feature: int | Sequence[int] | None
    query: object
    unjudged: Literal["zero", "drop"]
    lower_is_better: Collection[str]
    level: float
    power: float
    correction: Correction
    resamples: int
    seed: int
    baseline: str | PathLike[str] | None


@overload
def compare(
    runs: object = None,
    qrels: object = None,
    measures: AnyMeasures | None = None,
    *,
    judge: None = None,
    collections: None = None,
    **options: Unpack[CompareOptions],
) -> Comparison: ...
@overload
def compare(
    runs: object,
    qrels: object,
    measures: AnyMeasures | None = None,
    *,
    judge: object,
    **options: Unpack[CompareOptions],
) -> JudgedComparison: ...
@overload
def compare(
    runs: object = None,
    *,
    measures: AnyMeasures | None = None,
    collections: object,
    over: Over | None = None,
    **options: Unpack[CompareOptions],
) -> CollectionsComparison: ...
@overload
def compare(
    runs: object = None,
    qrels: object = None,
    measures: AnyMeasures | None = None,
    *,
    judge: object = None,
    collections: object = None,
    over: Over | None = None,
    **options: Unpack[CompareOptions],
) -> Comparison | JudgedComparison | CollectionsComparison: ...
def compare(
    runs: object = None,
    qrels: object = None,
    measures: AnyMeasures | None = None,
    *,
    judge: object = None,
    collections: object = None,
    over: Over | None = None,
    **options: Unpack[CompareOptions],
) -> Comparison | JudgedComparison | CollectionsComparison:
    """Compare two runs, or every pair of several, over the queries that all of them answer.

    Parameters
    ----------
    runs, qrels : as evaluate takes them
        Two runs or more: files, or a mapping of name to run. With ``values`` or ``collections``, ``runs`` are
        the names of those that count, in this order.
    measures : Measure, text, or several
        By default six of NDCG, and all that there are of values. Also those of ir_measures, such as "AP", as
        in `evaluate`.
    lists : in place of runs and qrels
        An SVMlight file, or several such as the folds of a collection, whose lists are compared together.
        Ties are averaged unless ``ties`` or ``like`` says otherwise.
    values : in place of runs and qrels
        Values of any measures, query by query, as `lists.read_values` takes them.
    collections : path, or mapping of name to values; in place of runs and qrels
        A CSV file with the columns collection, qrels, run and path: a row for each run in each collection,
        with the file of the judgements and that of the run. Names of files are relative to the folder of the
        table. In a mapping, each collection has values as ``values`` takes them.
    judge : judgements, optional
        Those of a judge that may err, such as a language model, for the queries of ``qrels`` and more. Both
        are then combined (`comparisons.judge`).
    columns : mapping, optional
        The names of the columns of tables.
    feature : several numbers
        The features of ``lists`` whose values are the scores of the rankers.
    query : path, or one for each file
        Files with the number of lines of each query, as in `evaluate`.
    unjudged : {"zero", "drop"}
        As in `evaluate`.
    lower_is_better : names of measures
        Of values.
    over : {"fixed", "random", "both"}
        Of ``collections``: whether intervals and tests are about the given ones, about others of which these
        are a sample, or there are both, which is the default. "random" needs at least 6 at level 0.95.
    level : float
        Confidence level of the intervals; tests are at 1 - level, corrected for all pairs and measures.
    power : float
        Target power of the sample-size estimate.
    correction : {"maxt", "holm", "bh"}
        "maxt": step-down max-T with the same permutations for all tests, and "holm", for the family-wise
        error rate; "bh": Benjamini and Hochberg's, for the false discovery rate.
    resamples, seed : int
        Number of permutations, and the seed of all resampling.
    baseline : str, optional
        The name or the file of the run that each other one is compared with, in place of every pair; p-values
        are corrected for these pairs only, and differences are those of the other runs less the baseline.
    **conventions
        ``like``, ``gain``, ``ties``, ``ideal``, ``empty``, ``missing`` as in `evaluate`. Values take
        ``missing`` only.

    Raises
    ------
    InputError
        For fewer than two runs, too few common queries for the level (6 at 0.95, in each collection), fewer
        than two collections or collections with different runs, an argument that does not belong to the
        input, and what `evaluate` and `lists.read_values` refuse.

    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> labels = {str(q): {f"d{i}": float(i < 5) for i in range(30)} for q in range(20)}
    >>> def run(noise):
    ...     return {q: {d: y + noise * rng.normal() for d, y in docs.items()} for q, docs in labels.items()}
    >>> comparison = compare({"good": run(0.3), "bad": run(3.0)}, labels, "nDCG")
    >>> comparison.pairs[0].by_measure[0].difference.sign, comparison.queries
    (1, 20)

    Of values, of which less is better, and of two collections:

    >>> def seconds(mean):
    ...     return {str(query): value for query, value in enumerate(rng.exponential(mean, 50))}
    >>> runs = {"new": seconds(1.0), "old": seconds(3.0)}
    >>> comparison = compare(values=runs, measures="seconds", lower_is_better=["seconds"])
    >>> comparison.pairs[0].first.answer.ahead, comparison.ranked(0)[0].run
    (1, 'new')
    >>> slower = {"new": seconds(2.0), "old": seconds(4.0)}
    >>> comparison = compare(collections={"A": runs, "B": slower}, over="fixed")
    >>> comparison.pairs[0].by_measure[0].overall[0].sign
    -1
    """
    option_values: dict[str, Any] = {**options}
    arguments = {
        "runs": runs,
        "qrels": qrels,
        "judge": judge,
        "collections": collections,
        "over": over,
        **{name: value for name, value in option_values.items() if not _is_usual(name, value)},
    }
    kind = _kind_of_input(arguments)
    unjudged = options.get("unjudged", "zero")
    require_choice(unjudged, ("zero", "drop"), "unjudged")
    lower_is_better = as_texts(options.get("lower_is_better", ()), "lower_is_better")
    _require_arguments(kind, {**arguments, "lower_is_better": lower_is_better or None})
    tests = MultipleTests(**{name: option_values[name] for name in _OF_TESTS if name in option_values})
    convention_options = cast(
        ConventionOptions, {name: option_values[name] for name in _CONVENTIONS if name in option_values}
    )
    columns, baseline = options.get("columns"), options.get("baseline")
    if kind in ("values", "collections"):
        of_values: ValueOptions = {
            "runs": as_texts(runs, "runs"),
            "measures": measures,
            "lower_is_better": lower_is_better,
            "missing": options.get("missing"),
            "columns": columns,
        }
        if kind == "collections":
            return compare_collections(
                collections, tests, "both" if over is None else over, of_values, convention_options
            )
        return compare_values(options.get("values"), tests, baseline, **of_values)
    conventions = Conventions.of(**(of_lists(convention_options) if kind == "lists" else convention_options))
    measure_list = conventions.measures(any_measures_of(MEASURES if measures is None else measures))
    if kind == "judge":
        return compare_judged(runs, qrels, judge, measure_list, tests, conventions, columns)
    if kind == "lists":
        scores, labels = _scores_of_lists(options, conventions.gain)
    else:
        require_runs(len(named_runs(runs)))
        scores, labels = runs_of(runs, columns), judgements_of(qrels, columns, conventions.gain)
    if unjudged == "drop":
        scores = {name: judged_only(run, labels) for name, run in scores.items()}
    return compare_values(values_of_runs(scores, labels, measure_list, conventions), tests, baseline)


def _is_usual(name: str, value: object) -> bool:
    """Return whether an option has its default, so that it may be stated of any input."""
    return isinstance(value, str) and value == _USUAL.get(name)


def _kind_of_input(arguments: Mapping[str, object]) -> str:
    """Return which of `_OPTIONS` the arguments are about; refuse several."""
    kinds = [kind for kind in _OPTIONS if kind != "runs" and arguments.get(kind) is not None] or ["runs"]
    require(len(kinds) == 1, f"{_EITHER}; got {' and '.join(kinds)}")
    return kinds[0]


def _require_arguments(kind: str, arguments: Mapping[str, object]) -> None:
    """Refuse arguments that do not belong to a kind of input, and runs without judgements."""
    subject = "a comparison with a judge" if kind == "judge" else f"a comparison of {kind}"
    refuse_others(subject, arguments, (kind, *_OPTIONS[kind], *_OF_ALL), _BELONGS)
    if kind in ("runs", "judge"):
        require(arguments["runs"] is not None, _EITHER)
        judgements = f"{_EITHER}; of these runs the judgements are missing"
        require(arguments["qrels"] is not None, judgements, "qrels")


def _scores_of_lists(options: CompareOptions, gain: Gain) -> tuple[dict[str, Records], Records]:
    """Return the scores of two rankers or more, and the labels, of SVMlight files."""
    features = features_of(options.get("feature"))
    require(len(features) > 1, "needs two rankers, each a feature", "lists")
    scores, labels = scores_of_features(
        options.get("lists"), options.get("columns"), features, options.get("query")
    )
    return scores, without_negatives(labels, gain, refuse="lists")
