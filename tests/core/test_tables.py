"""Tables: in every format what was put in, numbers whole in 80 columns, and no name does anything."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
import pytest
from rich.cells import cell_len
from rich.console import Console

from ndcg_asymptotics.core.rows import HIDDEN, Column, Data, computed_value, fixed, frame_of, general, plain
from ndcg_asymptotics.core.tables import (
    Line,
    Report,
    ReportBlock,
    Table,
    details,
    in_format,
    print_blocks,
)

EVIL = 'a|b & "c" <d> \x1b[31m$x_1$ \\y{z} \u202e 50%'
TABLE = Table(
    "A title",
    (
        Column("name"),
        Column("n", general("g")),
        Column("value", fixed(3)),
        Column("error", general(".1e"), 2),
    ),
    ((EVIL, 10**18, 0.123456, 1e-9), ("plain", 10, None, None)),
)


def printed(table: Table, width: int, terminal: bool = False) -> list[str]:
    file = io.StringIO()
    console = Console(file=file, width=width, highlight=False, force_terminal=terminal, no_color=True)
    print_blocks([table, Line("word " * 40)], console)
    return file.getvalue().splitlines()


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_a_table_fits_and_numbers_stay_whole(width: int) -> None:
    lines = printed(TABLE, width)[:-1]
    assert max(map(len, lines)) <= width
    numbers = re.findall(r"1e\+18|0\.123", "\n".join(lines))
    assert numbers == ["1e+18", "0.123"]


def test_columns_that_do_not_fit_stand_in_a_second_table() -> None:
    """Those with the highest `later` leave first, then those at the right; names stand in every table."""
    columns = (*(Column(f"column {i}", fixed(3), 1 if i == 3 else 0) for i in range(20)), Column("verdict"))
    wide = Table("", (Column("name"), *columns), (("a", *map(float, range(20)), "agrees"),))
    lines = printed(wide, 80)[:-1]
    assert max(map(len, lines)) <= 80
    rows = [line.split() for line in lines if line.startswith("a ")]
    assert all(len(row) > 5 for row in rows[:-1])
    assert "3.000" not in rows[0]
    shown = [cell for row in rows for cell in row[1:]]
    assert sorted(shown) == sorted([*(f"{i:.3f}" for i in range(20)), "agrees"])


def test_headings_fold_before_a_column_goes() -> None:
    columns = (Column("n", general("g")), *[Column("the rate of the right order", fixed(3), 1)] * 3)
    table = Table("", columns, ((10, 0.1, 0.2, 0.3), (1000, 0.4, 0.5, 0.6)))
    assert printed(table, 120)[0].count("the rate of the right order") == 3
    lines = printed(table, 40)[:-1]
    assert max(map(len, lines)) <= 40
    assert lines[-2].split() == ["1000", "0.400", "0.500", "0.600"]
    assert lines[0].split() == ["the", "rate"] * 3
    narrow = Table("", (Column("x" * 30, fixed(3)), Column("y" * 30, fixed(3))), ((0.25, 0.75),))
    lines = printed(narrow, 30)[:-1]
    assert max(map(len, lines)) <= 30
    assert "0.250" in lines[-2]
    assert "0.750" in lines[-2]


@pytest.mark.parametrize("width", [20, 40, 80])
def test_numbers_that_name_rows_stand_in_every_table(width: int) -> None:
    headings = [f"nDCG@{k}" for k in range(1, 14)]
    columns = (
        Column("b", fixed(1), key=True),
        Column("run"),
        *(Column(name, fixed(4)) for name in headings),
    )
    rows = tuple((0.5, run, *(i + first for i in range(13))) for run, first in (("new", 0.5), ("old", 0.25)))
    lines = printed(Table("Means", columns, rows), width)[:-1]
    assert max(map(len, lines)) <= width
    assert lines[0] == "Means"
    heads = [line.split() for line in lines if "run" in line]
    assert [name for head in heads for name in head if name.startswith("nDCG")] == headings
    for run, first in (("new", 0.5), ("old", 0.25)):
        parts = [line.split() for line in lines if run in line]
        assert len(parts) == len(heads)
        assert {part[0] for part in parts} == {"0.5"}
        assert [value for part in parts for value in part[2:]] == [f"{i + first:.4f}" for i in range(13)]
    assert len(heads) == {20: 13, 40: 5, 80: 2}[width]


@pytest.mark.parametrize("width", [20, 30])
def test_names_that_are_wider_than_a_line_are_cut(width: int) -> None:
    keys = [Column(f"parameter{i}", general("g"), key=True) for i in range(4)]
    table = Table("", (*keys, Column("scorer"), Column("z", fixed(2))), ((0.25,) * 4 + ("some name", 1.5),))
    assert max(map(len, printed(table, width)[:-1])) <= width


def test_headings_that_are_names_fold_at_any_letter() -> None:
    names = "retriever-large-v1", "retriever-large-v2", "v2", "検索エンジン"
    named = [Column(name, fixed(4), fold=True) for name in names]
    wide = [Column(f"column {i}", fixed(4)) for i in range(5)]
    lines = printed(Table("", (Column("measure"), *named, *wide), (("nDCG@10", *map(float, range(9))),)), 80)
    assert max(map(cell_len, lines[:-1])) <= 80
    assert len(lines[4].split()) == 10
    assert [line.split()[:5] for line in lines[:3]] == [
        ["retrie", "retrie"],
        ["ver-la", "ver-la", "検索エ", "column", "column"],
        ["measure", "rge-v1", "rge-v2", "v2", "ンジン"],
    ]


def test_names_stay_whole_where_numbers_may_leave() -> None:
    columns = (Column("run"), Column("measure"), *(Column(f"number{i}", fixed(4)) for i in range(6)))
    row = ("pircRBa1", "nDCG(power(0.5))@0.2n", *(0.1234,) * 6)
    text = "\n".join(printed(Table("", columns, (row,)), 80))
    assert text.count("nDCG(power(0.5))@0.2n") == text.count("pircRBa1") == 2


def test_a_terminal_gets_lines_folded_between_words() -> None:
    text = printed(TABLE, 80, terminal=True)
    assert all(len(re.sub("\x1b\\[[0-9;]*m", "", line)) <= 80 for line in text)
    assert "\x1b[31m" not in "".join(text)


def test_csv_holds_the_values() -> None:
    assert list(csv.reader(io.StringIO(TABLE.to_csv()))) == [
        ["name", "n", "value", "error"],
        [EVIL, str(10**18), "0.123456", "1e-09"],
        ["plain", "10", "", ""],
    ]


def test_latex_escapes_what_tex_would_do() -> None:
    line = next(line for line in TABLE.to_latex().splitlines() if "1e+18" in line)
    assert r"a\textbar{}b \& " in line
    assert r"\$x\_1\$ \textbackslash{}y\{z\}" in line
    assert r"50\%" in line
    assert len(re.findall(r"(?<!\\)&", line)) == 3


def test_formats_leave_out_the_words_between_tables() -> None:
    found = in_format([Line("words"), TABLE, Line("words"), TABLE], "csv")
    assert found == TABLE.to_csv() + "\n" + TABLE.to_csv()


@dataclass(frozen=True)
class Gap:
    mean: Annotated[float, Column("difference", fixed(2)), Data("difference")]
    sd: float
    hidden: Annotated[str, HIDDEN] = "no"

    @computed_value(Column("effect", fixed(1), before="sd"), Data())
    def effect(self) -> float:
        return self.mean / self.sd

    @property
    def unnamed(self) -> float:
        return 1.0


@dataclass(frozen=True)
class Compared:
    runs: Annotated[tuple[str, str], Column("runs", " ".join)]
    gap: Annotated[Gap, Data(inline=True)]
    p: Annotated[float, Column("p", general("g"), before="effect"), Data("p_corrected")]
    level: Annotated[Gap, Data(text=True)]
    at: Annotated[int | None, Column("at", general("d"), optional=True), Data(frame=False)] = None

    @computed_value(Column("verdict", before="effect"))
    def verdict(self) -> str:
        return "agrees"


@dataclass(frozen=True, repr=False)
class Both(Report):
    rows: list[Compared]
    values: np.ndarray

    @computed_value(Data())
    def complete(self) -> bool:
        return True

    def blocks(self) -> Iterable[ReportBlock]:
        yield Table.of("", Compared, self.rows)


def test_a_row_says_where_its_values_stand() -> None:
    """Tables, JSON and DataFrames follow the declaration: its names, order, parts and computed values."""
    gap = Gap(1.0, 2.0)
    row = Compared(("a", "b"), gap, 0.5, gap)
    names = ["runs", "difference", "p_corrected", "effect", "sd", "level"]
    values = [("a", "b"), 1.0, 0.5, 0.5, 2.0, str(gap)]
    report = Both([row], np.array([1.0, 2.0]))
    assert list(plain(row).items()) == [*zip(names, values, strict=True), ("at", None)]
    assert list(report.to_dataframe()) == list(frame_of(Compared, [])) == names
    assert report.as_dict() == {"rows": [plain(row)], "complete": True, "values": [1.0, 2.0]}
    table = Table.of("", Compared, [row])
    assert [column.name for column in table.columns] == ["runs", "difference", "p", "verdict", "effect"]
    assert table.texts() == [["a b", "1.00", "0.5", "agrees", "0.5"]]
    further = Table.of("", Compared, [row, replace(row, at=3)], p="q", runs=None)
    assert [column.name for column in further.columns] == ["difference", "q", "verdict", "effect", "at"]
    assert [cells[-1] for cells in further.texts()] == ["-", "3"]
    some = Table.of("", Compared, [row], "effect", "gap.mean", "runs", mean="gap")
    assert [column.name for column in some.columns] == ["effect", "gap", "runs"]
    assert some.rows == ((0.5, 1.0, ("a", "b")),)


def test_details_are_counted_in_one_line_unless_they_are_wanted() -> None:
    table = Table("", (Column("name"), Column("value", fixed(1))), (("a", 0.5),))
    blocks: list[ReportBlock] = [
        Line("The answer."),
        table,
        *details([Line("A note."), Line("Another."), table]),
    ]
    said = {}
    for verbose in (False, True):
        out = io.StringIO()
        print_blocks(blocks, Console(file=out, width=80), verbose=verbose)
        said[verbose] = out.getvalue()
    assert said[False].endswith("\nMore: 2 notes and 1 table with -v.\n")
    assert said[False].count("0.5") == 1
    assert "A note." not in said[False]
    assert "A note.\nAnother.\n" in said[True]
    assert said[True].count("0.5") == 2
    assert "More:" not in said[True]
