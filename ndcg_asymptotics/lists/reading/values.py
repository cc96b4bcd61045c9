"""Read the values of runs, query by query, as programs that evaluate write them.

Every form becomes a table of pandas with a row per query, and every table rows of run, query, measure, value.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import StringIO
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, get_args

import numpy as np

from ndcg_asymptotics.core.arrays import as_texts, brief, require_choice
from ndcg_asymptotics.core.errors import InputError, naming, require, require_utf8
from ndcg_asymptotics.core.files import named_paths
from ndcg_asymptotics.lists.conventions import Missing
from ndcg_asymptotics.lists.outcome import query_mean
from ndcg_asymptotics.lists.reading.load import ColumnNames, is_parquet
from ndcg_asymptotics.lists.reading.nested import parse_json
from ndcg_asymptotics.lists.reading.tables import delimiter_of, read_parquet
from ndcg_asymptotics.lists.reading.text import read_text
from ndcg_asymptotics.lists.records import COLUMNS, as_table, column_names, column_of, is_table
from ndcg_asymptotics.lists.values import RunValues, few, require_names, unlike_units, without_missing

if TYPE_CHECKING:
    import pandas as pd

_QUERY = ("id", "question", "user_input", "input", "", "Unnamed: 0")
"""Further columns with the names of queries; the last two are an index of pandas."""
_REPEATS = ("seed", "fold", "split", "trial", "repeat", "repetition", "epoch")
"""Columns of numbers that tell several values of a run for a query apart."""
_NO_MEASURE = re.compile(rf"{'|'.join((*COLUMNS['query'], *_QUERY, *_REPEATS))}|judged@\d+")
"""Columns of numbers that are no measures unless they are named: also what `evaluate` adds."""
_SUMMARIES = ("all", "amean")
"""Names that trec_eval, ir_measures and gdeval give to the means over the queries."""
_MEAN_TOLERANCE = 1e-3  # how far a printed mean may be from that of the other rows
_TRANSPOSED = re.compile(
    r"(hits|hit_rate|precision|recall|f1|r-precision|mrr|map|n?dcg(_burges)?|bpref|rbp)([@.-].*)?"
)
"""Measures of ranx, whose ``run.scores`` have the measure first and then the query."""
_LARGEST = 1e100  # of a value, so that sums of squares are finite
_WORDS = {"true": 1.0, "false": 0.0} | dict.fromkeys(("", "nan", "na", "n/a", "null", "none"), math.nan)
"""The numbers of words, in small letters."""
_UNNAMED = "value"
_BY_QUERY = "{query: {measure: value}}"
_FORMS = f"a table with a column query, or JSON such as {_BY_QUERY}"
_A_RUN = "a run is compared without --values, by the judgements of --qrels"
_AVERAGE = "table.groupby(['query', 'run']).mean()"
_IN_PYTHON = 'files, a frame, or a dictionary by run such as {"new": …, "old": …}'


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
        {query: {measure: value}}, as pytrec_eval returns it, the same by run, or a table: a list of rows.
        In Python, a frame of pandas or polars is such a table, and a mapping has the values of each run:
        {query: value}, {query: {measure: value}}, a frame, an array with a number for each query in one
        order, the results of ``ir_measures.iter_calc``, what `evaluate` returns, or an evaluated run of ranx.
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

    >>> values = read_values({"a": {"1": 0.5, "2": 0.25}, "b": {"1": 0.75, "2": 0.5, "3": 1.0}})
    >>> values.runs, values.queries, values.measures, values.values[:, :, 0].tolist()
    (('a', 'b'), ('1', '2'), ('value',), [[0.5, 0.25], [0.75, 0.5]])
    >>> values.remarks
    ('Warning: 1 of 3 queries does not count, as not all runs have its values: a lacks 1',)
    """
    missing = "drop" if missing is None else missing
    require_choice(missing, get_args(Missing), "missing")
    single = measures is not None and not isinstance(measures, Iterable)  # an object of ir_measures
    of_runs, of_measures = as_texts(runs, "runs"), as_texts([measures] if single else measures, "measures")
    if not isinstance(given, RunValues):
        tables = _Tables(tuple(of_runs), tuple(of_measures), column_names(columns))
        try:
            tables.add(given)
            given = _chosen(tables, missing)
        except UnicodeEncodeError as error:  # pandas has texts in UTF-8
            raise InputError(f"a name must be text in UTF-8, got {brief(error.object)}", "values") from None
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
class _Tables:
    """Tables that were read, as rows of run, query, measure and value, and the place of each value.

    ``runs`` and ``measures`` are those that count; all, if there are none.
    """

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    columns: dict[str, str]
    parts: list[pd.DataFrame] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    @property
    def unnamed(self) -> str:
        """The name of a measure for which the source has none."""
        return self.measures[0] if len(self.measures) == 1 else _UNNAMED

    def add(self, data: Any) -> None:
        """Add what `read_values` takes."""
        if isinstance(data, str | os.PathLike) or _all(data, str, os.PathLike):
            files = named_paths(data, "values")
            for name, path in files.items():
                self._add_file(path, name, alone=len(files) == 1)
        elif hasattr(data, "by_query") or is_table(data):  # evaluations of several runs, or a table
            self._add_table(_table(data, self.unnamed), None)
        elif isinstance(data, Mapping):
            arrays = [
                of for of in data.values() if _all(of, Real) or (isinstance(of, np.ndarray) and of.ndim)
            ]
            sizes = " and ".join(map(str, dict.fromkeys(map(len, arrays))))
            require(
                sizes.isdecimal() or not arrays, f"arrays need a number for each query, got {sizes}", "values"
            )
            for run, of_run in data.items():
                if isinstance(of_run, str | os.PathLike):
                    self._add_file(Path(of_run), str(run), alone=False)
                else:
                    with naming(str(run)):
                        table = _table(of_run, self.unnamed)
                        alone = hasattr(of_run, "by_query")  # an evaluation, which names its run
                        self._add_table(table.drop(columns="run") if alone else table, str(run))
        else:
            raise InputError(f"expected {_IN_PYTHON}, got {brief(data)}", "values")

    def _add_file(self, path: Path, name: str, *, alone: bool) -> None:
        """Add a file; unless it is the only one, it is a run where it names none."""
        content = read_parquet(path) if is_parquet(path) else read_text(path)
        with naming(str(path)):
            if isinstance(content, str):
                content = _content(content)
            if not isinstance(content, Mapping):
                self._add_table(content, None if alone else name, name, str(path))
                return
            for run, of_run in _by_run(content, name).items():
                self._add_table(_nested(of_run, self.unnamed), run, source=str(path))

    def _add_table(
        self, table: pd.DataFrame, run: str | None, name: str = "the table", source: str = ""
    ) -> None:
        """Add a table, long or wide; without a name of the run its columns are runs if it names none."""
        import pandas as pd

        table = table.set_axis([*map(str, table.columns)], axis=1).reset_index(drop=True)
        require(table.columns.is_unique, "a heading of a column occurs twice")
        numbers = pd.DataFrame({name: [*map(_number, table[name])] for name in table}, dtype=object)
        layout = self._layout(table, numbers, alone=run is None)
        if layout.by_run:
            # who names a run or a measure knows what columns are
            start = "Each" if self.measures or self.runs else "Warning: each"
            meaning = "measures of one run need a column run, or a file for each run"
            self.remarks.append(f"{start} column of the table is a run: {few(layout.values)}; {meaning}")
        for row in np.flatnonzero([*map(_is_empty, numbers[layout.query])])[:1]:
            raise InputError(f"row {row + 1}: the name of the query is missing")
        means = [row for row, name in enumerate(table[layout.query]) if str(name) in _SUMMARIES]
        if not layout.measure:  # in a table with a column for each measure or run, it may be a query
            means = [row for row in means if _is_mean(table, numbers, layout, row)]
            if means:
                self.remarks.append(f"The row {table[layout.query][means[0]]}, a mean, does not count")
        repeats = [name for name in _REPEATS if name in table and table[name].astype(str).nunique() > 1]
        advice = f" (see the column {repeats[0]}): average first, as in {_AVERAGE}" if repeats else ""
        rows = table.drop(index=means)
        queries = rows[layout.query].map(_name)
        for heading in layout.values:
            of_runs = rows[layout.run].map(str) if layout.run else run or name
            by_measure = self.unnamed if layout.by_run else heading
            part = {
                "run": heading if layout.by_run else of_runs,
                "query": queries,
                "measure": rows[layout.measure].map(str) if layout.measure else by_measure,
                "value": numbers[heading][rows.index],
                "cell": rows[heading].astype(object),
                "column": heading,
                "advice": advice,
                "source": source or run or "",
            }
            self.parts.append(pd.DataFrame(part))

    def _layout(self, table: pd.DataFrame, numbers: pd.DataFrame, *, alone: bool) -> _Layout:
        """Return what the columns of a table are; a table that is not ``alone`` is one run."""

        def column(name: str, *further: str) -> str | None:
            if name in self.columns:
                require_names("column", [self.columns[name]], table.columns, "columns")
                return self.columns[name]
            return column_of(table.columns, name) or next(
                (candidate for candidate in further if candidate in table), None
            )

        query = column("query", *_QUERY)
        if query is None:
            raise InputError(
                f"expected a column query (or {', '.join((*COLUMNS['query'][1:], *_QUERY[:-2]))}), "
                f"got {brief(', '.join(table.columns))}; "
                '--columns query=NAME names it, or columns={"query": NAME}'
            )
        run_column, measure, value = column("run"), column("measure"), column("value")
        document = column_of(table.columns, "document")
        keys = table[[name for name in (query, run_column, measure) if name is not None]].astype(str)
        require(
            document is None or not keys.duplicated().any(),
            f"has several rows of a query, by the column {document}: {_A_RUN}",
        )
        value = value or ("score" if measure and "score" in table else None)
        if measure and value:
            return _Layout(query, run_column, measure, [value], by_run=False)
        remaining = [name for name in table if name not in (query, run_column, measure)]
        numeric = [name for name in remaining if name in self.measures or _is_numeric(name, [*numbers[name]])]
        if not numeric:
            require(len(table) > 0, "there are no values below the heading")
            texts = [
                f"{name} has {brief(table[name][0])}" for name in remaining if not _NO_MEASURE.fullmatch(name)
            ]
            raise InputError(
                f"expected a column of numbers beside {query}, got none: {few(texts) or 'no other'}"
            )
        by_run = not run_column and (alone or bool(measure))
        selected = [name for name in numeric if name in self.measures]
        if selected and not measure:
            return _Layout(query, run_column, None, selected, by_run=False)
        return _Layout(query, run_column, measure, numeric, by_run)

    def numbers(self) -> pd.DataFrame:
        """Return all rows with numbers as values, NaN where there is none.

        Raises
        ------
        InputError
            For a value that is not a finite number, or is given twice.
        """
        import pandas as pd

        rows = pd.concat(self.parts) if self.parts else pd.DataFrame()
        require(len(rows) > 0, f"there are no values, expected {_FORMS}", "values")
        numbers = rows["value"].tolist()
        twice = rows.duplicated(["run", "query", "measure"]).to_numpy()
        bad = [number is None or abs(number) > _LARGEST for number in numbers]
        for place in np.flatnonzero(twice | np.array(bad, bool))[:1]:
            row, number = rows.iloc[place], numbers[place]
            of_query = f"query {brief(row['query'])}"
            if number is None:
                problem = f"expected a number for {of_query}, got {brief(row['cell'])}"
            elif abs(number) > _LARGEST:
                problem = f"a value must be finite and at most {_LARGEST:g}, got {number:g} for {of_query}"
            else:
                problem = f"the value of {of_query} by {row['measure']} occurs twice{row['advice']}"
            source = f"{row['source']}: " if row["source"] else ""
            raise InputError(f"{source}row {row.name + 1}, column {row['column']}: {problem}")
        return rows.assign(value=np.array(numbers, np.float64))


def _chosen(tables: _Tables, missing: Missing) -> RunValues:
    """Return the values of the runs and measures of ``tables``, for the queries of all."""
    import pandas as pd

    rows = tables.numbers()
    require_names("run", tables.runs, rows["run"].unique())
    names = tables.runs or tuple(rows["run"].unique())
    rows = rows[rows["run"].isin(names)]
    available = rows["measure"].unique().tolist()
    require_names("measure", tables.measures, available)
    counts = rows.groupby(["run", "measure"], observed=True)["value"].count()  # without NaN
    filled = {*counts[counts > 0].index}
    lacking = {measure: [run for run in names if (run, measure) not in filled] for measure in available}
    for measure in tables.measures:
        require(not lacking[measure], f"{measure} has no value in {few(lacking[measure])}", "measure")
    measures = tables.measures or tuple(measure for measure in available if not lacking[measure])
    if not measures:
        have = {run: [measure for measure in available if (run, measure) in filled] for run in names[:2]}
        each = "; ".join(f"{run} has {few(of_run) or 'no values'}" for run, of_run in have.items())
        raise InputError(f"the runs have no measure in common: {each}", "measure")
    remarks = list(dict.fromkeys(tables.remarks))
    remarks += [
        f"Warning: {measure} has no value in {few(runs)}, so it does not count"
        for measure, runs in lacking.items()
        if runs and not tables.measures
    ]
    table = rows[rows["measure"].isin(measures)].pivot(
        index="query", columns=["run", "measure"], values="value"
    )
    queries = sorted(table.index)
    values = table.reindex(queries, columns=pd.MultiIndex.from_product([names, measures])).to_numpy()
    values = np.moveaxis(values.reshape(len(queries), len(names), len(measures)), 0, 1)
    values, queries, left_out = without_missing(np.ascontiguousarray(values), queries, names, missing)
    remarks += [*left_out, *unlike_units(values, names, measures)]
    return RunValues(names, tuple(queries), measures, values, remarks=tuple(remarks))


def _content(text: str) -> pd.DataFrame | Mapping[str, Any]:
    """Return the table or the JSON object of a file."""
    import pandas as pd

    start = text.lstrip()[:1]
    require(bool(start), f"holds no data, expected {_FORMS}")
    if start == "{" and text.count("\n{") and text.lstrip().split("\n")[0].rstrip().endswith("}"):
        return pd.DataFrame([parse_json(line, _BY_QUERY) for line in text.splitlines() if line.strip()])
    if start in "{[":
        content = parse_json(text, _BY_QUERY)
        if isinstance(content, dict):
            return content
        require(_all(content, dict), f"expected {_FORMS}, got a list of other things")
        return pd.DataFrame(content)
    require(text.split(maxsplit=2)[1:2] != ["Q0"], f"is in TREC format: {_A_RUN}")
    headless = _without_header(text)
    return _with_header(text) if headless is None else headless


def _by_run(content: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return what a JSON object has of each run; ``name`` is that of the run if it names none."""
    if content.get("kind") == "evaluate":
        return {run: of_run["by_query"] for run, of_run in content["runs"].items()}
    first = next(iter(content.values()), None)
    deep = isinstance(first, Mapping) and isinstance(next(iter(first.values()), None), Mapping)
    return content if deep else {name: content}


def _without_header(text: str) -> pd.DataFrame | None:
    """Return lines without a header as a table; None for a text that has one.

    ``ir_measures -q`` writes query, measure and value, ``trec_eval -q`` measure, query and value.
    """
    import pandas as pd

    lines = [line for line in text.splitlines() if line.strip()]
    first = lines[0].split()
    if len(first) != 3 or "," in lines[0] or not (_number(first[2]) is not None or first[1] == "all"):
        return None
    rows = [line.split() for line in lines]
    for number, row in enumerate(rows, 1):
        require(len(row) == 3, f"line {number}: expected three fields as in the first line, got {brief(row)}")
    padded = lines[0].split("\t")[0].endswith(" ")  # trec_eval pads the names of measures
    swapped = padded or any(query == "all" for _, query, _ in rows)
    order = ("measure", "query", "value") if swapped else ("query", "measure", "value")
    table = pd.DataFrame(rows, columns=list(order))
    return table[table["query"] != "all"]


def _with_header(text: str) -> pd.DataFrame:
    """Return a text with a header as a table of texts."""
    import pandas as pd

    first = text.lstrip().split("\n", 1)[0]
    options = {"dtype": str, "keep_default_na": False, "skipinitialspace": True}
    try:
        # with a header of its own, pandas takes cells beyond those of the header for an index
        table = pd.read_csv(StringIO(text), sep=delimiter_of(first), header=None, **options)
    except (ValueError, pd.errors.ParserError) as error:
        reason = str(error).partition("C error: ")[2].strip() or str(error)
        raise InputError(f"not a table ({brief(reason)}), expected {_FORMS}") from None
    return table[1:].set_axis(table.iloc[0].str.strip(), axis=1)


def _table(data: Any, unnamed: str) -> pd.DataFrame:
    """Return the values of a run, or of several, as a table; ``unnamed`` is a measure without a name."""
    import pandas as pd

    if hasattr(data, "by_query"):
        return data.by_query.to_dataframe()
    if isinstance(data, pd.Series):
        data = data.to_dict()
    if isinstance(scores := getattr(data, "scores", None), Mapping):  # of ranx
        data = scores
    if isinstance(data, Mapping):
        return _nested(data, unnamed)
    if (table := as_table(data)) is not None:
        return pd.DataFrame({str(name): list(table[name]) for name in table.columns})
    require(
        isinstance(data, Iterable) and not isinstance(data, str | bytes) and getattr(data, "ndim", 1) > 0,
        f"expected {_FORMS}, got {brief(data)}",
    )
    rows = list(data)
    if all(np.ndim(row) == 0 for row in rows):  # a number for each query, in the order of all runs
        return _nested({str(query): value for query, value in enumerate(rows, 1)}, unnamed)
    return pd.DataFrame(rows)


def _nested(content: Any, unnamed: str) -> pd.DataFrame:
    """Return {query: value}, {query: {measure: value}}, or {measure: {query: value}} of ranx, as a table."""
    import pandas as pd

    require(isinstance(content, Mapping) and bool(content), f"holds no values, expected {_FORMS}")
    nested = isinstance(next(iter(content.values())), Mapping)
    for name, inner in content.items():
        if isinstance(inner, Mapping) != nested:
            raise InputError(f"{name}: expected {_FORMS}, got {brief(inner)}")
    rows = [*map(dict, content.values())] if nested else {unnamed: [*content.values()]}
    table = pd.DataFrame(rows, index=[*map(str, content)])
    if nested and all(_TRANSPOSED.fullmatch(str(name)) for name in content):
        table = table.T
    table = table.drop(columns="query", errors="ignore")
    return table.rename_axis("query").reset_index()


def _is_mean(table: pd.DataFrame, numbers: pd.DataFrame, layout: _Layout, row: int) -> bool:
    """Return whether the values of a row are the means of those of the other rows of its run."""
    other_rows = ~table[layout.query].map(str).isin(_SUMMARIES)
    if layout.run:
        other_rows &= table[layout.run] == table[layout.run][row]
    values = numbers[layout.values].astype(np.float64)
    gaps = query_mean(values[other_rows].to_numpy()) - values.loc[row].to_numpy()
    return bool((np.abs(gaps) <= _MEAN_TOLERANCE).all())


def _all(values: object, *kinds: type) -> bool:
    return (
        isinstance(values, list | tuple) and bool(values) and all(isinstance(item, kinds) for item in values)
    )


def _is_numeric(name: str, numbers: Sequence[float | None]) -> bool:
    """Return whether a column has measured numbers, of which there are more than texts."""
    texts = numbers.count(None)
    return len(numbers) - sum(map(_is_empty, numbers)) > 2 * texts and not _NO_MEASURE.fullmatch(name)


def _is_empty(number: float | None) -> bool:
    return number is not None and math.isnan(number)


def _number(value: Any) -> float | None:
    """Return the number of a cell, 1 and 0 for true and false, NaN for an empty cell; None for a text."""
    if isinstance(value, str):
        value = _WORDS.get(value.strip().lower(), value)
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan if value is None or type(value).__name__ == "NAType" else None


def _name(value: object) -> str:
    """Return the name of a query; a whole number that a table holds as a fraction has none."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()
