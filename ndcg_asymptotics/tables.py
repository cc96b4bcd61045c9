"""Tables of results: the same numbers for a terminal, a notebook, a DataFrame and a file.

What an analysis finds is `Shown`: it says which tables and lines it is made of, and prints so.
"""

from __future__ import annotations

import html
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from ndcg_asymptotics.errors import printable

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
    may be shortened.
    """

    name: str
    show: Callable[[Any], str] | None = None
    drop: int = 0

    def text(self, value: Any) -> str:
        """A value as it is shown; "-" where there is none."""
        if value is None:
            return "-"
        return self.show(value) if self.show else printable(str(value))


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
        """The table in at most ``width`` characters: some columns are left out, then texts shortened."""
        texts = [[column.text(value) for column, value in zip(self.columns, row, strict=True)]
                 for row in self.rows]  # fmt: skip
        widths = [
            max(map(len, (column.name, *cells)))
            for column, cells in zip(self.columns, _transposed(texts, len(self.columns)), strict=True)
        ]
        kept = list(range(len(self.columns)))
        while _total(widths, kept) > width and any(self.columns[i].drop for i in kept):
            kept.remove(max(kept, key=lambda i: (self.columns[i].drop, i)))
        while _total(widths, kept) > width:
            texts_only = [i for i in kept if self.columns[i].show is None]
            longest = max(texts_only, key=widths.__getitem__, default=-1)
            if longest < 0 or widths[longest] <= _SHORTEST:
                break
            widths[longest] = max(_SHORTEST, widths[longest] - (_total(widths, kept) - width))
        table = RichTable(
            title=Text(printable(self.title), "bold") if self.title else None,
            title_justify="left",
            box=box.SIMPLE_HEAD,
            show_edge=False,
            padding=(0, 1, 0, 0),
        )
        for i in kept:
            right = self.columns[i].show is not None
            table.add_column(
                Text(printable(self.columns[i].name)), justify="right" if right else "left", no_wrap=True
            )
        for row in texts:
            table.add_row(*(Text(_shortened(row[i], widths[i])) for i in kept))
        return table

    def to_html(self) -> str:
        """The table for a notebook."""
        head = "".join(f"<th>{html.escape(column.name)}</th>" for column in self.columns)
        body = "".join(
            "<tr>"
            + "".join(
                f"<td>{html.escape(column.text(value))}</td>"
                for column, value in zip(self.columns, row, strict=True)
            )
            + "</tr>"
            for row in self.rows
        )
        caption = f"<caption>{html.escape(self.title)}</caption>" if self.title else ""
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


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
        print_parts(self.parts(), Console(file=file, width=WIDTH, highlight=False))
        return file.getvalue().rstrip()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return "".join(
            part.to_html() if isinstance(part, Table) else f"<p>{html.escape(part.text)}</p>"
            for part in self.parts()
        )


def print_parts(parts: Iterable[Part], console: Console) -> None:
    """Print tables, as wide as the console, and lines."""
    for part in parts:
        if isinstance(part, Table):
            console.print(part.fitted(console.width))
            console.print()
        else:
            console.print(Text(printable(part.text), part.style), soft_wrap=True)


def _transposed(rows: Sequence[Sequence[str]], count: int) -> list[tuple[str, ...]]:
    return list(zip(*rows, strict=True)) if rows else [()] * count


def _total(widths: Sequence[int], kept: Sequence[int]) -> int:
    return sum(widths[i] for i in kept) + _GAP * len(kept)


def _shortened(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
