"""NDCG of runs against relevance judgements, as trec_eval defines it, and other measures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Literal

import numpy as np

from ndcg_asymptotics.core.arrays import ENDLESS, Bools, Floats, Integers
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.lists.chance import random_order
from ndcg_asymptotics.lists.conventions import ConventionOptions, Conventions
from ndcg_asymptotics.lists.evaluation import DEPTH, Evaluation, query_mean
from ndcg_asymptotics.lists.judgements import (
    gains_of,
    require_judged,
    twins_text,
    warn_of_twins,
    without_negatives,
)
from ndcg_asymptotics.lists.names import places, text_column
from ndcg_asymptotics.lists.other_measures import AnyMeasure, OtherMeasure, values_of
from ndcg_asymptotics.lists.ranking import (
    RelevantRanks,
    TieOrder,
    in_order,
    ndcg,
    relevant_ranks,
    unjudged_ranks,
)
from ndcg_asymptotics.lists.records import Records
from ndcg_asymptotics.lists.unjudged import judged_shares, ndcg_bounds
from ndcg_asymptotics.lists.values import few
from ndcg_asymptotics.measures import Measure

Unjudged = Literal["zero", "drop", "bounds"]


def evaluate_run(
    scores: Records,
    qrels: Records,
    measures: Sequence[AnyMeasure],
    conventions: Conventions,
    *,
    unjudged: Unjudged = "zero",
    chance: bool = False,
    name: str = "",
) -> Evaluation:
    """Return the values of a run, query by query; the options are those of `lists.evaluate`."""
    labels = without_negatives(qrels, conventions.gain, refuse="chance" if chance else "")
    scores, order = in_order(
        without_own(scores) if conventions.ignore_identical_ids else scores, conventions.ties
    )
    if unjudged == "drop":
        scores = judged_only(scores, labels)
    elif unjudged == "bounds" and conventions.ties == "worst":
        raise InputError("bounds need ties that do not depend on labels, unlike 'worst'", "unjudged")
    if chance or unjudged == "bounds":
        _require_normalised(measures, chance=chance)
    common = _common(scores, labels, name)
    if unjudged != "bounds":  # bounds are about what is not judged
        require_judged(scores, labels)
    warn_of_twins(scores, labels)
    absent = tuple(sorted({*labels.queries} - {*scores.queries}))
    require(
        conventions.missing != "error" or not absent,
        f"{name or 'the run'} lacks {len(absent)} of {len(labels.queries)} judged queries ({few(absent)}); "
        "drop leaves these out, zero counts them as 0",
        "missing",
    )
    queries = sorted([*common, *absent]) if conventions.missing == "zero" else common
    gains = gains_of(labels, conventions.gain)
    ranks = relevant_ranks(scores, gains, queries, order, conventions.ideal)
    rules = _SpecialLists(ranks, conventions)
    of_ndcg = [measure for measure in measures if isinstance(measure, Measure)]
    of_others = _values_of_others(measures, scores, labels, queries)

    def by_measure(ranks: RelevantRanks) -> Floats:
        return np.column_stack(
            [rules.settled(m, ndcg(ranks, m)) if isinstance(m, Measure) else of_others[m] for m in measures]
        )

    values = by_measure(ranks)
    tied_ranks = ranks.averaged()
    averaged = None if tied_ranks is None else by_measure(tied_ranks)
    bounds = moments = None
    if unjudged == "bounds":
        documents, _ = unjudged_ranks(scores, labels, queries, order)
        grades = np.unique(gains.values[gains.values > 0]).tolist()
        low, high = zip(
            *(ndcg_bounds(ranks, documents, grades, m, v) for m, v in zip(of_ndcg, values.T, strict=True)),
            strict=True,
        )
        bounds = _columns(rules.long_enough, of_ndcg, low), _columns(rules.long_enough, of_ndcg, high)
    if chance:
        mean, std = zip(*(random_order(ranks, measure) for measure in of_ndcg), strict=True)
        moments = _columns(rules.settled, of_ndcg, mean), _columns(rules.long_enough, of_ndcg, std)
    included = np.ones(len(queries), bool) if conventions.empty != "skip" else ~rules.irrelevant
    shares = _judged_shares(scores, labels, queries, order, of_ndcg)
    return Evaluation(
        queries=tuple(compress(queries, included.tolist())),
        measures=tuple(measures),
        values=values[included],
        name=name,
        judged=len(labels.queries),
        missing=absent,
        unjudged=tuple(sorted({*scores.queries} - {*labels.queries})),
        empty=tuple(compress(queries, rules.irrelevant.tolist())),
        conventions=conventions,
        judged_share={k: share[included] for k, share in shares.items()},
        bounds=bounds and (bounds[0][included], bounds[1][included]),
        chance=moments and (moments[0][included], moments[1][included]),
        averaged=None if averaged is None else query_mean(averaged[included]),
        own=_own(scores, queries),
    )


@dataclass(frozen=True)
class _SpecialLists:
    """What lists count that are too short or have no relevant document."""

    ranks: RelevantRanks
    conventions: Conventions

    @property
    def irrelevant(self) -> Bools:
        """The queries without a relevant document."""
        return np.asarray(self.ranks.relevant == 0)

    def long_enough(self, measure: Measure, values: Floats) -> Floats:
        """Return values with 0 for lists that are too short."""
        return np.where(_too_short(self.ranks.sizes, measure, self.conventions), 0.0, values)

    def settled(self, measure: Measure, values: Floats) -> Floats:
        """Return values with what lists count that are too short or have no relevant document."""
        largest = float(measure.normalised)  # DCG of an empty query is 0
        of_empty = {"one": largest, "nan": np.nan}.get(self.conventions.empty, 0.0)
        return np.where(self.irrelevant, of_empty, self.long_enough(measure, values))


def _require_normalised(measures: Sequence[AnyMeasure], *, chance: bool) -> None:
    """Refuse measures other than NDCG, whose chance and bounds are not defined."""
    unnormalised = [str(m) for m in measures if not (isinstance(m, Measure) and m.normalised)]
    got = f"for NDCG only, such as nDCG@10, got {', '.join(unnormalised)}"
    require(
        not unnormalised,
        f"is {got}" if chance else f"bounds are {got}; zero and drop are for all measures",
        "chance" if chance else "unjudged",
    )


def _values_of_others(
    measures: Sequence[AnyMeasure], scores: Records, labels: Records, queries: Sequence[str]
) -> dict[AnyMeasure, Floats]:
    """Return the values of the measures of ir_measures, (queries,) each."""
    of_library = [measure for measure in measures if isinstance(measure, OtherMeasure)]
    if not of_library:
        return {}
    return dict(zip(of_library, values_of(of_library, scores, labels, queries).T, strict=True))


def _common(scores: Records, labels: Records, name: str) -> list[str]:
    """Return the queries that both have; refuse if there is none."""
    require(bool(scores.queries), f"{name or 'the run'} has no documents")
    common = sorted({*scores.queries} & {*labels.queries})
    if not common:
        twins = twins_text(text_column(scores.queries).names, text_column(labels.queries).names)
        raise InputError(
            f"the run and the qrels have no query in common; the run has {few(sorted(scores.queries))}, "
            f"the qrels {few(sorted(labels.queries))}{twins}"
        )
    return common


def _columns(
    made_of: Callable[[Measure, Floats], Floats], measures: Sequence[Measure], values: Sequence[Floats]
) -> Floats:
    """Return what is made of the values of each measure, side by side."""
    return np.column_stack([made_of(m, of) for m, of in zip(measures, values, strict=True)])


def judged_only(scores: Records, labels: Records) -> Records:
    """Return a run without the documents that have no judgement."""
    return scores.only(labels.find(scores) >= 0)


def without_own(scores: Records) -> Records:
    """Return a run without the documents that have the name of their query."""
    return scores.only(~_has_name_of_query(scores))


def of_lists(options: ConventionOptions) -> ConventionOptions:
    """Return options for lists whose every row has a label: ties are averaged unless stated otherwise."""
    has_tie_rule = options.get("like") is not None or options.get("ties") is not None
    return options if has_tie_rule else {**options, "ties": "average"}


def _own(scores: Records, queries: Sequence[str]) -> tuple[str, ...]:
    """Return the queries whose first document has the name of the query."""
    # numbers of two collections are often equal
    mine = np.flatnonzero(_has_name_of_query(scores))
    mine = mine[[not scores.queries[row].isdigit() for row in scores.row[mine].tolist()]]
    if not mine.size:
        return ()
    best = np.full(len(scores.queries), -np.inf)
    np.maximum.at(best, scores.row, scores.values)
    mine = mine[scores.values[mine] >= best[scores.row[mine]]]
    return tuple(sorted({scores.queries[row] for row in scores.row[mine].tolist()} & {*queries}))


def _has_name_of_query(scores: Records) -> Bools:
    """Return for each document whether it has the name of its query."""
    if not scores.comparable:
        return np.zeros(len(scores), bool)
    return np.asarray(places(scores.names, text_column(scores.queries).names)[scores.row] == scores.document)


def _judged_shares(
    scores: Records, labels: Records, queries: Sequence[str], ties: TieOrder, measures: Sequence[Measure]
) -> dict[int, Floats]:
    """Return the share of judged documents in the first k of each query, for the cutoffs k and for 10.

    There is none if all judged documents are relevant: whoever lists the relevant ones alone, such as the
    item of each user that was held out, has judged the others, too.
    """
    if not (labels.values <= 0).any():
        return {}
    depths = sorted({m.cutoff(ENDLESS) for m in measures if m.cutoff.growth.bounded} | {DEPTH})
    ranks, sizes = unjudged_ranks(scores, labels, queries, ties, depths[-1])
    return dict(zip(depths, judged_shares(ranks, sizes, depths).T, strict=True))


def _too_short(sizes: Integers, measure: Measure, conventions: Conventions) -> Bools:
    """Return which lists have the value 0 because they have fewer than k documents."""
    applies = conventions.short_lists_are_zero and measure.cutoff.growth.bounded
    return sizes < (measure.cutoff.exact(0) if applies else 0)
