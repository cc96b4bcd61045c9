"""Comparison of runs: which is better, by which measure, with what certainty and at what cost.

For each measure the paired difference over queries with its interval and test (`analysis.runs.paired`), and
the number of queries that would be sufficient (`analysis.runs.values`). Of ranked lists also how often n
random documents order the two runs as the whole list does, and what i.i.d. theory predicts for longer lists.
Three runs or more are compared in all pairs; the number of pairs with a significant difference is the
discriminative power of a measure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, Unpack, overload

import numpy as np

from ndcg_asymptotics.analysis.runs.compared import LongListMeans, left_out, require_same_queries
from ndcg_asymptotics.analysis.runs.comparison import Comparison
from ndcg_asymptotics.analysis.runs.correction import Correction, require_tests
from ndcg_asymptotics.analysis.runs.judge import compare_judged
from ndcg_asymptotics.analysis.runs.judged import JudgedComparison
from ndcg_asymptotics.analysis.runs.paired import Alternative
from ndcg_asymptotics.analysis.runs.truncation import cuts_of_pairs
from ndcg_asymptotics.analysis.runs.values import compare_values
from ndcg_asymptotics.core.arrays import brief, require_choice
from ndcg_asymptotics.core.errors import NotAvailableError, naming, require
from ndcg_asymptotics.lists.conventions import ConventionOptions, Conventions
from ndcg_asymptotics.lists.evaluating import evaluate_run, judged_only, of_lists
from ndcg_asymptotics.lists.evaluation import Evaluation, Evaluations
from ndcg_asymptotics.lists.given import (
    Weights,
    joined,
    named_runs,
    rankers_of,
    records_of,
    runs_of,
    scored_lists,
)
from ndcg_asymptotics.lists.groups import fit_groups
from ndcg_asymptotics.lists.judgements import gains_of, without_negatives
from ndcg_asymptotics.lists.other_measures import AnyMeasures, any_measures_of
from ndcg_asymptotics.lists.pooling import Pooled, pool_runs
from ndcg_asymptotics.lists.reading import ColumnNames
from ndcg_asymptotics.lists.records import Records
from ndcg_asymptotics.lists.remarks import of_unjudged
from ndcg_asymptotics.lists.values import RunValues
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.measure import MEASURES
from ndcg_asymptotics.populations import Mixture
from ndcg_asymptotics.theory.limits import Limit, limit
from ndcg_asymptotics.theory.mean import expected_ndcg

_DEEPER = 1.1  # ratio of the numbers of documents per query from which measures of deep ranks are unfair
_GROUPS = 8
_GAINS = 2  # with more different gains the exact mean of long lists takes long
_LONG = 10**6
_SAME = 1e-9  # limits closer than this count as equal


class _Options(ConventionOptions, total=False):
    lists: object
    columns: ColumnNames | None
    feature: int | Sequence[int] | None
    weights: Weights | Sequence[Weights] | None
    unjudged: Literal["zero", "drop"]
    level: float
    power: float
    correction: Correction
    resamples: int
    seed: int
    alternative: Alternative
    theory: bool
    same_queries: bool


@overload
def compare(
    runs: object = None,
    qrels: object = None,
    measures: AnyMeasures = MEASURES,
    *,
    judge: None = None,
    **options: Unpack[_Options],
) -> Comparison: ...
@overload
def compare(
    runs: object,
    qrels: object,
    measures: AnyMeasures = MEASURES,
    *,
    judge: object,
    **options: Unpack[_Options],
) -> JudgedComparison: ...
def compare(
    runs: object = None,
    qrels: object = None,
    measures: AnyMeasures = MEASURES,
    *,
    lists: object = None,
    judge: object = None,
    columns: ColumnNames | None = None,
    feature: int | Sequence[int] | None = None,
    weights: Weights | Sequence[Weights] | None = None,
    unjudged: Literal["zero", "drop"] = "zero",
    level: float = 0.95,
    power: float = 0.8,
    correction: Correction = "maxt",
    resamples: int = 9999,
    seed: int = 0,
    alternative: Alternative = "two-sided",
    theory: bool = True,
    same_queries: bool = False,
    **conventions: Unpack[ConventionOptions],
) -> Comparison | JudgedComparison:
    """Compare two runs, or every pair of several, over the queries that all of them answer.

    Values of other programs, query by query, are compared by `analysis.compare_values`.

    Parameters
    ----------
    runs, qrels : as `evaluate` takes them
        Two runs or more: files, or a mapping of name to run.
    measures : Measure, text, or several
        Also those of ir_measures, such as "AP", as in `evaluate`; of these no longer lists are predicted.
    lists : in place of runs and qrels
        An SVMlight file, or several such as the folds of a collection, whose lists are compared together.
        Ties are averaged unless ``ties`` or ``like`` says otherwise.
    feature : several numbers
        The features of ``lists`` whose values are the scores of the rankers.
    weights : several mappings of feature to weight, or paths
        Rankers whose scores are weighted sums of the features of ``lists``.
    columns : mapping, optional
        The names of the columns of tables.
    judge : judgements, optional
        Those of a judge that may err, such as a language model, for the queries of ``qrels`` and more. Both
        are then combined (`compare_judged`), and longer lists are not predicted.
    level : float
        Confidence level of the intervals; tests are at 1 - level, corrected for all pairs and measures.
    power : float
        Target power of the sample-size estimate.
    correction : {"maxt", "holm", "bh"}
        "maxt": step-down max-T with the same permutations for all tests, and "holm", for the family-wise
        error rate; "bh": Benjamini and Hochberg's, for the false discovery rate.
    resamples, seed : int
        Number of permutations, and the seed of all resampling.
    alternative : {"two-sided", "less", "greater"}
        As of scipy's tests: the mean of the first run less that of the second is not 0, below 0, or above 0.
    theory : bool
        Whether to predict longer lists from curves fitted to 8 groups of queries.
    same_queries : bool
        Whether to refuse runs of which one lacks a query that another one answers.
    unjudged : {"zero", "drop"}
        As in `evaluate`.
    **conventions
        ``like``, ``gain``, ``ties``, ``ideal``, ``empty``, ``missing`` as in `evaluate`.

    Raises
    ------
    InputError
        For fewer than two runs, too few common queries for the level (6 at 0.95), and what `evaluate`
        refuses.

    >>> rng = np.random.default_rng(1)
    >>> labels = {str(q): {f"d{i}": float(i < 5) for i in range(30)} for q in range(20)}
    >>> def run(noise):
    ...     return {q: {d: y + noise * rng.normal() for d, y in docs.items()} for q, docs in labels.items()}
    >>> found = compare({"good": run(0.3), "bad": run(3.0)}, labels, "nDCG", theory=False)
    >>> found.pairs[0].by_measure[0].difference.sign, found.queries
    (1, 20)
    """
    require(
        (runs is None) == (qrels is None) and (runs is None) != (lists is None),
        "compare needs either runs and qrels, or lists",
    )
    require_choice(unjudged, ("zero", "drop"), "unjudged")
    if judge is not None:
        require(alternative == "two-sided", "with a judge tests are two-sided", "alternative")
        require(lists is None, "is for runs with judgements, not for lists with labels", "judge")
        require(unjudged == "zero", "must be zero in a comparison with a judge", "unjudged")
        return compare_judged(
            runs,
            qrels,
            judge,
            measures,
            level=level,
            power=power,
            correction=correction,
            resamples=resamples,
            seed=seed,
            same_queries=same_queries,
            columns=columns,
            **conventions,
        )
    if lists is not None:
        conventions = of_lists(conventions)
    chosen = Conventions.of(**conventions)
    parsed = tuple(dict.fromkeys(chosen.measures(any_measures_of(measures))))
    own = tuple(measure for measure in parsed if isinstance(measure, Measure))
    rankers = rankers_of(feature, weights)
    require(lists is None or len(rankers) > 1, "needs two rankers: feature or weights twice", "lists")
    require_tests(len(rankers if lists is not None else named_runs(runs)), level, power, correction)
    require(isinstance(theory, bool), f"must be True or False, got {brief(theory)}", "theory")
    if lists is not None:
        both = {name: joined(scored_lists(lists, columns, of)) for name, of in rankers.items()}
        scores = {name: of_ranker for name, (of_ranker, _) in both.items()}
        labels = without_negatives(next(iter(both.values()))[1], chosen.gain, refuse="lists")
    else:
        require("" in rankers, "is for lists, of SVMlight files", "weights" if feature is None else "feature")
        scores = runs_of(runs, columns)
        labels = without_negatives(records_of(qrels, "label", columns), chosen.gain)
    if unjudged == "drop":
        scores = {name: judged_only(run, labels) for name, run in scores.items()}
    compared = compare_values(
        values_of_runs(scores, labels, parsed, same_queries=same_queries, **conventions),
        level=level,
        power=power,
        correction=correction,
        resamples=resamples,
        seed=seed,
        alternative=alternative,
    )
    if not own:
        return compared
    documents = pool_runs(scores, gains_of(labels, chosen.gain))
    pairs = [pair.pair for pair in compared.pairs]
    predicted = _predicted(documents, own) if theory else None
    longer_lists = {
        pair: {str(measure): _longer_lists(predicted, pair, m) for m, measure in enumerate(own)}
        for pair in pairs
    }
    cuts = {
        pair: dict(zip(map(str, own), of_pair, strict=True))
        for pair, of_pair in cuts_of_pairs(documents, own, pairs, level, seed).items()
    }
    return compared.with_lists(cuts, longer_lists)


def values_of_runs(
    runs: object,
    qrels: object,
    measures: AnyMeasures,
    *,
    columns: ColumnNames | None = None,
    same_queries: bool = False,
    **conventions: Unpack[ConventionOptions],
) -> RunValues:
    """Return the values of runs for the queries that all of them answer, with remarks on what differs.

    Parameters
    ----------
    runs, qrels, measures, columns, same_queries, **conventions
        As in `compare`.

    Raises
    ------
    InputError
        As `evaluate`, and for different queries with ``same_queries``.

    >>> runs = {"a": {"1": {"d": 2.0, "e": 1.0}}, "b": {"1": {"d": 1.0, "e": 2.0}}}
    >>> values_of_runs(runs, {"1": {"e": 1}}, "nDCG(zipf)@2").values.tolist()
    [[[0.5]], [[1.0]]]
    """
    chosen = Conventions.of(**conventions)
    parsed = tuple(dict.fromkeys(chosen.measures(any_measures_of(measures))))
    scores = runs_of(runs, columns)
    labels = without_negatives(records_of(qrels, "label", columns), chosen.gain)
    found = {}
    for name, run in scores.items():
        with naming(name):
            found[name] = evaluate_run(run, labels, parsed, name=name, **conventions)
    answered = {name: of_run.queries for name, of_run in found.items()}
    if same_queries:
        require_same_queries(answered)
    own = [measure for measure in parsed if isinstance(measure, Measure)]
    remarks = (*left_out(answered), *_different_inputs(found, scores, own))
    return replace(Evaluations(tuple(found.values())).common(), remarks=remarks)


def _different_inputs(
    found: Mapping[str, Evaluation], scores: Mapping[str, Records], measures: Sequence[Measure]
) -> Iterator[str]:
    """Yield warnings of runs with few judged documents, queries without judgements, and unequal depths."""
    if said := next(iter(found.values())).of_others:
        yield said
    for name, of_run in found.items():
        if said := of_run.few_judged:
            yield f"Warning: {said} in {name}; the others count as not relevant"
        if said := of_run.of_ties:
            yield f"{name}: {said}"
    for name, of_run in found.items():
        if of_run.unjudged:
            yield f"Warning: {of_unjudged(of_run.unjudged, name)}"
    depths = {name: int(np.median(np.bincount(records.row))) for name, records in scores.items()}
    shortest, longest = min(depths, key=depths.__getitem__), max(depths, key=depths.__getitem__)
    deep = [str(m) for m in measures if m.cutoff(depths[longest]) > depths[shortest]]
    if deep and depths[longest] > _DEEPER * depths[shortest]:
        yield (
            f"Warning: {longest} has {depths[longest]} documents per query in the median, {shortest} "
            f"{depths[shortest]}: {', '.join(deep)} {'counts' if len(deep) == 1 else 'count'} ranks that "
            f"{shortest} leaves empty; nDCG@{depths[shortest]} does not"
        )


@dataclass(frozen=True)
class _Predicted:
    """Predictions of theory for ever longer lists of one run, by one measure."""

    mixture: Mixture
    measure: Measure

    @cached_property
    def limit(self) -> Limit:
        """The limit of NDCG, with its theorem."""
        return limit(self.mixture, self.measure)

    @cached_property
    def end(self) -> float | None:
        """The limit of the mean of NDCG, if there is one."""
        if self.limit.converges is not False:
            return None if self.limit.value is None else float(self.limit.value)
        # where NDCG does not converge its mean does, to that of the top
        tops = [of_group.mean_gain_at_top / of_group.gains[0] for of_group in self.mixture.models]
        return float(self.mixture.weights @ tops)

    @cached_property
    def long_mean(self) -> float | None:
        """The exact mean at n = 1e6; None for a discount of the user's own that is no sum of exponentials."""
        try:
            return float(expected_ndcg(self.mixture, self.measure, [_LONG]).value[0])
        except NotAvailableError:
            return None


def _predicted(documents: Pooled, measures: tuple[Measure, ...]) -> dict[str, list[_Predicted]]:
    """Return the predictions of each run and measure, whose values are computed once for all pairs."""
    groups = min(_GROUPS, len(documents.queries))
    fitted = fit_groups(documents.lists(), groups, resamples=1)
    return {
        name: [_Predicted(mixture.relevance, measure) for measure in measures]
        for name, mixture in fitted.items()
    }


def _longer_lists(
    predicted: Mapping[str, list[_Predicted]] | None, pair: tuple[str, str], measure: int
) -> LongListMeans | None:
    """Return what theory predicts for ever longer lists; None if it predicts nothing."""
    if predicted is None:
        return None
    a, b = (predicted[name][measure] for name in pair)
    if a.end is None or b.end is None:
        return None
    if abs(a.end - b.end) > _SAME or len(a.mixture.gains) > _GAINS:
        return LongListMeans(a.end, b.end, a.limit.theorem)
    if a.long_mean is None or b.long_mean is None:
        return None
    return LongListMeans(a.long_mean, b.long_mean, a.limit.theorem, _LONG)
