"""NDCG of runs against relevance judgements, as trec_eval defines it, for every measure."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Unpack, get_args, overload

import numpy as np

from ndcg_asymptotics.core.arrays import Bools, Floats, Integers, brief, require_choice
from ndcg_asymptotics.core.errors import InputError, InputWarning, naming, require
from ndcg_asymptotics.core.files import paths_of
from ndcg_asymptotics.core.tables import Column, Line, Report, ReportBlock, Table, fixed, general
from ndcg_asymptotics.lists.chance import adjusted, random_order
from ndcg_asymptotics.lists.conventions import (
    ConventionOptions,
    Conventions,
    Empty,
    Missing,
)
from ndcg_asymptotics.lists.names import Names
from ndcg_asymptotics.lists.ranking import Ideal, Ties, ndcg, relevant_ranks, unjudged_ranks
from ndcg_asymptotics.lists.reading import ColumnNames, read, read_lists
from ndcg_asymptotics.lists.records import Records
from ndcg_asymptotics.lists.unjudged import judged_shares, ndcg_bounds
from ndcg_asymptotics.measures import Measure, Measures, measures_of
from ndcg_asymptotics.measures.cutoffs import FixedRank
from ndcg_asymptotics.measures.gains import Gain, gain_text, label_gains, negative_labels_in

if TYPE_CHECKING:
    import pandas as pd

Unjudged = Literal["zero", "drop", "bounds"]


class EvaluationOptions(ConventionOptions, total=False):
    """The options of `evaluate`, which functions of files hand on to it."""

    unjudged: Unjudged
    chance: bool


class _FileOptions(EvaluationOptions, total=False):
    columns: ColumnNames | None


class _ListsOptions(_FileOptions, total=False):
    weights: Mapping[int, float] | None


_TIES_MATTER = 0.001  # change of a mean from which ties are mentioned
_FIRST = 1000  # documents of a run, one of which is judged in most
_NAMED = 3  # topics that a message names
_DEPTH = 10  # documents of which the share that is judged is always found
_ENOUGH_JUDGED = 0.9  # a smaller share is said


@dataclass(frozen=True, repr=False)
class Evaluation(Report):
    """NDCG of a run, by query and measure.

    Attributes
    ----------
    queries : tuple of str
    measures : tuple of Measure
    values : (queries, measures)
    name : str
        The name of the run.
    judged : int
        The number of topics with judgements.
    missing : tuple of str
        The judged topics that are not in the run.
    unjudged : tuple of str
        The topics of the run without judgements; they are not evaluated.
    empty : tuple of str
        Topics without a relevant document.
    conventions : Conventions
        What the values were computed with beside the measures.
    judged_share : mapping of k to (queries,)
        The share of the first k documents that is judged. Only a run with judgements has it.
    bounds : pair of (queries, measures), optional
        The least and the greatest value that unjudged documents allow, with ``unjudged="bounds"``.
    chance : pair of (queries, measures), optional
        Mean and standard deviation of the values of a random order of the retrieved documents.
    averaged : (measures,), optional
        The means with ties averaged, where ties were broken by name.
    own : tuple of str
        The topics whose first document has the name of the topic.
    """

    queries: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: Floats
    name: str = ""
    judged: int = 0
    missing: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()
    conventions: Conventions = Conventions()
    judged_share: Mapping[int, Floats] = field(default_factory=dict)
    bounds: tuple[Floats, Floats] | None = None
    chance: tuple[Floats, Floats] | None = None
    averaged: Floats | None = None
    own: tuple[str, ...] = ()

    @property
    def mean(self) -> Floats:
        """The mean over the queries for each measure, without those that are NaN."""
        return _mean(self.values)

    @property
    def adjusted(self) -> Floats | None:
        """(value - chance) / (1 - chance), (queries, measures): 0 at random in the mean, 1 at best."""
        return None if self.chance is None else adjusted(self.values, self.chance[0])

    @property
    def columns(self) -> dict[str, Floats]:
        """The values of the queries, and everything that was computed with them, by heading."""
        found: dict[str, Floats] = {}
        low, high = self.bounds or (None, None)
        chance, _ = self.chance or (None, None)
        further = {"lowest": low, "highest": high, "chance": chance, "adjusted": self.adjusted}
        for i, measure in enumerate(self.measures):
            found[str(measure)] = self.values[:, i]
            found |= {f"{measure} {name}": of[:, i] for name, of in further.items() if of is not None}
        return found | {f"judged@{k}": share for k, share in self.judged_share.items()}

    @property
    def counted(self) -> int:
        """The number of queries in the mean."""
        return int(np.isfinite(self.values).all(axis=1).sum())

    def as_dict(self) -> dict[str, object]:
        """Return the mean and the values of each query, by measure, as plain data for JSON."""
        names = [str(measure) for measure in self.measures]
        named = [dict(zip(names, row, strict=True)) for row in [*self.values.tolist(), self.mean.tolist()]]
        return {
            "run": self.name,
            "topics": self.counted,
            "judged": self.judged,
            "mean": named[-1],
            "queries": dict(zip(self.queries, named, strict=False)),
            "missing": list(self.missing),
            "unjudged": list(self.unjudged),
            "empty": list(self.empty),
            **self._further(names),
            "conventions": asdict(self.conventions) | {"gain": gain_text(self.conventions.gain)},
        }

    def _further(self, names: Sequence[str]) -> dict[str, object]:
        """Return the shares that are judged, bounds and chance, as plain data."""
        found: dict[str, object] = {
            "judged_share": {str(k): _or_none(_mean(share)) for k, share in self.judged_share.items()}
        }
        if self.bounds:
            means = [dict(zip(names, _mean(of).tolist(), strict=True)) for of in self.bounds]
            found["bounds"] = dict(zip(("lowest", "highest"), means, strict=True))
        if self.chance and self.adjusted is not None:
            chance, std = self.chance
            counts = np.maximum(np.isfinite(std).sum(axis=0), 1)
            of_mean = np.sqrt(np.nansum(std**2, axis=0)) / counts  # random orders of queries are independent
            columns = {"mean": _mean(chance), "std": of_mean, "adjusted": _mean(self.adjusted)}
            found["chance"] = {
                name: dict(zip(names, of.tolist(), strict=True)) for name, of in columns.items()
            }
        return found

    def to_dataframe(self) -> pd.DataFrame:
        """Return a row per query."""
        return Evaluations((self,)).to_dataframe()

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield the table of means and the remarks."""
        yield from Evaluations((self,)).blocks()

    def remarks(self) -> Iterator[str]:
        """Yield a line for each kind of topic that affects the means."""
        if self.missing:
            count = f"{len(self.missing)} of {self.judged} judged topics {_are(self.missing)} not in the run"
            taken = {*self.missing} & {*self.queries}
            counted = "counted as 0" if taken else "not counted; -c counts them as 0"
            yield f"{count} ({_first(self.missing)}): {counted}"
        if self.unjudged:
            yield self.without_judgements("the run")
        if self.empty:
            count = f"{_topics(self.empty)} {_have(self.empty)} no relevant document"
            counted = "not counted" if self.conventions.empty in ("nan", "skip") else "counted as "
            value = {"zero": "0", "one": "1"}.get(self.conventions.empty, "")
            yield f"{count} ({_first(self.empty)}): {counted}{value}"
        if said := self.of_ties:
            yield said
        if self.own:
            itself = "the topic itself" if len(self.own) == 1 else "themselves"
            count = f"{_topics(self.own)} {_have(self.own)} {itself} as the first document"
            yield f"{count} ({_first(self.own)}): BEIR leaves out a document that is the query"
        if said := self.few_judged:
            advice = "" if self.bounds else " (--unjudged bounds says what that may hide)"
            yield f"{said}; the others count as not relevant{advice}"

    def without_judgements(self, run: str) -> str:
        """Return a line about the topics without judgements; ``run`` is what the run is called in it."""
        count = f"{_topics(self.unjudged)} of {run} {_have(self.unjudged)} no judgements"
        return f"{count} ({_first(self.unjudged)}): not counted"

    @property
    def of_ties(self) -> str:
        """A line if averaging ties changes a mean by more than 0.001, else the empty text."""
        if self.averaged is None:
            return ""
        changes = np.nan_to_num(np.abs(self.averaged - self.mean))
        most = int(np.argmax(changes))
        if changes[most] <= _TIES_MATTER:
            return ""
        return (
            f"repeated scores: the mean {self.measures[most]} is {self.averaged[most]:.4f} instead of "
            f"{self.mean[most]:.4f} if ties are averaged (evaluate --ties average) and not ordered by name"
        )

    @property
    def few_judged(self) -> str:
        """A line if fewer than 90% of the first ten documents are judged, else the empty text."""
        share = float(_mean(self.judged_share.get(_DEPTH, np.zeros(0))))
        return (
            f"only {share:.0%} of the first {_DEPTH} documents are judged" if share < _ENOUGH_JUDGED else ""
        )


@dataclass(frozen=True, repr=False)
class Evaluations(Report, Mapping[str, Evaluation]):
    """The evaluations of several runs, by name."""

    runs: tuple[Evaluation, ...]

    def __getitem__(self, name: str) -> Evaluation:
        for run in self.runs:
            if run.name == name:
                return run
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (run.name for run in self.runs)

    def __len__(self) -> int:
        return len(self.runs)

    def as_dict(self) -> dict[str, object]:
        """Return the runs, by name, as plain data for JSON."""
        return {"runs": {run.name: run.as_dict() for run in self.runs}}

    def to_dataframe(self) -> pd.DataFrame:
        """Return a row per run and query."""
        return self.by_query().to_dataframe()

    def by_query(self) -> Table:
        """Return a table with a row per run and query."""
        columns = (Column("run"), Column("query"), *self._numbers())
        rows = tuple(
            (run.name, query, *values)
            for run in self.runs
            for query, *values in zip(
                run.queries, *(column.tolist() for column in run.columns.values()), strict=True
            )
        )
        return Table("", columns, rows)

    def _numbers(self) -> tuple[Column, ...]:
        return tuple(Column(name, fixed(4)) for name in self.runs[0].columns)

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield a table with the means of each run, to four decimals as in trec_eval, and the remarks."""
        numbers = self._numbers()
        if len(measures := self.runs[0].measures) == 1:  # "chance" in place of "nDCG(log) chance"
            numbers = tuple(replace(c, name=c.name.removeprefix(f"{measures[0]} ")) for c in numbers)
        columns = (Column("mean"), Column("topics", general("d")), *numbers)
        rows = tuple(
            (run.name or "run", run.counted, *(float(_mean(column)) for column in run.columns.values()))
            for run in self.runs
        )
        yield Table("", columns, rows)
        for name, meaning in _MEANINGS.items():
            if any(column.endswith(name) for column in self.runs[0].columns):
                yield Line(meaning)
        for run in self.runs:
            for remark in run.remarks():
                yield Line(f"{run.name}: {remark}." if run.name else f"{remark}.")


_MEANINGS = {
    " lowest": "Lowest and highest: the least and the greatest NDCG that the queries could have, whatever "
    "the labels of the unjudged documents of the run are, at any rank.",
    " chance": "Chance: the mean of a random order. Adjusted: (NDCG - chance) / (1 - chance), 0 for a random "
    "order and 1 for the ideal one.",
}


def _mean(values: Floats) -> Floats:
    """Return the mean over the queries without NaN; NaN if there is none."""
    counts = np.isfinite(values).sum(axis=0)
    none = np.full(np.shape(counts), np.nan)
    return np.asarray(np.divide(np.nansum(values, axis=0), counts, out=none, where=counts > 0))


def _or_none(value: Floats) -> float | None:
    return float(value) if np.isfinite(value) else None


def _topics(topics: Sequence[str]) -> str:
    return "1 topic" if len(topics) == 1 else f"{len(topics)} topics"


def _have(topics: Sequence[str]) -> str:
    return "has" if len(topics) == 1 else "have"


def _are(topics: Sequence[str]) -> str:
    return "is" if len(topics) == 1 else "are"


def _first(topics: Sequence[str]) -> str:
    return ", ".join(topics[:_NAMED]) + (", …" if len(topics) > _NAMED else "")


def evaluate(
    run: object,
    qrels: object,
    measures: Measures,
    *,
    like: str | None = None,
    gain: Gain | None = None,
    ties: Ties | None = None,
    ideal: Ideal | None = None,
    empty: Empty | None = None,
    missing: Missing | None = None,
    unjudged: Unjudged = "zero",
    chance: bool = False,
    name: str = "",
) -> Evaluation:
    """Return NDCG of a run, query by query, by default with the conventions of trec_eval.

    A document without a judgement has the gain 0. In a cutoff such as 0.2n, n is the number of retrieved
    documents.

    Parameters
    ----------
    run, qrels : dictionary, DataFrame or iterable of records
        ``{query: {document: score}}`` and ``{query: {document: label}}``; a DataFrame with the columns
        query, document, and score or label (or query_id, qid; doc_id, docno; relevance, rel); or records
        with such attributes, as in ir_datasets.
    measures : Measure, text, or several
    like : str, optional
        The program whose conventions are the defaults: "trec_eval" (which is the default), "ir_measures",
        "gdeval", "sklearn", "lightgbm", "xgboost", "catboost", "letor", "lenskit", or "jarvelin" for
        the paper of Järvelin and Kekäläinen. Where it has another discount than ``log``, that takes the place
        of ``log`` in the measures.
    gain : {"linear", "exp2"}, text or mapping
        The gain of a label y: y, 2^y - 1, or that of a table such as "1=1, 2=3" or ``{1: 1, 2: 3}``. A
        negative label that is not in a table has the gain 0; a warning counts them.
    ties : {"trec", "average", "file", "worst"}
        "trec": scores are compared in single precision, and documents of equal score are ordered by
        decreasing name, as in trec_eval up to version 9, pytrec_eval and ir_measures. Otherwise scores are
        compared in double precision. "average": NDCG is the mean over the orders of tied documents, as in
        scikit-learn. "file": tied documents keep their order. "worst": those of smaller gain come first.
    ideal : {"judged", "retrieved"}
        Whether the ideal list is made of all judged documents of the query, or of the retrieved ones.
    empty : {"zero", "one", "nan", "skip"}
        A query without relevant documents has NDCG 0 or 1, has NaN, which the mean leaves out, or is left
        out.
    missing : {"skip", "zero"}
        Whether judged queries that are not in the run are left out or have NDCG 0 (``-c`` of trec_eval).
    unjudged : {"zero", "drop", "bounds"}
        A document without a judgement has the gain 0, or is removed from the run. "bounds" also finds the
        least and the greatest NDCG of each query if each such document of the run may have any of the gains
        in the judgements (`lists.unjudged`).
    chance : bool
        Whether to find the mean and standard deviation of NDCG of a random order (`lists.chance`). Negative
        labels are then refused, unless a table of gains names them.
    name : str
        The name of the run.

    Raises
    ------
    InputError
        If no query is in both, a number is not finite, or a document occurs twice for a query.

    >>> run = {"q": {"a": 2.0, "b": 1.0}}
    >>> evaluate(run, {"q": {"b": 1.0, "c": 1.0}}, "nDCG").mean.round(4)
    array([0.3869])
    """
    chosen = Conventions.of(like, gain=gain, ties=ties, ideal=ideal, empty=empty, missing=missing)
    found = chosen.measures(measures_of(measures))
    require_choice(unjudged, get_args(Unjudged), "unjudged")
    scores = Records.of(run, "score")
    labels = without_negatives(Records.of(qrels, "label"), chosen.gain, refuse="chance" if chance else "")
    if unjudged == "drop":
        scores = scores.only(labels.find(scores) >= 0)
    elif unjudged == "bounds" and chosen.ties == "worst":
        raise InputError("bounds need ties that do not depend on labels, unlike 'worst'", "unjudged")
    if chance or unjudged == "bounds":
        unnormalised = [str(measure) for measure in found if not measure.normalised]
        got = f"for NDCG, such as nDCG@10, got {', '.join(unnormalised)}"
        require(
            not unnormalised,
            f"is {got}" if chance else f"bounds are {got}; zero and drop are for DCG as well",
            "chance" if chance else "unjudged",
        )
    common = sorted({*scores.queries} & {*labels.queries})
    if not common:
        raise InputError(
            f"the run and the qrels have no query in common; the run has {_listed(scores.queries)}, "
            f"the qrels {_listed(labels.queries)}"
        )
    if unjudged != "bounds":  # bounds are about what is not judged
        require_judged(scores, labels)
    absent = tuple(sorted({*labels.queries} - {*scores.queries}))
    topics = sorted([*common, *absent]) if chosen.missing == "zero" else common
    gains = gains_of(labels, chosen.gain)
    there = relevant_ranks(scores, gains, topics, chosen.ties, chosen.ideal)
    irrelevant = there.relevant == 0
    short = np.column_stack([_too_short(there.sizes, measure, chosen) for measure in found])
    one = [float(measure.normalised) for measure in found]  # DCG of an empty query is 0
    of_empty = np.array({"one": one, "nan": np.nan}.get(chosen.empty, 0.0))

    def settled(values: Sequence[Floats]) -> Floats:
        by_measure = np.where(short, 0.0, np.column_stack(values))
        return np.where(irrelevant[:, None], of_empty, by_measure)

    values = settled([ndcg(there, measure) for measure in found])
    level = there.averaged()
    bounds = moments = None
    if unjudged == "bounds":
        ranks, _ = unjudged_ranks(scores, labels, topics, chosen.ties)
        grades = np.unique(gains.values[gains.values > 0]).tolist()
        both = [ndcg_bounds(there, ranks, grades, m, v) for m, v in zip(found, values.T, strict=True)]
        low, high = (np.where(short, 0.0, np.column_stack(of)) for of in zip(*both, strict=True))
        bounds = low, high
    if chance:
        mean, std = zip(*(random_order(there, measure) for measure in found), strict=True)
        moments = settled(mean), np.where(short, 0.0, np.column_stack(std))
    kept = ~irrelevant if chosen.empty == "skip" else np.ones(len(topics), bool)
    return Evaluation(
        tuple(topic for topic, keep in zip(topics, kept, strict=True) if keep),
        found,
        values[kept],
        name,
        len(labels.queries),
        absent,
        tuple(sorted({*scores.queries} - {*labels.queries})),
        tuple(topic for topic, bare in zip(topics, irrelevant, strict=True) if bare),
        chosen,
        {k: of[kept] for k, of in _judged_shares(scores, labels, topics, chosen.ties, found).items()},
        bounds and (bounds[0][kept], bounds[1][kept]),
        moments and (moments[0][kept], moments[1][kept]),
        None if level is None else _mean(settled([ndcg(level, measure) for measure in found])[kept]),
        _own(scores, topics),
    )


def _own(scores: Records, topics: Sequence[str]) -> tuple[str, ...]:
    """Return the topics whose first document has the name of the topic."""
    names = Names(list(scores.queries))
    mine = np.flatnonzero(scores.names.find(names)[scores.row] == scores.document)
    if not mine.size:
        return ()
    best = np.full(len(scores.queries), -np.inf)
    np.maximum.at(best, scores.row, scores.values)
    mine = mine[scores.values[mine] >= best[scores.row[mine]]]
    return tuple(sorted({scores.queries[row] for row in scores.row[mine].tolist()} & {*topics}))


def require_judged(scores: Records, labels: Records) -> None:
    """Refuse a run none of whose documents has a judgement: its names are of another collection.

    Raises
    ------
    InputError
        That shows a document of each.
    """
    # most runs have a judged document among the first
    for part in (np.arange(min(len(scores), _FIRST)), np.arange(len(scores))):
        if (labels.find(scores.only(part)) >= 0).any():
            return
    (query, *_) = sorted({*scores.queries} & {*labels.queries})
    shown = [
        records.names.texts(records.document[records.row == records.queries.index(query)][:1])[0]
        for records in (scores, labels)
    ]
    raise InputError(
        f"no document of the run is judged: for topic {query} the run has {brief(shown[0])}, the judgements "
        f"have {brief(shown[1])}; are they of the same collection?"
    )


def _judged_shares(
    scores: Records, labels: Records, topics: Sequence[str], ties: Ties, measures: Sequence[Measure]
) -> dict[int, Floats]:
    """Return the share of judged documents in the first k of each topic, for the cutoffs k and for 10."""
    depths = sorted({m.cutoff.k for m in measures if isinstance(m.cutoff, FixedRank)} | {_DEPTH})
    ranks, sizes = unjudged_ranks(scores, labels, topics, ties, depths[-1])
    return dict(zip(depths, judged_shares(ranks, sizes, depths).T, strict=True))


def _too_short(sizes: Integers, measure: Measure, conventions: Conventions) -> Bools:
    """Return which lists have the value 0 because they have fewer than k documents."""
    applies = conventions.short_lists_are_zero and isinstance(measure.cutoff, FixedRank)
    return sizes < (measure.cutoff.exact(0) if applies else 0)


def without_negatives(labels: Records, gain: Gain = "linear", *, refuse: str = "") -> Records:
    """Return labels with 0 in place of negative ones; a warning says how many the gain does not name.

    Parameters
    ----------
    labels : Records
    gain : Gain
    refuse : str
        The argument that does not allow negative labels without a gain, if there is one.

    Raises
    ------
    InputError
        In place of a warning, about that argument.
    """
    if not (labels.values < 0).any():
        return labels
    if negative := unnamed_negatives(labels, gain):
        where = f"{labels.source}: " if labels.source else ""
        if refuse:
            table = f"a table such as --gain '{labels.values.min():g}=0, 0=0, 1=1' says that they count as 0"
            said = "1 negative label has" if negative == 1 else f"{negative:,} negative labels have"
            raise InputError(f"{where}{said} no gain; {table}", refuse)
        counted = "1 negative label counts" if negative == 1 else f"{negative:,} negative labels count"
        warnings.warn(f"{where}{counted} as 0", InputWarning, stacklevel=3)
    return replace(labels, values=np.maximum(labels.values, 0.0))


def unnamed_negatives(labels: Records, gain: Gain) -> int:
    """Return the number of negative labels that a table of gains does not name."""
    negative = labels.values[labels.values < 0]
    return int(np.count_nonzero(~np.isin(negative, negative_labels_in(gain))))


def gains_of(labels: Records, gain: Gain) -> Records:
    """Return the gains of labels as records."""
    return labels.with_values(label_gains(labels.values, gain))


@overload
def evaluate_files(  # type: ignore[overload-overlap] # a str is a sequence too
    run: Path | str, qrels: Path | str, measures: Measures, **options: Unpack[_FileOptions]
) -> Evaluation: ...
@overload
def evaluate_files(
    run: Sequence[Path | str], qrels: Path | str, measures: Measures, **options: Unpack[_FileOptions]
) -> Evaluations: ...
def evaluate_files(
    run: Path | str | Sequence[Path | str],
    qrels: Path | str,
    measures: Measures,
    *,
    columns: ColumnNames | None = None,
    **options: Unpack[EvaluationOptions],
) -> Evaluation | Evaluations:
    """Evaluate the runs in one or several files; see `evaluate`.

    Parameters
    ----------
    run : path or paths
        TREC runs, or CSV and Parquet files with the columns query, document, score; text may be
        compressed by gzip or zstd.
    qrels : path
        TREC judgements, or a table with the columns query, document, label.
    measures : Measure, text, or several
    columns : mapping, optional
        The names of the columns in tables: ``{"query": "qid"}``.
    **options
        As in `evaluate`.

    Raises
    ------
    InputError
        As `evaluate`, and for an invalid line, with the file and its number.
    """
    paths = paths_of(run, "run")
    require(len(paths) > 0, "must name at least one file", "run")
    measures = measures_of(measures)  # before the files are read, which may take long
    runs = (read(path, "score", columns) for path in paths)  # one at a time, to save memory
    gain = Conventions.of(options.get("like"), gain=options.get("gain")).gain
    refuse = "chance" if options.get("chance") else ""
    scores, labels = next(runs), without_negatives(read(qrels, "label", columns), gain, refuse=refuse)
    found = []
    for path, name in zip(paths, run_names(paths), strict=True):
        with naming(f"{path}, {qrels}"):
            found.append(evaluate(scores, labels, measures, name=name, **options))
        scores = next(runs, scores)
    return found[0] if isinstance(run, str | Path) else Evaluations(tuple(found))


@overload
def evaluate_lists(  # type: ignore[overload-overlap] # a str is a sequence too
    path: Path | str, measures: Measures, **options: Unpack[_ListsOptions]
) -> Evaluation: ...
@overload
def evaluate_lists(
    path: Sequence[Path | str], measures: Measures, **options: Unpack[_ListsOptions]
) -> Evaluations: ...
def evaluate_lists(
    path: Path | str | Sequence[Path | str],
    measures: Measures,
    *,
    columns: ColumnNames | None = None,
    weights: Mapping[int, float] | None = None,
    **options: Unpack[EvaluationOptions],
) -> Evaluation | Evaluations:
    """Evaluate a file whose every row has a score and a label; see `evaluate`.

    Several files, such as the folds of a collection, have an evaluation each; that of all their queries is
    called "all files". Ties are averaged unless ``ties`` or ``like`` says otherwise.

    Parameters
    ----------
    path : path, or several
        A CSV or Parquet file with the columns query, score, label (and document), or SVMlight.
    measures : Measure, text, or several
    columns : mapping, optional
        The names of the columns in a table.
    weights : mapping of feature to weight, optional
        The score of a line of an SVMlight file is the weighted sum of its features.
    **options
        As in `evaluate`.

    Raises
    ------
    InputError
        As `evaluate_files`, for a file that is given twice, and for negative labels without a gain: in files
        with labels and scores they are no sign of documents that were not judged, as they are in judgements.
    """
    paths = paths_of(path, "path")
    parsed, files = measures_of(measures), named_paths(paths)
    gain = Conventions.of(options.get("like"), gain=options.get("gain")).gain
    chosen: EvaluationOptions = options if options.get("like") else {"ties": "average", **options}
    found = []
    for name, file in files.items():
        scores, labels = read_lists(file, columns, weights)
        labels = without_negatives(labels, gain, refuse="lists")
        with naming(str(file)):
            one = evaluate(scores, labels, parsed, name=name, **chosen)
        found.append(replace(one, judged_share={}))  # every row has a label
    if isinstance(path, str | os.PathLike):
        return found[0]
    return Evaluations((*found, _together(found)) if len(found) > 1 else tuple(found))


def _together(parts: Sequence[Evaluation]) -> Evaluation:
    """Return the evaluation of the queries of several files; repeated names begin with the file's."""

    def named(topics: Callable[[Evaluation], Sequence[str]]) -> tuple[str, ...]:
        return tuple(f"{part.name}: {q}" if repeated else q for part in parts for q in topics(part))

    def stacked(pairs: Sequence[tuple[Floats, Floats] | None]) -> tuple[Floats, Floats] | None:
        there = [pair for pair in pairs if pair is not None]
        return (
            (np.concatenate([a for a, _ in there]), np.concatenate([b for _, b in there])) if there else None
        )

    every = [query for part in parts for query in part.queries]
    repeated = len(set(every)) < len(every)
    return replace(
        parts[0],
        name="all files",
        queries=named(lambda part: part.queries),
        empty=named(lambda part: part.empty),
        values=np.concatenate([part.values for part in parts]),
        judged=sum(part.judged for part in parts),
        bounds=stacked([part.bounds for part in parts]),
        chance=stacked([part.chance for part in parts]),
    )


def read_runs(paths: Sequence[Path], columns: ColumnNames | None = None) -> dict[str, Records]:
    """Return the runs in files by name (`run_names`).

    Raises
    ------
    InputError
        As `named_paths`, and for an invalid line, with the file and its number.
    """
    return {name: read(path, "score", columns) for name, path in named_paths(paths).items()}


def named_paths(paths: Sequence[Path]) -> dict[str, Path]:
    """Return files by the names of their runs (`run_names`).

    Raises
    ------
    InputError
        If a file is given twice.
    """
    names = run_names(paths)
    require(len(set(names)) == len(names), f"a file is given twice: {', '.join(map(str, paths))}")
    return dict(zip(names, paths, strict=True))


def run_names(paths: Sequence[Path]) -> list[str]:
    """Return the names of runs: the names of their files without endings, or their paths if names repeat."""
    stems = [stem(path) for path in paths]
    return stems if len(set(stems)) == len(stems) else [str(path) for path in paths]


def stem(path: Path) -> str:
    """Return the name of a file without .gz or .zst, and without the ending before it."""
    return Path(path.name.removesuffix(".gz").removesuffix(".zst")).stem


def _listed(queries: Iterable[str]) -> str:
    first = sorted(queries)
    return ", ".join(first[:_NAMED]) + (f", … ({len(first)})" if len(first) > _NAMED else "")
