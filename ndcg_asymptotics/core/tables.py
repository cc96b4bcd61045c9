"""Tables and lines of text for a terminal, a notebook, a DataFrame and a file.

The outcome of an analysis is a `Report`, which consists of blocks: tables and lines.
"""

from __future__ import annotations

import dataclasses
import html
import os
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Any, Literal

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from ndcg_asymptotics.core.rows import Column, Estimate, declared, frame_of, path_in, plain_values
from ndcg_asymptotics.core.text import in_tex, shortened, visible

if TYPE_CHECKING:
    import pandas as pd

WIDTH = 80
"""Characters per line where there is no terminal."""
_NARROWEST = 20  # characters per line of a terminal that can show a table

_GAP = 2  # characters between columns
_SHORTEST = 24  # characters that a shortened text keeps before columns leave to a second table


@dataclass(frozen=True)
class Table:
    """Rows of values under columns; a detail is left out where only the answer is shown."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[object, ...], ...]
    detail: bool = False

    def __post_init__(self) -> None:
        """Leave out each optional column in which no row has a value or a text."""
        places = [
            i
            for i, column in enumerate(self.columns)
            if not column.optional or any(row[i] is not None and row[i] != "" for row in self.rows)
        ]
        if len(places) < len(self.columns):
            object.__setattr__(self, "columns", tuple(self.columns[i] for i in places))
            object.__setattr__(self, "rows", tuple(tuple(row[i] for i in places) for row in self.rows))

    @classmethod
    def of(
        cls, title: str, kind: type, rows: Iterable[object], *fields: str, **headings: str | None
    ) -> Table:
        """Return the table of the columns that a dataclass declares, with a row for each of its instances.

        Parameters
        ----------
        title : str
        kind : type
            The dataclass.
        rows : instances of it
        *fields : str
            The fields whose columns are shown, in order; by default all.
        **headings : str or None
            Headings that depend on the data, by field; None leaves the column out.
        """
        instances = list(rows)
        declares = {value.path: (value, value.column) for value in declared(kind) if value.column}
        columns, values = [], []
        for name in fields or declares:
            value, column = declares[path_in(name, declares)]
            leaf = value.path.rpartition(".")[2]
            heading = headings.get(name, headings.get(leaf, column.name))
            if heading is not None:
                columns.append(dataclasses.replace(column, name=heading))
                values.append([value.of(row) for row in instances])
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

    def parts(self, width: int) -> list[list[int]]:
        """Return the columns of each of the tables in which all of them fit a width.

        Text at the left, and what is a ``key``, names the rows and stands in every table. Of the other
        columns those with the highest ``later`` make room for the rest, then those at the right.
        """
        least = [low + _GAP for low, *_ in self._widths(width)]
        names_rows = [not i or c.key or not (c.show or c.later) for i, c in enumerate(self.columns)]
        keys = list(range([*names_rows, False].index(False)))
        remaining = list(range(len(keys), len(least)))
        tables = []
        while True:
            columns = list(remaining)
            while len(columns) > 1 and sum(least[i] for i in [*keys, *columns]) - 1 > width:
                columns.remove(max(columns, key=lambda i: (self.columns[i].later, i)))
            tables.append([*keys, *columns])
            remaining = [i for i in remaining if i not in columns]
            if not remaining:
                return tables

    def _widths(self, width: int) -> list[tuple[int, int, int]]:
        """Return for each column its least width, that of whole values and names, and that without folds."""
        widths = []
        for column, *cells in zip(self.columns, *self.texts(), strict=True):
            name = visible(column.name)
            at_letters = column.fold and column.show is not None
            word = 0 if at_letters else _longest_word(name)
            values = max(map(_longest_word if column.fold else cell_len, cells), default=0)
            whole = max(values, word, 1)
            least = whole if column.show else min(width, whole, max(word, _SHORTEST))
            most = max(whole, *map(cell_len, [name, *cells]))
            widths.append((least, most if at_letters else whole, most))
        return widths

    def fitted(self, width: int) -> Iterator[RichTable]:
        """Yield the table in at most ``width`` characters, as several tables if it is wider.

        Headings are folded between words, then texts are shortened, then columns stand in further tables
        (`parts`). The tables have no title, which may be wider than they are.
        """
        all_widths, texts = self._widths(width), self.texts()
        for places in self.parts(width):
            columns, targets = [self.columns[i] for i in places], [all_widths[i] for i in places]
            widths = [least for least, _, _ in targets]
            free = width + 1 - sum(widths) - _GAP * len(widths)
            for level in (1, 2):
                # the columns that lack most get the remaining width; values come before headings
                while free > 0:
                    lacks = [want[level] - have for want, have in zip(targets, widths, strict=True)]
                    if max(lacks) <= 0:
                        break
                    widths[lacks.index(max(lacks))] += 1
                    free -= 1
            table = RichTable(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
            for column, most in zip(columns, widths, strict=True):
                lines = Text(visible(column.name)).wrap(Console(), most)
                heading = Text("\n".join(line.plain.rstrip() for line in lines))
                justify: Literal["left", "right"] = "right" if column.show else "left"
                table.add_column(heading, justify=justify, no_wrap=not column.fold, max_width=most)
            for row in texts:
                cells = (
                    row[i] if column.fold or column.show else shortened(row[i], most)
                    for i, column, most in zip(places, columns, widths, strict=True)
                )
                table.add_row(*map(Text, cells))
            yield table

    def to_csv(self) -> str:
        """Return the values as CSV, unrounded; a missing value is empty."""
        return str(self.to_dataframe().to_csv(index=False, lineterminator="\n"))

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

    def _text(self) -> str:
        file = StringIO()
        # within a notebook rich would also show by itself what is printed; FORCE_COLOR is about terminals
        console = Console(file=file, width=WIDTH, highlight=False, force_jupyter=False, force_terminal=False)
        print_blocks(self.blocks(), console)
        return file.getvalue().rstrip()

    __repr__ = _text

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._text())}</pre>"


class Report(Shown):
    """Base class of dataclasses that print as blocks, on a terminal and in a notebook."""

    def long(self) -> Iterable[ReportBlock]:
        """Return all blocks, with tables that are too long for a first look."""
        return self.blocks()

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data, for JSON."""
        return plain_values(self)

    def to_dataframe(self) -> pd.DataFrame:
        """Return ``rows``, one row each; without such an attribute ``by_query``, else the first table."""
        if rows := getattr(self, "rows", None):
            return frame_of(type(rows[0]), rows)
        if by_query := getattr(self, "by_query", None):
            return by_query.to_dataframe()
        return next(block for block in self.blocks() if isinstance(block, Table)).to_dataframe()

    __str__ = __repr__ = Shown._text


def _longest_word(text: str) -> int:
    return max(map(cell_len, text.split()), default=0)


def console() -> Console:
    """Return a console for stdout: as wide as the terminal or COLUMNS says, else `WIDTH`."""
    terminal = Console(highlight=False)
    has_columns = os.environ.get("COLUMNS", "").isdigit()
    # some terminals have no size, and COLUMNS=0 says nothing of the width
    if (terminal.is_terminal or has_columns) and terminal.width >= _NARROWEST:
        return terminal
    return Console(highlight=False, width=WIDTH)


def print_blocks(blocks: Iterable[ReportBlock], console: Console, *, verbose: bool = True) -> None:
    """Print tables that fit the width of the console, and lines, which a terminal folds between words.

    Without ``verbose`` the details are left out, and a last line says how many there are.
    """
    hidden: list[ReportBlock] = []
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
            for number, table in enumerate(block.fitted(console.width)):
                if number:
                    console.print()
                console.print(table)
        else:
            text = "\n".join(map(visible, block.text.split("\n")))
            console.print(Text(text, block.style), soft_wrap=not console.is_terminal)
    tables = sum(isinstance(block, Table) for block in hidden)
    counts = ((len(hidden) - tables, "note"), (tables, "table"))
    if counts_text := " and ".join(f"{count} {noun}{'s' * (count > 1)}" for count, noun in counts if count):
        console.print(Text(f"More: {counts_text} with -v.", "dim"))


def in_format(blocks: Iterable[ReportBlock], form: str) -> str:
    """Return the tables among some blocks as CSV or LaTeX, separated by empty lines."""
    write = {"csv": Table.to_csv, "latex": Table.to_latex}[form]
    return "\n".join(write(block) for block in blocks if isinstance(block, Table))
