"""Read the values of runs, query by query, as programs that evaluate write them.

Every form becomes tables and dictionaries, whose values are collected by run, measure and query.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, get_args

import numpy as np

from ndcg_asymptotics.core.arrays import as_texts, brief, require_choice
from ndcg_asymptotics.core.errors import InputError, naming, require, require_utf8
from ndcg_asymptotics.core.files import named_paths
from ndcg_asymptotics.lists.conventions import Missing
from ndcg_asymptotics.lists.evaluation import query_mean
from ndcg_asymptotics.lists.reading.load import ColumnNames, is_parquet
from ndcg_asymptotics.lists.reading.nested import parse_json
from ndcg_asymptotics.lists.reading.tables import delimiter_of, read_parquet
from ndcg_asymptotics.lists.reading.text import read_text
from ndcg_asymptotics.lists.records import COLUMNS, as_table, column_names, column_of
from ndcg_asymptotics.lists.values import RunValues, few, require_names, unlike_units, without_missing

if TYPE_CHECKING:
    import pandas as pd

_QUERY = ("id", "question", "user_input", "input", "Unnamed: 0")
"""Further columns with the names of queries; the last is an index of pandas."""
_REPEATS = ("seed", "fold", "split", "trial", "repeat", "repetition", "epoch")
"""Columns of numbers that tell several values of a run for a query apart."""
_NO_MEASURE = re.compile(rf"{'|'.join((*COLUMNS['query'], *_QUERY, *_REPEATS))}|judged@\d+")
"""Columns of numbers that are no measures unless they are named: also what `evaluate` adds."""
_SUMMARIES = ("all", "amean")
"""Names that trec_eval, ir_measures and gdeval give to the means over the queries."""
_MEAN_TOLERANCE = 1e-3
_TRANSPOSED = re.compile(
    r"(hits|hit_rate|precision|recall|f1|r-precision|mrr|map|n?dcg(_burges)?|bpref|rbp)([@.-].*)?"
)
"""Measures of ranx, whose ``run.scores`` have the measure first and then the query."""
_LARGEST = 1e100
_TRUTH = {"true": 1.0, "false": 0.0}
_UNNAMED = "value"
_BY_QUERY = "{query: {measure: value}}"
_FORMS = f"a table with a column query, or JSON such as {_BY_QUERY}"
_A_RUN = "a run is compared without --values, by the judgements of --qrels"
_REPORT = "a report of ranx, which has means only: give the scores of its runs"
_AVERAGE = "table.groupby(['query', 'run']).mean()"
_IN_PYTHON = 'files, a frame, a dictionary by run such as {"new": …, "old": …}, or evaluated runs of ranx'


class ValueOptions(TypedDict, total=False):
    """The options of `read_values`, which comparisons and plans of values hand on to it."""

    runs: object
    measures: object
    lower_is_better: str | Collection[str]
    missing: Missing | None
    columns: ColumnNames | None


def read_values(
    given: object,
    *,
    runs: object = None,
    measures: object = None,
    lower_is_better: str | Collection[str] = (),
    missing: Missing | None = None,
    columns: ColumnNames | None = None,
) -> RunValues:
    """Return the values of several runs by any measures, from files or from Python.

    Parameters
    ----------
    given : path, several paths, frame, mapping, or RunValues
        A file is CSV, TSV, Parquet or JSON. A table has a column query and either the columns measure and
        value (and run), or a column for each measure (and a column run), or, in a single file without a
        column run, a column for each run. A file without runs is one run, with the name of the file. The
        output of ``ir_measures -q`` and ``trec_eval -q`` is read as well. JSON is
        {query: {measure: value}}, as pytrec_eval returns it, the same by run, in a single file also
        {run: {query: value}}, or a table: a list of rows, or columns by name.
        In Python, a frame of pandas or polars is such a table, and a mapping has the values of each run:
        {query: value}, {query: {measure: value}}, a frame, an array with a number for each query in one
        order, the results of ``ir_measures.iter_calc`` or ``calc``, what `evaluate` returns, or an evaluated
        run of ranx. Several runs of ranx may be a list.
    runs, measures : str or several
        Those that count, in this order; by default all, in the order of the input. In a table with a column
        for each run a single measure is a name for its values.
    lower_is_better : name of a measure, or several
    missing : {"drop", "zero", "error"}
        What becomes of a query for which a run has no value, or NaN. By default it is left out.
    columns : mapping, optional
        The names of the columns query, run, measure and value.

    Raises
    ------
    InputError
        For an unknown format, a value that is not a finite number, one that is given twice, runs without a
        query in common, and a run or measure that there is not.

    >>> found = read_values({"a": {"1": 0.5, "2": 0.25}, "b": {"1": 0.75, "2": 0.5, "3": 1.0}})
    >>> found.runs, found.queries, found.measures, found.values[:, :, 0].tolist()
    (('a', 'b'), ('1', '2'), ('value',), [[0.5, 0.25], [0.75, 0.5]])
    >>> found.remarks
    ('Warning: 1 of 3 queries does not count, as not all runs have its values: a lacks 1',)
    """
    missing = "drop" if missing is None else missing
    require_choice(missing, get_args(Missing), "missing")
    single = measures is not None and not isinstance(measures, Iterable)  # an object of ir_measures
    of_runs, of_measures = as_texts(runs, "runs"), as_texts([measures] if single else measures, "measures")
    if not isinstance(given, RunValues):
        collected = _Collected(tuple(of_runs), tuple(of_measures), column_names(columns))
        collected.add(given)
        given = collected.chosen(missing)
    else:
        given = given.only(of_runs, of_measures)
    require_utf8((*given.runs, *given.queries, *given.measures), "a name", "values")
    lower = as_texts(lower_is_better, "lower_is_better")
    require_names("measure", lower, given.measures, "lower_is_better")
    scales = (
        replace(scale, lower_is_better=scale.lower_is_better or name in lower)
        for name, scale in zip(given.measures, given.scales, strict=True)
    )
    return replace(given, scales=tuple(scales))


class _Layout(NamedTuple):
    """The columns of a table: of queries, runs and measures, None where there are none, and of values.

    A column of values has the values of a run (``by_run``), those of a measure, or those of the measures that
    another column names.
    """

    query: str
    run: str | None
    measure: str | None
    values: list[str]
    by_run: bool


@dataclass
class _Collected:
    """Values that were read: of each run, by measure and query, NaN where the source has no number.

    ``runs`` and ``measures`` are those that are wanted; all, if there are none.
    """

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    columns: dict[str, str]
    values: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    repeats: list[str] = field(default_factory=list)

    def add(self, given: Any) -> None:
        """Add what `read_values` takes."""
        if isinstance(given, str | os.PathLike) or _all(given, str, os.PathLike):
            files = named_paths(given, "values")
            for name, path in files.items():
                self._add_file(path, name, alone=len(files) == 1)
        elif hasattr(given, "by_query"):  # evaluations of several runs
            self._add_table(given.by_query.to_dataframe(), None)
        elif (table := as_table(given)) is not None:
            self._add_table(_pandas(table), None)
        elif isinstance(given, Mapping):
            lengths = {}
            for run, of_run in given.items():
                if isinstance(of_run, str | os.PathLike):
                    self._add_file(Path(of_run), str(run), alone=False)
                    continue
                with naming(str(run)):
                    self._add_run(str(run), of_run)
                if _all(of_run, float, int, np.number) or isinstance(of_run, np.ndarray):
                    lengths[str(run)] = len(of_run)
            said = few([f"{length} of {run}" for run, length in lengths.items()])
            alike = len({*lengths.values()}) <= 1
            require(
                alike, f"arrays must have a number for each query, in the same order; got {said}", "values"
            )
        elif isinstance(given, Iterable) and not isinstance(given, str | bytes):
            for place, one in enumerate(given):
                if not _scores_of_ranx(one):
                    raise InputError(f"expected {_IN_PYTHON}, got {brief(one)} in a list", "values")
                self._add_run(str(getattr(one, "name", None) or f"run {place + 1}"), one)
        else:
            require(not hasattr(given, "stat_test"), _REPORT, "values")
            raise InputError(f"expected {_IN_PYTHON}, got {brief(given)}", "values")

    def _add_file(self, path: Path, name: str, *, alone: bool) -> None:
        """Add a file; unless it is the only one, it is a run where it names none."""
        if is_parquet(path):
            found = read_parquet(path)
        else:
            text = read_text(path)
            with naming(str(path)):
                found = _content(text)
        with naming(str(path)):
            if isinstance(found, Mapping):
                for run, of_run in _by_run(found, name, alone=alone).items():
                    self._add_nested(run, of_run)
            else:
                self._add_table(found, None if alone else name, name)

    def _add_run(self, run: str, of_run: Any) -> None:
        import pandas as pd

        if scores := _scores_of_ranx(of_run):
            self._add_nested(run, scores)
        elif hasattr(of_run, "by_query"):  # an evaluation
            self._add_table(of_run.by_query.to_dataframe().drop(columns="run"), run)
        elif hasattr(of_run, "per_query"):  # what ir_measures.calc returns
            self._add_table(pd.DataFrame(of_run.per_query), run)
        elif hasattr(of_run, "index") and hasattr(of_run, "to_dict") and not hasattr(of_run, "columns"):
            self._add_nested(run, of_run.to_dict())  # a Series of pandas, whose index has the queries
        elif isinstance(of_run, Mapping):
            self._add_nested(run, of_run)
        elif (table := as_table(of_run)) is not None:
            self._add_table(_pandas(table), run)
        elif isinstance(of_run, Iterable) and not isinstance(of_run, str | bytes):
            rows = list(of_run)
            if all(np.ndim(row) == 0 for row in rows):  # a number for each query, in the order of all runs
                self._add_nested(run, {str(query): value for query, value in enumerate(rows, 1)})
            else:
                self._add_table(pd.DataFrame(rows), run)
        else:
            raise InputError(f"expected {_FORMS}, got {brief(of_run)}")

    def _add_nested(self, run: str, found: Mapping[Any, Any]) -> None:
        """Add {query: value}, {query: {measure: value}}, or {measure: {query: value}} as ranx has it."""
        require(isinstance(found, Mapping) and bool(found), "holds no values")
        nested = isinstance(next(iter(found.values())), Mapping)
        transposed = nested and _is_transposed(found)
        for outer, inner in found.items():
            require(isinstance(inner, Mapping) == nested, f"{outer}: expected {_FORMS}, got {brief(inner)}")
            for name, value in inner.items() if nested else [(self._unnamed, inner)]:
                query, measure = (name, outer) if transposed else (outer, name)
                self._add_value(run, str(measure), str(query), value, "query {}", query)

    def _add_table(self, table: pd.DataFrame, run: str | None, source: str = "the table") -> None:
        """Add a table, long or wide; without a name of the run its columns are runs if it names none."""
        there = [str(name) for name in table.columns]
        cells = dict(zip(there, (table.iloc[:, i].tolist() for i in range(len(there))), strict=True))
        require(len(cells) == len(there), "a heading of a column occurs twice")
        layout = self._layout(cells, alone=run is None)
        if layout.by_run:
            # who names a run or a measure knows what columns are
            start = "Each" if self.measures or self.runs else "Warning: each"
            said = "measures of one run need a column run, or a file for each run"
            self.remarks.append(f"{start} column of the table is a run: {few(layout.values)}; {said}")
        means = [row for row, name in enumerate(cells[layout.query]) if str(name) in _SUMMARIES]
        if not layout.measure:  # in a table with a column for each measure or run, it may be a query
            means = [row for row in means if self._is_mean(cells, layout, row)]
            if means:
                self.remarks.append(f"The row {cells[layout.query][means[0]]}, a mean, does not count")
        self.repeats = [name for name in _REPEATS if len({*map(str, cells.get(name, ()))}) > 1]
        for row, name in enumerate(cells[layout.query]):
            require(not _empty(name), f"row {row + 1}: the name of the query is missing")
            if row in means:
                continue
            of_run = str(cells[layout.run][row]) if layout.run else run or source
            unnamed = str(cells[layout.measure][row]) if layout.measure else self._unnamed
            for heading in layout.values:
                run_of_value = heading if layout.by_run else of_run
                by = unnamed if layout.by_run or layout.measure else heading
                value = cells[heading][row]
                self._add_value(run_of_value, by, _name(name), value, "row {}, column {}", row + 1, heading)

    @staticmethod
    def _is_mean(cells: Mapping[str, Sequence[Any]], layout: _Layout, row: int) -> bool:
        """Return whether the values of a row are the means of those of the other rows of its run."""
        runs, queries = cells[layout.run or layout.query], cells[layout.query]
        same = [i for i, of in enumerate(runs) if layout.run is None or of == runs[row]]
        others = [i for i in same if str(queries[i]) not in _SUMMARIES]
        for heading in layout.values:
            values = np.array([_number(cells[heading][i]) for i in [row, *others]], np.float64)
            if not abs(query_mean(values[1:]) - values[0]) <= _MEAN_TOLERANCE:
                return False
        return True

    def _layout(self, cells: Mapping[str, Sequence[object]], *, alone: bool) -> _Layout:
        """Return what the columns of a table are; a table that is not ``alone`` is one run."""

        def column(name: str, *further: str) -> str | None:
            if name in self.columns:
                require_names("column", [self.columns[name]], cells, "columns")
                return self.columns[name]
            return column_of(cells, name) or next((known for known in further if known in cells), None)

        query = column("query", *_QUERY)
        if query is None:
            raise InputError(
                f"expected a column query (or {', '.join((*COLUMNS['query'][1:], *_QUERY[:-1]))}), "
                f"got {brief(', '.join(cells))}; "
                '--columns query=NAME names it, or columns={"query": NAME}'
            )
        named, measure, value = column("run"), column("measure"), column("value")
        document = column_of(cells, "document")
        keys = [*zip(*(cells[name] for name in (query, named, measure) if name), strict=True)]
        require(
            document is None or len({*keys}) == len(keys),
            f"has several rows of a query, by the column {document}: {_A_RUN}",
        )
        value = value or ("score" if measure and "score" in cells else None)
        if measure and value:
            return _Layout(query, named, measure, [value], by_run=False)
        others = [name for name in cells if name not in (query, named, measure)]
        numeric = [name for name in others if name in self.measures or _is_numeric(name, cells[name])]
        if not numeric:
            require(bool(cells[query]), "there are no values below the heading")
            found = [
                f"{name} has {brief(cells[name][0])}" for name in others if not _NO_MEASURE.fullmatch(name)
            ]
            raise InputError(
                f"expected a column of numbers beside {query}, got none: {few(found) or 'no other'}"
            )
        by_run = not named and (alone or bool(measure))
        wanted = [name for name in numeric if name in self.measures]
        if wanted and not measure:
            return _Layout(query, named, None, wanted, by_run=False)
        return _Layout(query, named, measure, numeric, by_run)

    @property
    def _unnamed(self) -> str:
        """The name of a measure for which the source has none."""
        return self.measures[0] if len(self.measures) == 1 else _UNNAMED

    def _add_value(
        self, run: str, measure: str, query: str, value: object, place: str, *places: object
    ) -> None:
        """Add a value; its ``place`` is a template for error messages."""
        number = math.nan if _empty(value) else _number(value)
        of_measure = self.values.setdefault(run, {}).setdefault(measure, {})
        if number is None:
            said = f"expected a number, got {brief(value)}"
        elif abs(number) > _LARGEST:
            said = f"a value must be finite and at most {_LARGEST:g}, got {number:g}"
        elif query in of_measure:
            said = f"the value of query {brief(query)} by {measure} occurs twice"
            if self.repeats:
                said += f" (see the column {self.repeats[0]}): average first, as in {_AVERAGE}"
        else:
            of_measure[query] = number
            return
        raise InputError(f"{place.format(*places)}: {said}")

    def chosen(self, missing: Missing) -> RunValues:
        """Return the values of the wanted runs and measures, for the queries of all."""
        require_names("run", self.runs, self.values)
        names = self.runs or tuple(self.values)
        require(len(names) > 0, f"there are no values, expected {_FORMS}", "values")
        known = list(dict.fromkeys(measure for run in names for measure in self.values[run]))
        require_names("measure", self.measures, known)
        have = {
            run: [m for m, of in self.values[run].items() if not np.isnan([*of.values()]).all()]
            for run in names
        }
        lacking = {m: [run for run in names if m not in have[run]] for m in known}
        shared = [measure for measure in known if not lacking[measure]]
        for measure in self.measures:
            said = f"{measure} has no value in {few(lacking[measure])}"
            require(not lacking[measure], said, "measure")
        if not shared:
            each = [f"{run} has {few(of_run) or 'no values'}" for run, of_run in have.items()]
            raise InputError(f"the runs have no measure in common: {'; '.join(each[:2])}", "measure")
        remarks = list(dict.fromkeys(self.remarks))
        for measure in () if self.measures else known:
            if lacking[measure]:
                said = f"{measure} has no value in {few(lacking[measure])}, so it does not count"
                remarks.append(f"Warning: {said}")
        chosen = self.measures or tuple(shared)
        tables = [[self.values[run][measure] for measure in chosen] for run in names]
        queries = sorted({query for of_run in tables for values in of_run for query in values})
        values = np.array(
            [[[of.get(query, math.nan) for of in of_run] for query in queries] for of_run in tables]
        ).reshape(len(names), len(queries), len(chosen))
        values, queries, left_out = without_missing(values, queries, names, missing)
        remarks += left_out
        remarks += unlike_units(values, names, chosen)
        return RunValues(names, tuple(queries), chosen, values, remarks=tuple(remarks))


def _content(text: str) -> pd.DataFrame | Mapping[str, Any]:
    """Return the table or the JSON object of a file."""
    import pandas as pd

    start = text.lstrip()[:1]
    require(bool(start), f"holds no data, expected {_FORMS}")
    if start == "{" and text.count("\n{") and text.lstrip().split("\n")[0].rstrip().endswith("}"):
        return pd.DataFrame([parse_json(line, _BY_QUERY) for line in text.splitlines() if line.strip()])
    if start in "{[":
        found = parse_json(text, _BY_QUERY)
        if isinstance(found, dict) and {*COLUMNS["query"], *_QUERY}.isdisjoint(found):
            return found
        require(
            isinstance(found, dict) or _all(found, dict), f"expected {_FORMS}, got a list of other things"
        )
        try:
            return pd.DataFrame(found)
        except ValueError as error:
            raise InputError(f"not the columns of a table ({error}), expected {_FORMS}") from None
    require(text.split(maxsplit=2)[1:2] != ["Q0"], f"is in TREC format: {_A_RUN}")
    headless = _without_header(text)
    return _with_header(text) if headless is None else headless


def _by_run(found: Mapping[str, Any], name: str, *, alone: bool) -> Mapping[str, Any]:
    """Return the values in JSON by run, of which ``name`` is the only one if the file names none."""
    require(not {"model_names", "stat_test"} <= {*found}, f"{_REPORT}, json.dump(run.scores, file)")
    if found.get("kind") == "evaluate":
        return {run: of_run["by_query"] for run, of_run in found["runs"].items()}
    inner, depth = found, 0
    while isinstance(inner, Mapping) and inner:
        count, depth, inner = len(inner), depth + 1, next(iter(inner.values()))
    require(1 <= depth <= 3, f"expected {_FORMS}")
    # a single file of few names with many values each has runs, as there is nothing to compare it with
    several = depth == 2 and alone and len(found) < count and not _is_transposed(found)
    return found if depth == 3 or several else {name: found}


def _is_transposed(found: Mapping[Any, Any]) -> bool:
    return all(_TRANSPOSED.fullmatch(str(name)) for name in found)


def _scores_of_ranx(run: object) -> Mapping[Any, Any] | None:
    """Return the values of an evaluated run of ranx; None for other objects and a run without values."""
    scores = getattr(run, "scores", None)
    return scores if isinstance(scores, Mapping) and scores else None


def _without_header(text: str) -> pd.DataFrame | None:
    """Return lines without a header as a table; None for a text that has one.

    ``ir_measures -q`` writes query, measure and value, ``trec_eval -q`` measure, query and value.
    """
    import pandas as pd

    lines = [line for line in text.splitlines() if line.strip()]
    first = lines[0].split()
    if len(first) != 3 or "," in lines[0] or not (_number(first[2]) is not None or first[1] == "all"):
        return None
    rows = []
    for number, line in enumerate(lines, 1):
        cells = line.split()
        require(
            len(cells) == 3, f"line {number}: expected three fields as in the first line, got {brief(line)}"
        )
        rows.append(cells)
    padded = lines[0].split("\t")[0].endswith(" ")  # trec_eval pads the names of measures
    swapped = padded or any(query == "all" for _, query, _ in rows)
    order = ("measure", "query", "value") if swapped else ("query", "measure", "value")
    found = pd.DataFrame(rows, columns=list(order))
    return found[found["query"] != "all"]


def _with_header(text: str) -> pd.DataFrame:
    """Return a text with a header as a table of texts."""
    import pandas as pd

    header = text.lstrip().split("\n", 1)[0]
    try:
        return pd.read_csv(
            StringIO(text), sep=delimiter_of(header), dtype=str, keep_default_na=False, skipinitialspace=True
        ).rename(columns=str.strip)
    except (ValueError, pd.errors.ParserError) as error:
        said = str(error).partition("C error: ")[2].strip() or str(error)
        raise InputError(f"not a table ({brief(said)}), expected {_FORMS}") from None


def _pandas(table: Any) -> pd.DataFrame:
    """Return a frame as one of pandas; an index without a name has the queries if no column has them."""
    import pandas as pd

    index = getattr(table, "index", None)
    named = column_of(table.columns, "query") is not None or not {*_QUERY}.isdisjoint(table.columns)
    if isinstance(index, pd.Index) and not isinstance(index, pd.RangeIndex) and not named:
        table = table.rename_axis("query").reset_index()
    return pd.DataFrame({str(name): list(table[name]) for name in table.columns})


def _all(given: object, *kinds: type) -> bool:
    return isinstance(given, list | tuple) and bool(given) and all(isinstance(one, kinds) for one in given)


def _is_numeric(name: str, cells: Sequence[object]) -> bool:
    """Return whether a column has measured numbers, of which there are more than texts."""
    filled = [cell for cell in cells if not _empty(cell)]
    numbers = sum(_number(cell) is not None for cell in filled)
    return 2 * numbers > len(filled) > 0 and not _NO_MEASURE.fullmatch(name)


def _empty(value: object) -> bool:
    """Return whether a cell has no value: nothing, NaN, or a text for these."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return True
    return isinstance(value, str) and value.strip().lower() in ("", "nan", "na", "n/a", "null", "none")


def _number(value: object) -> float | None:
    """Return the number of a cell, 1 and 0 for true and false; None for a text."""
    if isinstance(value, str):
        value = _TRUTH.get(value.strip().lower(), value)
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None


def _name(value: object) -> str:
    """Return the name of a query; a whole number that a table holds as a fraction has none."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()
