"""Reports: tables and lines of text for a terminal, a notebook, a DataFrame and a file.

The outcome of an analysis is a `Report`, which consists of blocks: tables and lines. A table's columns
are declared once, on the fields of the dataclass whose instances are its rows::

    @dataclass(frozen=True)
    class Power:
        measure: Annotated[str, Column("measure", whole=True)]
        pairs: int
        queries: Annotated[float | None, Column("queries (median pair)", general(".0f"), drop=1)]

    Table.of("Discriminative power", Power, rows)

Columns that are computed from several fields are listed as `Column` objects instead.
"""

from __future__ import annotations

import dataclasses
import html
import os
import re
import textwrap
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from io import StringIO
from typing import TYPE_CHECKING, Any, Literal, get_type_hints

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.text import in_spreadsheet, in_tex, shortened, visible, with_error

if TYPE_CHECKING:
    import pandas as pd

WIDTH = 80
"""Characters per line where there is no terminal."""
_NARROWEST = 20  # characters per line of a terminal that can show a table

Form = Literal["table", "csv", "markdown", "latex", "json"]
"""The formats in which tables can be printed."""

_GAP = 2  # characters between columns
_SHORTEST, _WHOLE = 12, 24  # characters that a shortened text keeps, and one of a column that stays whole


def fixed(digits: int) -> Callable[[float], str]:
    """Return a function that formats numbers with this many decimals."""
    return lambda value: f"{value:.{digits}f}"


def decimals(digits: int) -> Callable[[float], str]:
    """Return a function that formats numbers with this many decimals, small and large ones with digits.

    >>> [decimals(5)(value) for value in (0.25, 0.0, 1.2345678e-7, 1234567890.0)]
    ['0.25000', '0.00000', '1.2346e-07', '1.2346e+09']
    """

    def formatted(value: float) -> str:
        plain = value == 0 or _SMALL <= abs(value) < _LARGE
        return f"{value:.{digits}f}" if plain else f"{value:.{digits - 1}e}"

    return formatted


def general(spec: str) -> Callable[[Any], str]:
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


_SMALL = 1e-3  # below, `decimals` would show two digits or less
_LARGE = 1e6  # from here on it would show digits that nobody reads


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
        Whether text is folded between words rather than shortened.
    whole : bool
        Whether columns of numbers are left out before text is shortened, up to 24 characters of it.
    together : bool
        Whether the column leaves along with every other one of the same ``drop``.
    keep : bool
        Whether a column of numbers is never left out, because the rows mean nothing without it.
    """

    name: str
    show: Callable[[Any], str] | None = None
    drop: int = 0
    fold: bool = False
    whole: bool = False
    together: bool = False
    keep: bool = False

    def text(self, value: Any) -> str:
        """Return a value as it is shown; "-" where there is none."""
        if value is None:
            return "-"
        return visible(self.show(value) if self.show else str(value))


class Frame:
    """Base class of what has a DataFrame: it passes the DataFrame on to libraries that read Arrow streams."""

    @abstractmethod
    def to_dataframe(self) -> pd.DataFrame:
        """Return the values, unrounded."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the DataFrame as an Arrow stream, which polars, pyarrow and DuckDB read."""
        try:
            import pyarrow as pa
        except ImportError:
            raise InputError(
                "Arrow streams need pyarrow, which is not installed: pip install pyarrow"
            ) from None
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
        try:
            import polars as pl
        except ImportError:
            raise InputError("polars is not installed: pip install polars") from None
        return pl.DataFrame(self)


@dataclass(frozen=True)
class Table(Frame):
    """Rows of values under columns."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]

    @classmethod
    def of(cls, title: str, kind: type, rows: Sequence[Any], **names: str) -> Table:
        """Return the table of instances of a dataclass whose fields are annotated with a `Column`.

        Parameters
        ----------
        title : str
        kind : type
            The dataclass.
        rows : instances of it
        **names : str
            Headings that depend on the data, by field.
        """
        hints = get_type_hints(kind, include_extras=True)
        declared = {
            field.name: column
            for field in dataclasses.fields(kind)
            for column in getattr(hints[field.name], "__metadata__", ())
            if isinstance(column, Column)
        }
        columns = tuple(
            dataclasses.replace(c, name=names.get(field, c.name)) for field, c in declared.items()
        )
        return cls(title, columns, tuple(tuple(getattr(row, field) for field in declared) for row in rows))

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

    def fitted(self, width: int) -> tuple[RichTable, list[str]]:
        """Return the table in at most ``width`` characters, and the headings of columns left out for that.

        The table has no title, which may be wider than it. If the table is too wide, headings are folded
        between words, then columns with a ``drop`` are left out, then texts are shortened, then columns of
        numbers are left out from the right. Two columns always stay, and so do those with ``keep``.
        """
        texts, names = self.texts(), [visible(c.name) for c in self.columns]
        words = [_longest_word(name) for name in names]
        cells = [
            max((_longest_word(row[i]) if c.fold else cell_len(row[i]) for row in texts), default=0)
            for i, c in enumerate(self.columns)
        ]
        numeric = [c.show is not None for c in self.columns]
        whole = [max(cell, word, 1) for cell, word in zip(cells, words, strict=True)]
        least = [
            width if number else min(width, max(word, _WHOLE if column.whole or column.fold else _SHORTEST))
            for width, word, number, column in zip(whole, words, numeric, self.columns, strict=True)
        ]
        kept = list(range(len(names)))

        def excess(widths: Sequence[int]) -> int:
            return sum(widths[i] for i in kept) + _GAP * len(kept) - width

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
        for wanted in (whole, [max(width, cell_len(name)) for width, name in zip(whole, names, strict=True)]):
            # the columns that lack most get the remaining width; values come before headings
            while excess(widths) < 0 and (short := [i for i in kept if widths[i] < wanted[i]]):
                widths[max(short, key=lambda i: wanted[i] - widths[i])] += 1
        table = RichTable(
            box=box.SIMPLE_HEAD,
            show_edge=False,
            padding=(0, 1, 0, 0),
        )
        for i in kept:
            folded = textwrap.wrap(names[i], widths[i], break_long_words=False) or [names[i]]
            table.add_column(
                Text("\n".join(shortened(line, widths[i]) for line in folded)),
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
    """A line of text, with one of rich's styles."""

    text: str
    style: str = ""


ReportBlock = Table | Line
"""One piece of a report."""


class Report(Frame):
    """Base class of dataclasses that print as blocks, on a terminal and in a notebook."""

    @abstractmethod
    def blocks(self) -> Iterable[ReportBlock]:
        """Return the tables and lines, in order."""

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data, for JSON."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]

    def to_dataframe(self) -> pd.DataFrame:
        """Return the fields of ``rows``, one row each; without such an attribute, the first table."""
        import pandas as pd

        if rows := getattr(self, "rows", None):
            return pd.DataFrame([asdict(row) for row in rows])
        return next(block for block in self.blocks() if isinstance(block, Table)).to_dataframe()

    def __str__(self) -> str:
        file = StringIO()
        # within a notebook rich would also show by itself whatever is printed to a console
        print_blocks(self.blocks(), Console(file=file, width=WIDTH, highlight=False, force_jupyter=False))
        return file.getvalue().rstrip()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return "".join(
            block.to_html()
            if isinstance(block, Table)
            else f"<p>{html.escape(visible(block.text.strip()))}</p>"
            for block in self.blocks()
        )


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


def print_blocks(blocks: Iterable[ReportBlock], console: Console) -> None:
    """Print tables that fit the width of the console, and lines, which a terminal folds between words."""
    for block in blocks:
        if isinstance(block, Table):
            table, left_out = block.fitted(console.width)
            if block.title:
                console.print(Text(visible(block.title), "bold"))
            console.print(table)
            if left_out:
                console.print(Text(f"Left out for lack of width: {', '.join(left_out)}."))
            console.print()
        else:
            text = "\n".join(map(visible, block.text.split("\n")))
            console.print(Text(text, block.style), soft_wrap=not console.is_terminal)


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
