"""NDCG of a run against relevance judgements, as trec_eval defines it, for every measure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ndcg_asymptotics.arrays import Floats
from ndcg_asymptotics.errors import InputError
from ndcg_asymptotics.lists.readers import Qrels, Run, read_qrels, read_run
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.tables import Column, Part, Shown, Table, fixed


@dataclass(frozen=True, repr=False)
class Evaluation(Shown):
    """NDCG by query and measure.

    Attributes
    ----------
    queries : tuple of str
    measures : tuple of Measure
    values : (queries, measures)
    """

    queries: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: Floats

    @property
    def mean(self) -> Floats:
        """The mean over the queries, one number per measure."""
        return np.asarray(self.values.mean(axis=0))

    def as_dict(self) -> dict[str, Any]:
        """The mean and the values of each query, by measure, as plain data for JSON."""
        names = [str(measure) for measure in self.measures]
        named = [dict(zip(names, row, strict=True)) for row in [*self.values.tolist(), self.mean.tolist()]]
        return {"mean": named[-1], "queries": dict(zip(self.queries, named, strict=False))}

    def parts(self) -> Iterator[Part]:
        """NDCG by query and the mean, four decimals as trec_eval prints."""
        columns = (Column("query"), *(Column(str(measure), fixed(4)) for measure in self.measures))
        rows = [(q, *v) for q, v in zip(self.queries, self.values.tolist(), strict=True)]
        yield Table("", columns, (*rows, ("mean", *self.mean.tolist())))


def evaluate(run: Run, qrels: Qrels, measures: Sequence[Measure | str] | Measure | str) -> Evaluation:
    """NDCG of a run, query by query, with trec_eval's conventions.

    Labels are the gains; a document without a judgement has the gain 0. The ideal list is made
    from all judged documents of the query, retrieved or not. Ties go by decreasing document name,
    and scores are compared in single precision: trec_eval up to version 9, pytrec_eval and
    ir_measures hold them so, and two scores that only differ beyond it are tied. Only queries
    that are in both the run and the qrels count; one without a relevant document has NDCG 0.

    A cutoff such as 0.2n refers to n, the number of documents that were retrieved.

    Raises
    ------
    InputError
        If no query is in both.

    >>> run = {"q": {"a": 2.0, "b": 1.0}}
    >>> evaluate(run, {"q": {"b": 1.0, "c": 1.0}}, "nDCG").mean.round(4)
    array([0.3869])
    """
    wanted = [measures] if isinstance(measures, str | Measure) else measures
    found = tuple(Measure.of(measure) for measure in wanted)
    queries = sorted(run.keys() & qrels.keys())
    if not queries:
        raise InputError(
            f"the run and the qrels have no query in common; the run has {_some(run)}, "
            f"the qrels {_some(qrels)}"
        )
    values = [_values(run[query], qrels[query], found) for query in queries]
    return Evaluation(tuple(queries), found, np.array(values))


def evaluate_files(
    run: Path | str, qrels: Path | str, measures: Sequence[Measure | str] | Measure | str
) -> Evaluation:
    """`evaluate` for a TREC run file and a TREC qrels file.

    Raises
    ------
    InputError
        As `read_run`, `read_qrels` and `evaluate`.
    """
    found = read_run(Path(run)), read_qrels(Path(qrels))
    try:
        return evaluate(*found, measures)
    except InputError as error:
        raise InputError(f"{run}, {qrels}: {error}") from None


def _values(scored: dict[str, float], judged: dict[str, float], measures: Sequence[Measure]) -> list[float]:
    ranked = _ranked(scored)
    labels = [judged.get(document, 0.0) for document in ranked]
    falling = -np.arange(len(ranked), dtype=np.float64)
    ideal = list(judged.values())
    return [m.evaluate(falling, labels, ties="stable", ideal_labels=ideal) for m in measures]


def _ranked(scored: dict[str, float]) -> list[str]:
    """Documents by decreasing score (single precision), then by decreasing name."""
    with np.errstate(over="ignore"):
        single = np.array(list(scored.values())).astype(np.float32)
    pairs = sorted(zip(single.tolist(), scored, strict=True), reverse=True)
    return [document for _, document in pairs]


def _some(queries: Iterable[str]) -> str:
    first = sorted(queries)
    return ", ".join(first[:3]) + (f", … ({len(first)})" if len(first) > 3 else "")
