"""NDCG of runs against relevance judgements, as trec_eval defines it, for every measure."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import InputError, InputWarning, naming, require
from ndcg_asymptotics.core.tables import Column, Line, Report, ReportBlock, Table, fixed, general
from ndcg_asymptotics.lists.conventions import Conventions, Empty, Missing
from ndcg_asymptotics.lists.ranking import Ideal, Ties, ndcg, relevant_ranks
from ndcg_asymptotics.lists.reading import ColumnNames, read, read_lists
from ndcg_asymptotics.lists.records import Records
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.cutoffs import FixedRank
from ndcg_asymptotics.measures.gains import Gain, gain_text, label_gains, negative_labels_in

if TYPE_CHECKING:
    import pandas as pd

Measures = Sequence[Measure | str] | Measure | str

_NAMED = 3  # topics that a message names


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

    @property
    def mean(self) -> Floats:
        """The mean over the queries for each measure, without those that are NaN."""
        counts = np.isfinite(self.values).sum(axis=0)
        sums, none = np.nansum(self.values, axis=0), np.full(counts.shape, np.nan)
        return np.asarray(np.divide(sums, counts, out=none, where=counts > 0))

    @property
    def counted(self) -> int:
        """The number of queries in the mean."""
        return int(np.isfinite(self.values).all(axis=1).sum())

    def as_dict(self) -> dict[str, Any]:
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
            "conventions": asdict(self.conventions) | {"gain": gain_text(self.conventions.gain)},
        }

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
            count = f"{_topics(self.unjudged)} of the run {_have(self.unjudged)} no judgements"
            yield f"{count} ({_first(self.unjudged)}): not counted"
        if self.empty:
            count = f"{_topics(self.empty)} {_have(self.empty)} no relevant document"
            counted = "not counted" if self.conventions.empty in ("nan", "skip") else "counted as "
            value = {"zero": "0", "one": "1"}.get(self.conventions.empty, "")
            yield f"{count} ({_first(self.empty)}): {counted}{value}"


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

    def as_dict(self) -> dict[str, Any]:
        """Return the runs, by name, as plain data for JSON."""
        return {"runs": {run.name: run.as_dict() for run in self.runs}}

    def to_dataframe(self) -> pd.DataFrame:
        """Return a row per run and query."""
        return self.by_query().to_dataframe()

    def by_query(self) -> Table:
        """Return a table with a row per run and query."""
        columns = (Column("run"), Column("query"), *self._measures())
        rows = tuple(
            (run.name, query, *values)
            for run in self.runs
            for query, values in zip(run.queries, run.values.tolist(), strict=True)
        )
        return Table("", columns, rows)

    def _measures(self) -> tuple[Column, ...]:
        return tuple(Column(str(measure), fixed(4)) for measure in self.runs[0].measures)

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield a table with the means of each run, to four decimals as in trec_eval, and the remarks."""
        columns = (Column("mean"), Column("topics", general("d")), *self._measures())
        rows = tuple((run.name or "run", run.counted, *run.mean.tolist()) for run in self.runs)
        yield Table("", columns, rows)
        for run in self.runs:
            for remark in run.remarks():
                yield Line(f"{run.name}: {remark}." if run.name else f"{remark}.")


def _topics(topics: Sequence[str]) -> str:
    return "1 topic" if len(topics) == 1 else f"{len(topics)} topics"


def _have(topics: Sequence[str]) -> str:
    return "has" if len(topics) == 1 else "have"


def _are(topics: Sequence[str]) -> str:
    return "is" if len(topics) == 1 else "are"


def _first(topics: Sequence[str]) -> str:
    return ", ".join(topics[:_NAMED]) + (", …" if len(topics) > _NAMED else "")


def evaluate(
    run: Any,
    qrels: Any,
    measures: Measures,
    *,
    like: str | None = None,
    gain: Gain | None = None,
    ties: Ties | None = None,
    ideal: Ideal | None = None,
    empty: Empty | None = None,
    missing: Missing | None = None,
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
    scores, labels = Records.of(run, "score"), without_negatives(Records.of(qrels, "label"), chosen.gain)
    common = sorted({*scores.queries} & {*labels.queries})
    if not common:
        raise InputError(
            f"the run and the qrels have no query in common; the run has {_listed(scores.queries)}, "
            f"the qrels {_listed(labels.queries)}"
        )
    absent = tuple(sorted({*labels.queries} - {*scores.queries}))
    topics = sorted([*common, *absent]) if chosen.missing == "zero" else common
    there = relevant_ranks(scores, gains_of(labels, chosen.gain), topics, chosen.ties, chosen.ideal)
    values = np.column_stack([ndcg(there, measure) for measure in found])
    if chosen.short_lists_are_zero:
        for measure, column in zip(found, values.T, strict=True):
            if isinstance(measure.cutoff, FixedRank):
                column[there.sizes < measure.cutoff.k] = 0.0
    irrelevant = there.relevant == 0
    if chosen.empty in ("one", "nan"):
        values[irrelevant] = 1.0 if chosen.empty == "one" else np.nan
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
    )


def measures_of(measures: Measures) -> tuple[Measure, ...]:
    """Return the measures of a measure, a text, or several of them.

    Raises
    ------
    InputError
        If there is none, or a text is not a measure.
    """
    wanted = [measures] if isinstance(measures, str | Measure) else measures
    found = tuple(Measure.of(measure) for measure in wanted)
    require(len(found) > 0, "must hold at least one measure", "measures")
    return found


def without_negatives(labels: Records, gain: Gain = "linear") -> Records:
    """Return labels with 0 in place of negative ones; a warning says how many the gain does not name."""
    if not (labels.values < 0).any():
        return labels
    if negative := unnamed_negatives(labels, gain):
        where = f"{labels.source}: " if labels.source else ""
        counted = "1 negative label counts" if negative == 1 else f"{negative} negative labels count"
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
def evaluate_files(run: Path | str, qrels: Path | str, measures: Measures, **options: Any) -> Evaluation: ...
@overload
def evaluate_files(
    run: Sequence[Path | str], qrels: Path | str, measures: Measures, **options: Any
) -> Evaluations: ...
def evaluate_files(
    run: Path | str | Sequence[Path | str],
    qrels: Path | str,
    measures: Measures,
    *,
    columns: ColumnNames | None = None,
    **options: Any,
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
    paths = [Path(run)] if isinstance(run, str | Path) else [Path(one) for one in run]
    require(len(paths) > 0, "must name at least one file", "run")
    measures = measures_of(measures)  # before the files are read, which may take long
    runs = (read(path, "score", columns) for path in paths)  # one at a time, to save memory
    gain = Conventions.of(options.get("like"), gain=options.get("gain")).gain
    scores, labels = next(runs), without_negatives(read(qrels, "label", columns), gain)
    found = []
    for path, name in zip(paths, run_names(paths), strict=True):
        found.append(_evaluate_named(scores, labels, measures, f"{path}, {qrels}", name, options))
        scores = next(runs, scores)
    return found[0] if isinstance(run, str | Path) else Evaluations(tuple(found))


def evaluate_lists(
    path: Path | str,
    measures: Measures,
    *,
    columns: ColumnNames | None = None,
    weights: Mapping[int, float] | None = None,
    **options: Any,
) -> Evaluation:
    """Evaluate a file whose every row has a score and a label; see `evaluate`.

    Ties are averaged unless ``ties`` or ``like`` says otherwise.

    Parameters
    ----------
    path : path
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
        As `evaluate_files`.
    """
    path, measures = Path(path), measures_of(measures)
    scores, labels = read_lists(path, columns, weights)
    chosen = options if options.get("like") else {"ties": "average"} | options
    return _evaluate_named(scores, labels, measures, str(path), run_names([path])[0], chosen)


def _evaluate_named(
    scores: Records, labels: Records, measures: Measures, where: str, name: str, options: Mapping[str, Any]
) -> Evaluation:
    with naming(where):
        return evaluate(scores, labels, measures, name=name, **options)


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
