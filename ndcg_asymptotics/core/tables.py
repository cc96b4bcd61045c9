"""Reports: tables and lines of text for a terminal, a notebook, a DataFrame and a file.

The outcome of an analysis is a `Report`, which consists of blocks: tables and lines. A row is declared once,
by a dataclass: the annotation of a field, or of a property that several fields decide, says with a `Column`
how it stands in tables, and with `Data` how it stands in JSON and in a DataFrame::

    @dataclass(frozen=True)
    class Power:
        measure: Annotated[str, Column("measure", whole=True)]
        pairs: int
        found: Annotated[int, Column("significant pairs", general("d")), Data("significant")]
        queries: Annotated[float | None, Column("queries (median pair)", general(".0f"), drop=1)]

        @property
        def share(self) -> Annotated[float, Column("share", fixed(2), before="queries")]:
            return self.found / self.pairs

    Table.of("Discriminative power", Power, rows)

`plain` turns rows and reports into the plain data of JSON, `frame_of` rows into a DataFrame.
"""

from __future__ import annotations

import dataclasses
import html
import os
import re
import textwrap
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from io import StringIO
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args, get_type_hints

import numpy as np
from rich import box
from rich.cells import cell_len, chop_cells
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from ndcg_asymptotics.core.errors import needing
from ndcg_asymptotics.core.text import (
    in_spreadsheet,
    in_tex,
    needs_exponent,
    shortened,
    visible,
    with_error,
)

if TYPE_CHECKING:
    import pandas as pd

WIDTH = 80
"""Characters per line where there is no terminal."""
_NARROWEST = 20  # characters per line of a terminal that can show a table

Form = Literal["table", "csv", "markdown", "latex", "json"]
"""The formats in which tables can be printed."""

_GAP = 2  # characters between columns
_SHORTEST, _WHOLE = 12, 24  # characters that a shortened text keeps, and one of a column that stays whole
_NAME_LINES = 3  # of a heading that is folded at any letter


def fixed(digits: int) -> Callable[[float], str]:
    """Return a function that formats numbers with this many decimals."""
    return lambda value: f"{value:.{digits}f}"


def decimals(digits: int) -> Callable[[float], str]:
    """Return a function that formats numbers with this many decimals, small and large ones with digits.

    >>> [decimals(5)(value) for value in (0.25, 0.0, 1.2345678e-7, 1234567890.0)]
    ['0.25000', '0.00000', '1.2346e-07', '1.2346e+09']
    """

    def formatted(value: float) -> str:
        return f"{value:.{digits - 1}e}" if value and needs_exponent(value) else f"{value:.{digits}f}"

    return formatted


def general(spec: str) -> Callable[[object], str]:
    """Return a function that formats numbers by a format specification, such as ``.1e``."""
    return lambda value: format(value, spec)


class Estimate(float):
    """A number with a bound of its error, which tables write after it.

    >>> found = Estimate(0.85772525, 3e-5)
    >>> print(found.text(), found + 1)
    0.85773 ±4e-5 1.85772525
    """

    error: float

    def __new__(cls, value: float, error: float) -> Estimate:
        self = super().__new__(cls, value)
        self.error = error
        return self

    @classmethod
    def of(cls, value: float | None, error: float | None) -> Estimate | None:
        """Return the number with its error; None where there is none."""
        return None if value is None or error is None else cls(value, error)

    def text(self, digits: int = 6) -> str:
        """Return the number with its error, as in a table, with at most so many significant digits."""
        return with_error(float(self), self.error, digits)


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Parameters
    ----------
    name : str
        The heading.
    show : callable, optional
        Formats a value. Columns without it hold text, which is aligned left and may be shortened.
    drop : int
        The priority for leaving the column out of a table that is too wide: highest first, 0 last.
    fold : bool
        Whether text is folded between words rather than shortened; of numbers, whether the heading, such as
        the name of a run, is folded at any letter before other columns are left out.
    whole : bool
        Whether columns of numbers are left out before text is shortened, up to 24 characters of it.
    together : bool
        Whether the column leaves along with every other one of the same ``drop``.
    keep : bool
        Whether a column of numbers is never left out, because the rows mean nothing without it. Where such
        columns are too wide together, they stand in several tables.
    optional : bool
        Whether the column is left out of a table in which no row has a value.
    before : str
        The field that the column stands before; those of properties stand behind all fields otherwise.
    """

    name: str
    show: Callable[[Any], str] | None = None
    drop: int = 0
    fold: bool = False
    whole: bool = False
    together: bool = False
    keep: bool = False
    optional: bool = False
    before: str = ""

    def text(self, value: object) -> str:
        """Return a value as it is shown; "-" where there is none."""
        if value is None:
            return "-"
        return visible(self.show(value) if self.show else str(value))


@dataclass(frozen=True)
class Data:
    """How a field, or a property, stands in plain data: in JSON, and in a DataFrame of rows.

    Parameters
    ----------
    name : str
        The name there, that of the field by default.
    json, frame : bool
        Whether it is in JSON, and in a DataFrame.
    text : bool
        Whether it is there as the text of its value.
    inline : bool
        Whether the fields of its value, a dataclass, stand in its place, in tables too; they are None where
        it is None. A column of the field itself stands before them.
    before : str
        The field that it stands before.
    """

    name: str = ""
    json: bool = True
    frame: bool = True
    text: bool = False
    inline: bool = False
    before: str = ""


HIDDEN = Data(json=False, frame=False)
"""Of a field that is not in plain data."""


class Declared(NamedTuple):
    """A value of a row: its attribute (a path, if it is that of a part), and where it stands."""

    path: str
    column: Column | None
    data: Data

    @property
    def name(self) -> str:
        """The name of the value in plain data."""
        return self.data.name or self.path.rpartition(".")[2]

    @property
    def before(self) -> str:
        """The field that the value stands before, if it is not where it is declared."""
        return self.data.before or (self.column.before if self.column else "")

    def of(self, row: object) -> Any:
        """Return the value of a row, None if the part that has it is None."""
        for name in self.path.split("."):
            row = None if row is None else getattr(row, name)
        return row

    def plain(self, row: object) -> Any:
        """Return the value of a row as plain data."""
        return str(self.of(row)) if self.data.text else plain(self.of(row))


@cache
def declared(kind: type) -> tuple[Declared, ...]:
    """Return the values of the instances of a dataclass, in the order in which they stand."""
    found = list(_declared_fields(kind))
    for base in reversed(kind.__mro__):
        for name, member in vars(base).items():
            get = member.fget if isinstance(member, property) else getattr(member, "func", None)
            # annotations of other properties may name types that are imported for type checkers only
            if "Annotated[" in str(getattr(get, "__annotations__", {}).get("return")):
                column, data = _stated(get_type_hints(get, include_extras=True)["return"])
                found.append(Declared(name, column, data or HIDDEN))
    order = [one for one in found if not one.before]
    for one in found:
        if one.before:
            paths = [other.path for other in order]
            order.insert(paths.index(_path(one.before, paths)), one)
    return tuple(order)


def _path(name: str, paths: Collection[str]) -> str:
    """Return the first path that is a name, or ends with it.

    >>> _path("mean", ["n", "difference.mean"])
    'difference.mean'
    """
    return name if name in paths else next(path for path in paths if path.endswith(f".{name}"))


def _declared_fields(kind: type) -> Iterator[Declared]:
    hints = get_type_hints(kind, include_extras=True)
    for field in dataclasses.fields(kind):
        column, data = _stated(hints[field.name])
        if data and data.inline:
            if column:
                yield Declared(field.name, column, HIDDEN)
            kind = hints[field.name].__origin__  # a dataclass, or its union with None
            for part in declared(next(iter(get_args(kind)), kind)):
                yield part._replace(path=f"{field.name}.{part.path}")
        else:
            yield Declared(field.name, column, data or Data())


def _stated(hint: object) -> tuple[Column | None, Data | None]:
    """Return the column and the place in plain data that an annotation states."""
    stated = getattr(hint, "__metadata__", ())
    column = next((found for found in stated if isinstance(found, Column)), None)
    return column, next((found for found in stated if isinstance(found, Data)), None)


def plain(value: object) -> Any:
    """Return plain data for JSON: rows and reports as maps of the values they declare, arrays as lists.

    What has a method ``as_dict`` is what this returns. What is not a finite number in an array becomes None.

    >>> plain({"mean": np.array([0.5, np.nan]), "n": np.arange(2)})
    {'mean': [0.5, None], 'n': [0, 1]}
    """
    if hasattr(value, "as_dict"):
        return value.as_dict()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _declared_values(value)
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return (list if isinstance(value, list) else tuple)(map(plain, value))
    if isinstance(value, np.ndarray) and np.issubdtype(value.dtype, np.floating):
        found = value.astype(object)
        found[~np.isfinite(value)] = None
        return found.tolist()
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def _declared_values(row: object) -> dict[str, object]:
    kind: type = type(row)
    return {one.name: one.plain(row) for one in declared(kind) if one.data.json}


def frame_of(kind: type, rows: Iterable[object]) -> pd.DataFrame:
    """Return a DataFrame of the values that a dataclass declares, with a row for each of its instances."""
    import pandas as pd

    shown = [one for one in declared(kind) if one.data.frame]
    values = [[one.plain(row) for one in shown] for row in rows]
    return pd.DataFrame(values, columns=[one.name for one in shown])


class Frame:
    """Base class of what has a DataFrame: it passes the DataFrame on to libraries that read Arrow streams."""

    @abstractmethod
    def to_dataframe(self) -> pd.DataFrame:
        """Return the values, unrounded."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the DataFrame as an Arrow stream, which polars, pyarrow and DuckDB read."""
        with needing("pyarrow", "Arrow streams are made by"):
            import pyarrow as pa
        table = pa.Table.from_pandas(self.to_dataframe(), preserve_index=False)
        stream: object = table.__arrow_c_stream__(requested_schema)
        return stream

    def to_polars(self) -> Any:
        """Return the DataFrame as one of polars.

        Raises
        ------
        InputError
            If polars or pyarrow is not installed.
        """
        with needing("polars", "frames of polars are made by"):
            import polars as pl
        return pl.DataFrame(self)


@dataclass(frozen=True)
class Table(Frame):
    """Rows of values under columns; a detail is left out where only the answer is shown."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[object, ...], ...]
    detail: bool = False

    @classmethod
    def of(cls, title: str, kind: type, rows: Iterable[object], *shown: str, **headings: str | None) -> Table:
        """Return the table of the columns that a dataclass declares, with a row for each of its instances.

        Parameters
        ----------
        title : str
        kind : type
            The dataclass.
        rows : instances of it
        *shown : str
            The fields whose columns are shown, in order; by default all.
        **headings : str or None
            Headings that depend on the data, by field; None leaves the column out.
        """
        every = list(rows)
        declares = {one.path: (one, one.column) for one in declared(kind) if one.column}
        columns, values = [], []
        for name in shown or declares:
            one, column = declares[_path(name, declares)]
            leaf = one.path.rpartition(".")[2]
            heading = headings.get(name, headings.get(leaf, column.name))
            found = [one.of(row) for row in every]
            if heading is not None and not (column.optional and all(value is None for value in found)):
                columns.append(dataclasses.replace(column, name=heading))
                values.append(found)
        return cls(title, tuple(columns), tuple(zip(*values, strict=True)))

    def to_dataframe(self) -> pd.DataFrame:
        """Return the values, unrounded, and behind each `Estimate` its error."""
        import pandas as pd

        frame = pd.DataFrame(list(self.rows), columns=[column.name for column in self.columns])
        for i, column in reversed(list(enumerate(self.columns))):
            values = [row[i] for row in self.rows]
            if any(isinstance(value, Estimate) for value in values):
                errors = [value.error if isinstance(value, Estimate) else None for value in values]
                frame.insert(i + 1, f"error of {column.name}", errors)
        return frame

    def texts(self) -> list[list[str]]:
        """Return the rows as they are shown."""
        return [[c.text(value) for c, value in zip(self.columns, row, strict=True)] for row in self.rows]

    def parts(self, width: int) -> list[Table]:
        """Return the table, or several with its first column if those that are kept are too wide together."""
        texts = self.texts()
        widths = [
            max([0 if c.fold else _longest_word(c.name), *(cell_len(row[i]) for row in texts)]) + _GAP
            for i, c in enumerate(self.columns)
        ]
        free = width - min(widths[0], _SHORTEST + _GAP)
        cut: list[list[int]] = [[]]
        for i, column in list(enumerate(self.columns))[1:]:
            if column.keep and cut[-1] and sum(widths[j] for j in [*cut[-1], i]) > free:
                cut.append([])
            cut[-1].append(i)
        if len(cut) == 1:
            return [self]
        return [
            Table(
                "" if number else self.title,
                tuple(self.columns[i] for i in [0, *places]),
                tuple(tuple(row[i] for i in [0, *places]) for row in self.rows),
                self.detail,
            )
            for number, places in enumerate(cut)
        ]

    def fitted(self, width: int) -> tuple[RichTable, list[str]]:
        """Return the table in at most ``width`` characters, and the headings of columns left out for that.

        The table has no title, which may be wider than it. If the table is too wide, headings are folded
        between words, then columns with a ``drop`` are left out, then texts are shortened, then columns of
        numbers are left out from the right. Two columns always stay, and so do those with ``keep``.
        """
        texts, names = self.texts(), [visible(c.name) for c in self.columns]
        numeric = [c.show is not None for c in self.columns]
        words = [
            0 if number and c.fold else _longest_word(name)
            for name, number, c in zip(names, numeric, self.columns, strict=True)
        ]
        cells = [
            max((_longest_word(row[i]) if c.fold else cell_len(row[i]) for row in texts), default=0)
            for i, c in enumerate(self.columns)
        ]
        whole = [max(cell, word, 1) for cell, word in zip(cells, words, strict=True)]
        least = [
            width if number else min(width, max(word, _WHOLE if column.whole or column.fold else _SHORTEST))
            for width, word, number, column in zip(whole, words, numeric, self.columns, strict=True)
        ]
        kept = list(range(len(names)))

        def excess(widths: Sequence[int]) -> int:
            return sum(widths[i] for i in kept) + _GAP * len(kept) - 1 - width

        while excess(whole) > 0 and any(self.columns[i].drop for i in kept):
            last = max(kept, key=lambda i: (self.columns[i].drop, i))
            drop = self.columns[last].drop
            kept = [
                i
                for i in kept
                if i != last and not (self.columns[i].together and self.columns[i].drop == drop)
            ]
        free = [i for i in kept[1:] if numeric[i] and not self.columns[i].keep]
        while excess(least) > 0 and len(kept) > 2 and free:
            kept.remove(free.pop())
        widths = list(least)
        while (
            excess(widths) > 0 and max(widths[i] for i in kept) > 1
        ):  # even the remaining columns are too wide
            widths[max(kept, key=lambda i: (widths[i] > cells[i] or not numeric[i], widths[i]))] -= 1
        full = [max(width, cell_len(name)) for width, name in zip(whole, names, strict=True)]
        with_names = [f if c.fold else w for w, f, c in zip(whole, full, self.columns, strict=True)]
        entire = [
            max(f, *(cell_len(row[i]) for row in texts)) if c.fold and not c.show and texts else f
            for i, (f, c) in enumerate(zip(full, self.columns, strict=True))
        ]
        for wanted in (whole, with_names, full, entire):
            # the columns that lack most get the remaining width; values come before headings
            while excess(widths) < 0 and (short := [i for i in kept if widths[i] < wanted[i]]):
                widths[max(short, key=lambda i: wanted[i] - widths[i])] += 1
        table = RichTable(
            box=box.SIMPLE_HEAD,
            show_edge=False,
            padding=(0, 1, 0, 0),
        )
        for i in kept:
            at_letters = numeric[i] and self.columns[i].fold
            table.add_column(
                Text("\n".join(_folded(names[i], widths[i], at_letters=at_letters))),
                justify="right" if numeric[i] else "left",
                no_wrap=not self.columns[i].fold,
                max_width=widths[i],
            )
        for row in texts:
            table.add_row(
                *(Text(row[i] if self.columns[i].fold else shortened(row[i], widths[i])) for i in kept)
            )
        return table, [name for i, name in enumerate(names) if i not in kept]

    def to_html(self) -> str:
        """Return the table for a notebook."""
        head = "".join(f"<th>{html.escape(visible(column.name))}</th>" for column in self.columns)
        rows = ("".join(f"<td>{html.escape(text)}</td>" for text in row) for row in self.texts())
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        caption = f"<caption>{html.escape(visible(self.title))}</caption>" if self.title else ""
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def to_csv(self) -> str:
        """Return the values as CSV, unrounded; a missing value is empty."""
        return csv_of(self.to_dataframe().astype(object))

    def to_markdown(self) -> str:
        """Return the table in Markdown, as GitHub and most sites read it.

        pandas would need tabulate for this, and the escapes all the same.
        """
        rows = [[visible(column.name) for column in self.columns], *self.texts()]
        escaped = [[re.sub(r"([\\|*_`<>\[\]])", r"\\\1", text) for text in row] for row in rows]
        rule = ["---:" if column.show else "---" for column in self.columns]
        lines = [f"| {' | '.join(row)} |" for row in (escaped[0], rule, *escaped[1:])]
        title = f"{visible(self.title)}\n\n" if self.title else ""
        return title + "\n".join(lines) + "\n"

    def to_latex(self) -> str:
        """Return the table in LaTeX, for the package booktabs."""
        import pandas as pd

        rows = [[in_tex(text) for text in row] for row in self.texts()]
        frame = pd.DataFrame(rows, columns=[in_tex(column.name) for column in self.columns])
        kinds = "".join("r" if column.show else "l" for column in self.columns)
        title = f"% {visible(self.title)}\n" if self.title else ""
        return title + str(frame.to_latex(index=False, escape=False, column_format=kinds))


@dataclass(frozen=True)
class Line:
    """A line of text, with one of rich's styles; a detail is left out where only the answer is shown."""

    text: str
    style: str = ""
    detail: bool = False


def facts(title: str, rows: Iterable[tuple[str, object]]) -> Table:
    """Return a table of names and what they stand for."""
    return Table(title, (Column("what"), Column("value", fold=True)), tuple(rows))


ReportBlock = Table | Line
"""One piece of a report."""


def remark_lines(remarks: Iterable[str], *, warnings: bool) -> Iterator[Line]:
    """Yield the remarks that are warnings, which stand before an answer, or the others.

    >>> [line.text for line in remark_lines(["Warning: few queries", "a lacks 1"], warnings=True)]
    ['Warning: few queries.']
    """
    return (Line(f"{remark}.") for remark in remarks if remark.startswith("Warning") == warnings)


def details(blocks: Iterable[ReportBlock]) -> Iterator[ReportBlock]:
    """Yield blocks as details: what explains an answer and its table, or adds to them."""
    return (dataclasses.replace(block, detail=True) for block in blocks)


class Shown:
    """Base class of values that a notebook shows as tables and lines."""

    @abstractmethod
    def blocks(self) -> Iterable[ReportBlock]:
        """Return the tables and lines, in order."""

    def _repr_html_(self) -> str:
        return "".join(
            block.to_html()
            if isinstance(block, Table)
            else f"<p>{html.escape(visible(block.text.strip()))}</p>"
            for block in self.blocks()
        )


class Report(Frame, Shown):
    """Base class of dataclasses that print as blocks, on a terminal and in a notebook."""

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data, for JSON."""
        return _declared_values(self)

    def to_dataframe(self) -> pd.DataFrame:
        """Return ``rows``, one row each; without such an attribute ``by_query``, else the first table."""
        if rows := getattr(self, "rows", None):
            return frame_of(type(rows[0]), rows)
        if by_query := getattr(self, "by_query", None):
            return by_query.to_dataframe()
        return next(block for block in self.blocks() if isinstance(block, Table)).to_dataframe()

    def __str__(self) -> str:
        file = StringIO()
        # within a notebook rich would also show by itself what is printed; FORCE_COLOR is about terminals
        console = Console(file=file, width=WIDTH, highlight=False, force_jupyter=False, force_terminal=False)
        print_blocks(self.blocks(), console)
        return file.getvalue().rstrip()

    __repr__ = __str__


def _folded(name: str, width: int, *, at_letters: bool) -> list[str]:
    """Return the lines of a heading, folded between words or at any letter; three lines have both its ends.

    >>> _folded("corrected p", 9, at_letters=False), _folded("feature 25", 7, at_letters=True)
    (['corrected', 'p'], ['feature', '25'])
    >>> _folded("a-long-name-of-a-run-v1", 6, at_letters=True)
    ['a-long', '…of-a-', 'run-v1']
    """
    if not at_letters:
        return [
            shortened(line, width) for line in textwrap.wrap(name, width, break_long_words=False) or [name]
        ]
    lines = [
        part
        for line in textwrap.wrap(name, width, break_on_hyphens=False)
        for part in chop_cells(line, width)
    ] or [name]
    if len(lines) > _NAME_LINES:
        end = chop_cells(name[::-1], (_NAME_LINES - 1) * width - 1)[0][::-1]
        lines = [lines[0], *chop_cells(f"…{end}", width)]
    return lines


def _longest_word(text: str) -> int:
    return max(map(cell_len, text.split()), default=0)


def console() -> Console:
    """Return a console for stdout: as wide as the terminal or COLUMNS says, else `WIDTH`."""
    found = Console(highlight=False)
    stated = os.environ.get("COLUMNS", "").isdigit()
    # some terminals have no size, and COLUMNS=0 says nothing of the width
    if (found.is_terminal or stated) and found.width >= _NARROWEST:
        return found
    return Console(highlight=False, width=WIDTH)


def print_blocks(blocks: Iterable[ReportBlock], console: Console, *, verbose: bool = True) -> None:
    """Print tables that fit the width of the console, and lines, which a terminal folds between words.

    Without ``verbose`` the details are left out, and a last line says how many there are.
    """
    hidden: list[ReportBlock] = []
    narrowed = 0  # columns left out for lack of width
    below_table = False
    for block in blocks:
        if block.detail and not verbose:
            hidden.append(block)
            continue
        if below_table:
            console.print()
        below_table = isinstance(block, Table)
        if isinstance(block, Table):
            if block.title:
                console.print(Text(visible(block.title), "bold"))
            left_out = []
            for number, part in enumerate(block.parts(console.width)):
                if number:
                    console.print()
                table, names = part.fitted(console.width)
                console.print(table)
                left_out += names
            if left_out and verbose:
                console.print(Text(f"Left out for lack of width: {', '.join(left_out)}."))
            narrowed += len(left_out)
        else:
            text = "\n".join(map(visible, block.text.split("\n")))
            console.print(Text(text, block.style), soft_wrap=not console.is_terminal)
    if more := _more(hidden, 0 if verbose else narrowed):
        console.print(Text(more, "dim"))


def _more(hidden: Sequence[ReportBlock], narrowed: int) -> str:
    """Return where the rest of an output is, empty if there is none."""
    tables = sum(isinstance(block, Table) for block in hidden)
    counts = ((len(hidden) - tables, "note"), (tables, "table"))
    said = [f"{count} {noun}{'s' * (count > 1)}" for count, noun in counts if count]
    parts = [f"{' and '.join(said)} with -v"] if said else []
    if narrowed:
        parts.append(f"{narrowed} column{'s' * (narrowed > 1)} with --format csv")
    return f"More: {'; '.join(parts)}." if parts else ""


def in_format(blocks: Iterable[ReportBlock], form: str) -> str:
    """Return the tables among some blocks as CSV, Markdown or LaTeX, separated by empty lines."""
    write = {"csv": Table.to_csv, "markdown": Table.to_markdown, "latex": Table.to_latex}[form]
    return "\n".join(write(block) for block in blocks if isinstance(block, Table))


def csv_of(frame: pd.DataFrame) -> str:
    """Return a DataFrame as CSV, in which a spreadsheet reads no text as a formula."""
    import pandas as pd

    rows = [[in_spreadsheet(value) for value in row] for row in frame.itertuples(index=False, name=None)]
    # object: a column of whole numbers and None would be written as one of fractions
    safe = pd.DataFrame(rows, columns=[in_spreadsheet(str(name)) for name in frame.columns], dtype=object)
    return str(safe.to_csv(index=False, lineterminator="\n"))
