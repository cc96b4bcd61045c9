"""Tables of results: the same numbers for a terminal, a notebook, a DataFrame and a file.

What an analysis finds is `Shown`: it says which tables and lines it is made of, and prints so.
"""

from __future__ import annotations

import csv
import html
import math
import re
import textwrap
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Any, Literal

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from ndcg_asymptotics.core.text import in_spreadsheet, in_tex, shortened, visible

if TYPE_CHECKING:
    import pandas as pd

WIDTH = 100
"""Columns of text where there is no terminal to ask."""

_GAP = 2  # characters between columns
_SHORTEST = 8  # characters that a shortened text keeps


def fixed(digits: int) -> Callable[[float], str]:
    """Numbers with so many decimals."""
    return lambda value: f"{value:.{digits}f}"


def general(spec: str) -> Callable[[Any], str]:
    """Numbers in a format of Python's, such as ``.1e``."""
    return lambda value: format(value, spec)


@dataclass(frozen=True)
class Column:
    """A column: its heading, how a value is shown, and how soon it goes where there is no room for all.

    Columns of the highest ``drop`` go first; those of 0 stay. A column without ``show`` holds texts, which
    may be shortened, or folded between words if ``fold`` says so.
    """

    name: str
    show: Callable[[Any], str] | None = None
    drop: int = 0
    fold: bool = False

    def text(self, value: Any) -> str:
        """A value as it is shown; "-" where there is none."""
        if value is None:
            return "-"
        return self.show(value) if self.show else visible(str(value))


@dataclass(frozen=True)
class Table:
    """Rows of values under columns."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]

    def to_dataframe(self) -> pd.DataFrame:
        """The values, unrounded."""
        import pandas as pd

        return pd.DataFrame(list(self.rows), columns=[column.name for column in self.columns])

    def fitted(self, width: int) -> RichTable:
        """The table in at most ``width`` characters.

        Where there is no room, headings take several lines, then columns are left out, then texts and
        headings are shortened, then numbers are left out from the right; a number is never folded.
        """
        texts, names = self.texts(), [visible(column.name) for column in self.columns]
        cells = [max(map(cell_len, column), default=0) for column in _transposed(texts, len(names))]
        widths = [max(room, cell_len(name)) for room, name in zip(cells, names, strict=True)]
        words = [max(room, *map(cell_len, name.split()), 1) for room, name in zip(cells, names, strict=True)]
        kept = list(range(len(names)))
        while _total(widths, kept) > width and widths != words:
            widths[max(kept, key=lambda i: widths[i] - words[i])] -= 1
        heads = [_folded(name, room) for name, room in zip(names, widths, strict=True)]
        while _total(widths, kept) > width and any(self.columns[i].drop for i in kept):
            kept.remove(max(kept, key=lambda i: (self.columns[i].drop, i)))
        while _total(widths, kept) > width:
            least = [cells[i] if column.show else _SHORTEST for i, column in enumerate(self.columns)]
            longest = max((i for i in kept if widths[i] > least[i]), key=widths.__getitem__, default=-1)
            if longest >= 0:
                widths[longest] -= 1
            elif len(kept) > 2:
                # nothing is left to shorten; names and verdicts say what it is about
                kept.remove(next((i for i in kept[:0:-1] if self.columns[i].show), kept[len(kept) // 2]))
            else:
                break
        table = RichTable(
            title=Text(visible(self.title), "bold") if self.title else None,
            title_justify="left",
            box=box.SIMPLE_HEAD,
            show_edge=False,
            padding=(0, 1, 0, 0),
        )
        for i in kept:
            column = self.columns[i]
            side: Literal["left", "right"] = "left" if column.show is None else "right"
            head = Text("\n".join(shortened(line, widths[i]) for line in heads[i]))
            table.add_column(head, justify=side, no_wrap=not column.fold, max_width=widths[i])
        for row in texts:
            table.add_row(
                *(Text(row[i] if self.columns[i].fold else shortened(row[i], widths[i])) for i in kept)
            )
        return table

    def texts(self) -> list[list[str]]:
        """The rows as they are shown."""
        return [[visible(column.text(value)) for column, value in zip(self.columns, row, strict=True)]
                for row in self.rows]  # fmt: skip

    def to_html(self) -> str:
        """The table for a notebook."""
        head = "".join(f"<th>{html.escape(visible(column.name))}</th>" for column in self.columns)
        rows = ("".join(f"<td>{html.escape(text)}</td>" for text in row) for row in self.texts())
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        caption = f"<caption>{html.escape(visible(self.title))}</caption>" if self.title else ""
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def to_csv(self) -> str:
        """The values, unrounded; nothing where there is none or no number."""
        file = StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(in_spreadsheet(column.name) for column in self.columns)
        for row in self.rows:
            nothing = (value is None or (isinstance(value, float) and math.isnan(value)) for value in row)
            writer.writerow(
                "" if none else in_spreadsheet(value) for value, none in zip(row, nothing, strict=True)
            )
        return file.getvalue()

    def to_markdown(self) -> str:
        """The table in Markdown, as GitHub and most sites read it."""
        rows = [[visible(column.name) for column in self.columns], *self.texts()]
        escaped = [[re.sub(r"([\\|*_`<>\[\]])", r"\\\1", text) for text in row] for row in rows]
        rule = ["---:" if column.show else "---" for column in self.columns]
        lines = [f"| {' | '.join(row)} |" for row in (escaped[0], rule, *escaped[1:])]
        title = f"{visible(self.title)}\n\n" if self.title else ""
        return title + "\n".join(lines) + "\n"

    def to_latex(self) -> str:
        """The table in LaTeX, for the package booktabs."""

        def line(row: Iterable[str]) -> str:
            return " & ".join(in_tex(text) for text in row) + r" \\"

        kinds = "".join("r" if column.show else "l" for column in self.columns)
        lines = [
            rf"\begin{{tabular}}{{{kinds}}}",
            r"\toprule",
            line(c.name for c in self.columns),
            r"\midrule",
        ]
        lines += [line(row) for row in self.texts()]
        lines += [r"\bottomrule", r"\end{tabular}"]
        title = f"% {visible(self.title)}\n" if self.title else ""
        return title + "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Line:
    """A line of words, with one of rich's styles."""

    text: str
    style: str = ""


Part = Table | Line


class Shown:
    """What prints as its tables and lines, in a terminal and in a notebook."""

    @abstractmethod
    def parts(self) -> Iterable[Part]:
        """Tables and lines, in order."""

    def to_dataframe(self) -> pd.DataFrame:
        """The rows of the first table, unrounded."""
        return next(part for part in self.parts() if isinstance(part, Table)).to_dataframe()

    def __str__(self) -> str:
        file = StringIO()
        # within a notebook rich would also show by itself whatever is printed to a console
        print_parts(self.parts(), Console(file=file, width=WIDTH, highlight=False, force_jupyter=False))
        return file.getvalue().rstrip()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return "".join(
            part.to_html() if isinstance(part, Table) else f"<p>{html.escape(visible(part.text))}</p>"
            for part in self.parts()
        )


def print_parts(parts: Iterable[Part], console: Console) -> None:
    """Print tables, as wide as the console, and lines, which a terminal folds between words."""
    for part in parts:
        if isinstance(part, Table):
            console.print(part.fitted(console.width))
            console.print()
        else:
            text = "\n".join(map(visible, part.text.split("\n")))
            console.print(Text(text, part.style), soft_wrap=not console.is_terminal)


FORMATS: dict[str, Callable[[Table], str]] = {
    "csv": Table.to_csv,
    "markdown": Table.to_markdown,
    "latex": Table.to_latex,
}
"""Tables as text for other programs; each is the table alone, without the lines between tables."""


def in_format(parts: Iterable[Part], form: str) -> str:
    """The tables of some parts in one of `FORMATS`, an empty line between them."""
    return "\n".join(FORMATS[form](part) for part in parts if isinstance(part, Table))


def csv_of(frame: pd.DataFrame) -> str:
    """A DataFrame as `Table.to_csv` writes tables."""
    columns = tuple(Column(str(name)) for name in frame.columns)
    return Table("", columns, tuple(frame.itertuples(index=False, name=None))).to_csv()


def _folded(name: str, room: int) -> list[str]:
    """A heading in lines of at most so many characters, if its words allow."""
    return textwrap.wrap(name, room, break_long_words=False) or [name]


def _transposed(rows: Sequence[Sequence[str]], count: int) -> list[tuple[str, ...]]:
    return list(zip(*rows, strict=True)) if rows else [()] * count


def _total(widths: Sequence[int], kept: Sequence[int]) -> int:
    return sum(widths[i] for i in kept) + _GAP * len(kept)
