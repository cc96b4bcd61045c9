"""Remarks on an evaluation: a sentence for each thing that affects the means or that they may hide."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.lists.conventions import Empty
from ndcg_asymptotics.lists.other_measures import AnyMeasure
from ndcg_asymptotics.lists.values import few

_TIES_MATTER = 0.001  # change of a mean from which ties are mentioned
_ENOUGH_JUDGED = 0.9  # a smaller share is said

OF_CHANCE = (
    "Chance: the mean of a random order. Adjusted: (NDCG - chance) / (1 - chance), 0 for a random order and "
    "1 for the ideal one."
)
"""What the columns of chance are."""


def of_missing(queries: Sequence[str], judged: int, *, as_zero: bool) -> str:
    """Return a sentence on judged queries that are not in the run."""
    verb = "is" if len(queries) == 1 else "are"
    value = "counted as 0" if as_zero else "not counted; --missing zero counts them as 0"
    return f"{len(queries)} of {judged} judged queries {verb} not in the run ({few(queries)}): {value}"


def of_unjudged(queries: Sequence[str], run: str) -> str:
    """Return a sentence on the queries of a run without judgements; ``run`` is what the run is called."""
    number, verb = _number(queries)
    return f"{number} of {run} {verb} no judgements ({few(queries)}): not counted"


def of_empty(queries: Sequence[str], rule: Empty) -> str:
    """Return a sentence on queries without a relevant document, and what they count as."""
    number, verb = _number(queries)
    value = {"zero": "counted as 0", "one": "counted as 1"}.get(rule, "not counted")
    return f"{number} {verb} no relevant document ({few(queries)}): {value}"


def of_own(queries: Sequence[str]) -> str:
    """Return a sentence on queries whose first document has the name of the query."""
    number, verb = _number(queries)
    itself = "the query itself" if len(queries) == 1 else "themselves"
    has = f"{number} {verb} {itself} as the first document"
    return f"{has} ({few(queries)}): BEIR leaves out a document that is the query"


def of_ties(measures: Sequence[AnyMeasure], mean: Floats, averaged: Floats) -> str:
    """Return a sentence if averaging ties changes a mean by more than 0.001, else the empty text."""
    changes = np.nan_to_num(np.abs(averaged - mean))
    most = int(np.argmax(changes))
    if changes[most] <= _TIES_MATTER:
        return ""
    return (
        f"repeated scores: the mean {measures[most]} is {averaged[most]:.4f} instead of {mean[most]:.4f} "
        "if ties are averaged (evaluate --ties average) and not ordered by name"
    )


def of_few_judged(share: float, depth: int) -> str:
    """Return a sentence if fewer than 90% of the first documents are judged, else the empty text."""
    return f"only {share:.0%} of the first {depth} documents are judged" if share < _ENOUGH_JUDGED else ""


def _number(queries: Sequence[str]) -> tuple[str, str]:
    """Return the number of queries, and whether it has or they have."""
    return ("1 query", "has") if len(queries) == 1 else (f"{len(queries)} queries", "have")


def left_out(answered: Mapping[str, Collection[str]]) -> Iterator[str]:
    """Yield for each run how many of the queries that it answers do not count, as other runs lack them."""
    shared = len(set.intersection(*map(set, answered.values())))
    for name, queries in answered.items():
        if count := len(queries) - shared:
            are, do = ("is", "does") if count == 1 else ("are", "do")
            reason = f"the queries that {name} answers {are} not answered by all runs and {do} not count"
            yield f"Warning: {count} of {reason}"
