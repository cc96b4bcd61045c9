"""Read the values of runs in many collections, from files that a table lists or from Python."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import cast

from ndcg_asymptotics.analysis.runs.ranked import values_of_runs
from ndcg_asymptotics.core.arrays import as_texts, brief
from ndcg_asymptotics.core.errors import InputError, naming, refuse_others, require
from ndcg_asymptotics.core.progress import tracked
from ndcg_asymptotics.lists.conventions import ConventionOptions, Conventions
from ndcg_asymptotics.lists.other_measures import AnyMeasures, any_measures_of
from ndcg_asymptotics.lists.reading.tables import delimiter_of
from ndcg_asymptotics.lists.reading.text import read_text
from ndcg_asymptotics.lists.reading.values import ValueOptions, read_values
from ndcg_asymptotics.lists.values import RunValues
from ndcg_asymptotics.measures.measure import MEASURES

_MOST_BYTES = 1 << 24
_OF_RUNS = ("collection", "qrels", "run", "path")
_FORMS = f"the columns {', '.join(_OF_RUNS)}, or collection, values and perhaps run"


def read_collections(
    given: object, options: ValueOptions, conventions: ConventionOptions
) -> dict[str, RunValues]:
    """Return the values of runs in each collection; the arguments are those of `compare_collections`.

    Raises
    ------
    InputError
        For a table without the columns, a run that is named twice in a collection or lacks in one, judgements
        that differ within a collection, and what cannot be read.
    """
    if isinstance(given, str | os.PathLike):
        path = Path(given)
        rows = _listed(path)
        if "values" not in rows[0]:
            stated = options.get("lower_is_better")
            require(not stated, "is of values: higher NDCG is better", "lower_is_better")
            return _of_runs(_chosen(path, rows, as_texts(options.get("runs"), "runs")), options, conventions)
        given = _files_of_values(path, rows)
    if not isinstance(given, Mapping):
        expected = "the path of a table or a mapping of name to values"
        raise InputError(f"must be {expected}, got {brief(given)}", "collections")
    refuse_others("collections of values", conventions, ("missing",))
    found = {}
    for name, values in tracked(given.items(), "collections"):
        with naming(str(name), fields=True):
            found[str(name)] = read_values(values, **options)
    return found


def _files_of_values(path: Path, rows: Sequence[Mapping[str, str]]) -> dict[str, Path | dict[str, Path]]:
    """Return the file of the values of each collection, or those of its runs by name."""
    keys = [(row["collection"], row.get("run", "")) for row in rows]
    for name, run in keys:
        what = f"{brief(name)} has the run {brief(run)} twice" if run else f"{brief(name)} is given twice"
        require(keys.count((name, run)) == 1, f"{path}: the collection {what}")
    if "run" not in rows[0]:
        return {row["collection"]: path.parent / row["values"] for row in rows}
    found: dict[str, dict[str, Path]] = {}
    for row in rows:
        found.setdefault(row["collection"], {})[row["run"]] = path.parent / row["values"]
    return {**found}


def _of_runs(
    collections: Mapping[str, tuple[Path, Mapping[str, Path]]],
    options: ValueOptions,
    conventions: ConventionOptions,
) -> dict[str, RunValues]:
    """Return the values of the runs in each collection, whose judgements and runs are in files."""
    measures = cast("AnyMeasures", options.get("measures") or MEASURES)
    parsed = any_measures_of(measures)  # before files are read
    Conventions.of(**conventions)
    columns, found = options.get("columns"), {}
    for name, (qrels, files) in tracked(collections.items(), "collections"):
        with naming(name, fields=True):
            found[name] = values_of_runs(files, qrels, parsed, columns=columns, **conventions)
    return found


def _listed(path: Path) -> list[dict[str, str]]:
    """Return the rows of the table of collections."""
    text = read_text(path, _MOST_BYTES)
    with naming(str(path)):
        first = text.partition("\n")[0]
        reader = csv.DictReader(StringIO(text), delimiter=delimiter_of(first), skipinitialspace=True)
        header = [name.strip() for name in reader.fieldnames or ()]
        wanted = [name for name in header if name in ("collection", "run", "values")]
        if {*_OF_RUNS} <= {*header}:
            wanted = [*_OF_RUNS]
        elif not {"collection", "values"} <= {*wanted}:
            raise InputError(f"expected {_FORMS}, found {', '.join(header) or 'no columns'}")
        reader.fieldnames = header
        rows = []
        for row in reader:
            cells = {name: (row[name] or "").strip() for name in wanted}
            empty = [name for name, cell in cells.items() if not cell]
            require(not empty, f"line {reader.line_num}: nothing in the column {', '.join(empty)}")
            rows.append(cells)
        require(len(rows) > 0, "has no rows")
    return rows


def _chosen(
    path: Path, rows: Sequence[Mapping[str, str]], runs: Sequence[str]
) -> dict[str, tuple[Path, dict[str, Path]]]:
    """Return the file of judgements and those of the runs of each collection."""
    found: dict[str, tuple[Path, dict[str, Path]]] = {}
    for row in rows:
        name, qrels = row["collection"], path.parent / row["qrels"]
        judged, files = found.setdefault(name, (qrels, {}))
        require(judged == qrels, f"{path}: {name} has two files of judgements, {judged} and {qrels}")
        require(row["run"] not in files, f"{path}: {name} has the run {row['run']} twice")
        files[row["run"]] = path.parent / row["path"]
    wanted = list(runs) or list(dict.fromkeys(row["run"] for row in rows))
    for name, (_, files) in found.items():
        lacking = [run for run in wanted if run not in files]
        require(
            not lacking,
            f"{path}: {name} lacks {', '.join(lacking)}; every run must be in every collection, or --run "
            "names those that count",
        )
    return {name: (qrels, {run: files[run] for run in wanted}) for name, (qrels, files) in found.items()}
