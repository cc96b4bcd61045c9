"""Read the values of runs, query by query, as programs that evaluate write them."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, get_args

import numpy as np

from ndcg_asymptotics.core.arrays import as_texts, brief, require_choice
from ndcg_asymptotics.core.errors import InputError, naming, needing, require
from ndcg_asymptotics.core.files import named_paths
from ndcg_asymptotics.lists.conventions import Missing
from ndcg_asymptotics.lists.reading.load import ColumnNames, is_parquet
from ndcg_asymptotics.lists.reading.nested import MOST_BYTES, parse_json
from ndcg_asymptotics.lists.reading.text import read_text
from ndcg_asymptotics.lists.records import COLUMNS, as_table, column_of
from ndcg_asymptotics.lists.values import RunValues, few, refuse_missing, require_names

if TYPE_CHECKING:
    import pandas as pd

_QUERY = ("id", "question", "user_input", "input", "Unnamed: 0")
"""Further columns with the names of queries; the last is an index of pandas."""
_NO_MEASURE = re.compile(rf"{'|'.join((*COLUMNS['query'], *_QUERY))}|judged@\d+")
"""Columns of numbers that are no measures unless they are named: queries, and what `evaluate` adds."""
_SUMMARIES = ("all", "amean")
"""Names that trec_eval, ir_measures and gdeval give to the means over the queries."""
_TRANSPOSED = re.compile(
    r"(hits|hit_rate|precision|recall|f1|r-precision|mrr|map|n?dcg(_burges)?|bpref|rbp)([@.-].*)?"
)
"""Measures of ranx, whose ``run.scores`` have the measure first and then the query."""
_LARGEST = 1e100
_TRUTH = {"true": 1.0, "false": 0.0}
_UNNAMED = "value"
_FORMS = "a table with a column query, or JSON such as {query: {measure: value}}"


class ValueOptions(TypedDict, total=False):
    """The options of `read_values`, which comparisons and plans of values hand on to it."""

    runs: object
    measures: object
    lower_is_better: Collection[str]
    missing: Missing | None
    columns: ColumnNames | None


def read_values(
    given: object,
    *,
    runs: object = None,
    measures: object = None,
    lower_is_better: Collection[str] = (),
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
        {query: {measure: value}}, as pytrec_eval returns it, the same by run, or a list of rows.
        In Python, a frame of pandas or polars is such a table, and a mapping has the values of each run:
        {query: value}, {query: {measure: value}}, a frame, an array with a number for each query in one
        order, the results of ``ir_measures.iter_calc``, what `evaluate` returns, or an evaluated run of ranx.
        Several runs of ranx may be a list.
    runs, measures : str or several
        Those that count, in this order; by default all, in the order of the input. In a table with a column
        for each run a single measure is a name for its values.
    lower_is_better : names of measures
    missing : {"drop", "zero", "error"}
        What becomes of a query for which a run has no value, or NaN. By default it is left out.
    columns : mapping, optional
        The names of the columns query, run, measure and value.

    Raises
    ------
    InputError
        For an unknown format, a value that is not a finite number, one that is given twice, and a run or
        measure that there is not.

    >>> found = read_values({"a": {"1": 0.5, "2": 0.25}, "b": {"1": 0.75, "2": 0.5, "3": 1.0}})
    >>> found.runs, found.queries, found.measures, found.values[:, :, 0].tolist()
    (('a', 'b'), ('1', '2'), ('value',), [[0.5, 0.25], [0.75, 0.5]])
    >>> found.remarks
    ('1 of 3 queries does not count, as not all runs have its values: a lacks 1',)
    """
    missing = missing or "drop"
    require_choice(missing, get_args(Missing), "missing")
    single = measures is not None and not isinstance(measures, Iterable)  # an object of ir_measures
    of_runs, of_measures = as_texts(runs, "runs"), as_texts([measures] if single else measures, "measures")
    if not isinstance(given, RunValues):
        collected = _Collected(tuple(of_runs), tuple(of_measures), dict(columns or {}))
        collected.add(given)
        given = collected.chosen(of_runs, of_measures, missing)
    else:
        given = given.only(of_runs, of_measures)
    require_names("measure", lower_is_better, given.measures, "lower_is_better")
    scales = (
        replace(scale, lower_is_better=scale.lower_is_better or name in lower_is_better)
        for name, scale in zip(given.measures, given.scales, strict=True)
    )
    return replace(given, scales=tuple(scales))


@dataclass
class _Collected:
    """Values that were read: of each run, by measure and query, NaN where the source has no number."""

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    columns: dict[str, str]
    values: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    def add(self, given: object) -> None:
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
            for run, of_run in given.items():
                if isinstance(of_run, str | os.PathLike):
                    self._add_file(Path(of_run), str(run), alone=False)
                    continue
                with naming(str(run)):
                    self._add_run(str(run), of_run)
        elif isinstance(given, Iterable) and not isinstance(given, str | bytes):
            for place, one in enumerate(given):
                if not _scores_of_ranx(one):
                    expected = "files, a frame, a dictionary by run, or evaluated runs of ranx"
                    raise InputError(f"expected {expected}, got {brief(one)}", "values")
                self._add_run(str(getattr(one, "name", None) or f"run {place + 1}"), one)
        else:
            raise InputError(f"expected {_FORMS}, got {brief(given)}", "values")

    def _add_file(self, path: Path, name: str, alone: bool) -> None:
        """Add a file; unless it is the only one, it is a run where it names none."""
        run = None if alone else name
        if is_parquet(path):
            self._add_parquet(path, run, name)
            return
        text = read_text(path, MOST_BYTES).replace("\r\n", "\n")
        with naming(str(path)):
            self._add_text(text, run, name)

    def _add_parquet(self, path: Path, run: str | None, name: str) -> None:
        import pandas as pd

        try:
            with needing("pyarrow", f"{path}: Parquet files are read by"):
                table = pd.read_parquet(path)
        except (OSError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{path}: a damaged Parquet file ({brief(str(error))})") from None
        with naming(str(path)):
            self._add_table(table, run, name)

    def _add_text(self, text: str, run: str | None, name: str) -> None:
        import pandas as pd

        start = text.lstrip()[:1]
        require(bool(start), f"holds no data, expected {_FORMS}")
        if start == "{" and text.count("\n{") and text.lstrip().split("\n")[0].rstrip().endswith("}"):
            rows = [parse_json(line, _FORMS) for line in text.splitlines() if line.strip()]
            self._add_table(pd.DataFrame(rows), run, name)
        elif start in "{[":
            found = parse_json(text, _FORMS)
            if isinstance(found, list):
                require(_all(found, dict), f"expected {_FORMS}, got a list of other things")
                self._add_table(pd.DataFrame(found), run, name)
            else:
                self._add_json(found, name)
        elif (headless := _without_header(text)) is not None:
            self._add_table(headless, name)
        else:
            self._add_table(_table_of(text), run, name)

    def _add_json(self, found: Mapping[str, Any], name: str) -> None:
        """Add JSON of other programs, or the output of `evaluate`."""
        if {"model_names", "stat_test"} <= {*found}:
            raise InputError(
                "a report of ranx, which has means only: give the scores of its runs, "
                "json.dump(run.scores, file)"
            )
        if found.get("kind") == "evaluate":
            found = {run: of_run["by_query"] for run, of_run in found["runs"].items()}
        depth = _depth(found)
        require(1 <= depth <= 3, f"expected {_FORMS}")
        if depth == 3:
            for run, of_run in found.items():
                self._add_nested(run, of_run)
        else:
            self._add_nested(name, found)

    def _add_run(self, run: str, of_run: Any) -> None:
        if scores := _scores_of_ranx(of_run):
            self._add_nested(run, scores)
        elif hasattr(of_run, "by_query"):  # an evaluation
            self._add_table(of_run.by_query.to_dataframe().drop(columns="run"), run)
        elif hasattr(of_run, "index") and hasattr(of_run, "to_dict") and not hasattr(of_run, "columns"):
            self._add_nested(run, of_run.to_dict())  # a Series of pandas, whose index has the queries
        elif isinstance(of_run, Mapping):
            self._add_nested(run, of_run)
        elif (table := as_table(of_run)) is not None:
            self._add_table(_pandas(table), run)
        elif isinstance(of_run, Iterable):
            rows = list(of_run)
            if all(np.ndim(row) == 0 for row in rows):  # a number for each query, in the order of all runs
                self._add_nested(run, {str(query): value for query, value in enumerate(rows, 1)})
                return
            import pandas as pd

            self._add_table(pd.DataFrame(rows), run)
        else:
            raise InputError(f"expected {_FORMS}, got {brief(of_run)}")

    def _add_nested(self, run: str, found: Mapping[Any, Any]) -> None:
        """Add {query: value}, {query: {measure: value}}, or {measure: {query: value}} as ranx has it."""
        require(bool(found), "holds no values")
        nested = isinstance(next(iter(found.values())), Mapping)
        transposed = nested and all(_TRANSPOSED.fullmatch(str(name)) for name in found)
        unnamed = self.measures[0] if len(self.measures) == 1 else _UNNAMED
        for outer, inner in found.items():
            require(isinstance(inner, Mapping) == nested, f"{outer}: expected {_FORMS}, got {brief(inner)}")
            for name, value in inner.items() if nested else [(unnamed, inner)]:
                query, measure = (name, outer) if transposed else (outer, name)
                self._add_value(run, str(measure), str(query), value, f"query {query}")

    def _add_table(self, table: pd.DataFrame, run: str | None, source: str = "") -> None:
        """Add a table, long or wide; without a name of the run its columns are runs if it names none."""
        there = [str(name) for name in table.columns]
        cells = dict(zip(there, (table.iloc[:, i].tolist() for i in range(len(there))), strict=True))
        require(len(cells) == len(there), "a heading of a column occurs twice")

        def column(name: str, *further: str) -> str | None:
            if name in self.columns:
                require_names("column", [self.columns[name]], there, "columns")
                return self.columns[name]
            known = column_of(there, name)
            return known or next((known for known in further if known in cells), None)

        query = column("query", *_QUERY)
        if query is None:
            raise InputError(
                f"expected a column query (or {', '.join((*COLUMNS['query'][1:], *_QUERY[:-1]))}), "
                f"got {brief(', '.join(there))}; "
                '--columns query=NAME names it, or columns={"query": NAME}'
            )
        named, measure, value = column("run"), column("measure"), column("value")
        value = value or ("score" if measure and "score" in cells else None)
        keys = {query, named, measure}
        wide = [name for name in there if name not in keys] if not (measure and value) else [str(value)]
        if not (measure and value):
            wide = self._numeric(cells, wide)
            if named and not measure and self.measures:
                wide = [name for name in wide if name in self.measures]
        by_run = not named and (run is None if not measure else not value)
        if by_run and not measure and not {*self.measures}.isdisjoint(wide):
            by_run, run = False, source or "the table"
            wide = [name for name in wide if name in self.measures]
        require(bool(wide), f"expected a column of numbers beside {query}, got {brief(', '.join(there))}")
        if by_run:
            of = f" of {source}" if source else ""
            said = f"each column{of} is a run: {few(wide)}; measures of one run need a column run, or a file "
            warning = (
                "E" if self.measures or self.runs else "Warning: e"
            )  # who names one knows what columns are
            self.remarks.append(f"{warning}{said[1:]}for each run")
        unnamed = self.measures[0] if len(self.measures) == 1 else _UNNAMED
        for row, name in enumerate(cells[query]):
            if _empty(name):
                raise InputError(f"row {row + 1}: the name of the query is missing")
            if str(name) in _SUMMARIES:
                continue
            of_run = str(cells[named][row]) if named else run
            for heading in wide:
                by = str(cells[measure][row]) if measure else unnamed if by_run else heading
                self._add_value(
                    heading if by_run else of_run or source or "the table",
                    by,
                    _name(name),
                    cells[heading][row],
                    f"row {row + 1}, column {heading}",
                )

    def _numeric(self, cells: Mapping[str, Sequence[object]], names: Sequence[str]) -> list[str]:
        """Return the columns of numbers; those with more texts than numbers are not measures."""
        found = []
        for name in names:
            filled = [cell for cell in cells[name] if not _empty(cell)]
            numbers = sum(_number(cell) is not None for cell in filled)
            if name in self.measures or (2 * numbers > len(filled) > 0 and not _NO_MEASURE.fullmatch(name)):
                found.append(name)
        return found

    def _add_value(self, run: str, measure: str, query: str, value: object, place: str) -> None:
        number = math.nan if _empty(value) else _number(value)
        require(number is not None, f"{place}: expected a number, got {brief(value)}")
        number = float(number or 0.0)
        require(
            math.isnan(number) or abs(number) <= _LARGEST,
            f"{place}: a value must be finite and at most {_LARGEST:g}, got {number:g}",
        )
        of_measure = self.values.setdefault(run, {}).setdefault(measure, {})
        require(
            query not in of_measure, f"{place}: the value of query {brief(query)} by {measure} occurs twice"
        )
        of_measure[query] = number

    def chosen(self, runs: Sequence[str], measures: Sequence[str], missing: Missing) -> RunValues:
        """Return the values of some runs and measures, for the queries of all."""
        require_names("run", runs, self.values)
        names = tuple(runs) or tuple(self.values)
        require(len(names) > 0, f"there are no values, expected {_FORMS}", "values")
        known = list(dict.fromkeys(measure for run in names for measure in self.values[run]))
        shared = [measure for measure in known if all(measure in self.values[run] for run in names)]
        require_names("measure", measures, shared)
        require(bool(shared), f"the runs have no measure in common: {few(known)}", "measure")
        chosen = tuple(measures) or tuple(shared)
        remarks = list(dict.fromkeys(self.remarks))
        if not measures and len(shared) < len(known):
            left = [measure for measure in known if measure not in shared]
            remarks.append(f"Not all runs have {few(left)}, which does not count")
        tables = [[self.values[run][measure] for measure in chosen] for run in names]
        queries = sorted({query for of_run in tables for values in of_run for query in values})
        values = np.array(
            [[[of.get(query, math.nan) for of in of_run] for query in queries] for of_run in tables]
        ).reshape(len(names), len(queries), len(chosen))
        lacking = np.isnan(values)
        if lacking.any():
            values, queries, said = _without_missing(values, queries, names, missing)
            remarks.append(said)
        return RunValues(names, tuple(queries), chosen, values, remarks=tuple(remarks))


def _without_missing(
    values: np.ndarray[Any, Any], queries: list[str], names: Sequence[str], missing: Missing
) -> tuple[Any, list[str], str]:
    """Return values and queries by the rule for missing values, with a line that says what it did."""
    lacking = np.isnan(values).any(axis=2)  # (runs, queries)
    incomplete = lacking.any(axis=0)
    count = int(incomplete.sum())
    of_runs = ", ".join(
        f"{name} lacks {n}" for name, n in zip(names, lacking.sum(axis=1).tolist(), strict=True) if n
    )
    if missing == "error":
        by_run = [[query for query, no in zip(queries, of, strict=True) if no] for of in lacking]
        refuse_missing(dict(zip(names, by_run, strict=True)), len(queries))
    one = count == 1
    if missing == "zero":
        zero = f"Missing values of {count} of {len(queries)} queries count as 0: {of_runs}"
        return np.nan_to_num(values, nan=0.0), queries, zero
    kept = np.flatnonzero(~incomplete)
    said = (
        f"{count} of {len(queries)} queries {'does' if one else 'do'} not count, as not all runs have "
        f"{'its' if one else 'their'} values: {of_runs}"
    )
    return np.ascontiguousarray(values[:, kept]), [queries[i] for i in kept], said


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


def _table_of(text: str) -> pd.DataFrame:
    """Return a text with a header as a table of texts."""
    import pandas as pd

    header = text.lstrip().split("\n", 1)[0]
    delimiter = max(",\t;", key=header.count)
    try:
        return pd.read_csv(
            StringIO(text), sep=delimiter, dtype=str, keep_default_na=False, skipinitialspace=True
        ).rename(columns=str.strip)
    except (ValueError, pd.errors.ParserError) as error:
        raise InputError(f"not a table with a header ({brief(str(error))}), expected {_FORMS}") from None


def _pandas(table: Any) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame({str(name): list(table[name]) for name in table.columns})


def _all(given: object, *kinds: type) -> bool:
    return isinstance(given, list | tuple) and bool(given) and all(isinstance(one, kinds) for one in given)


def _depth(found: object) -> int:
    depth = 0
    while isinstance(found, Mapping) and found:
        found, depth = next(iter(found.values())), depth + 1
    return depth


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
