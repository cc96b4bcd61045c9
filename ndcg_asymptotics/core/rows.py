"""Rows of tables, declared once: how each value stands in a table, in JSON and in a DataFrame.

A row is a dataclass. The annotation of a field, or the decorator of a value that several fields decide, says
with a `Column` how it stands in tables, and with `Data` how it stands in JSON and in a DataFrame::

    @dataclass(frozen=True)
    class Power:
        measure: Annotated[str, Column("measure")]
        pairs: int
        wins: Annotated[int, Column("significant pairs", general("d")), Data("significant")]
        queries: Annotated[float | None, Column("queries (median pair)", general(".0f"), later=1)]

        @computed_value(Column("share", fixed(2), before="queries"))
        def share(self) -> float:
            return self.wins / self.pairs

    Table.of("Discriminative power", Power, rows)

`plain` turns rows into the plain data of JSON, and `frame_of` into a DataFrame.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, get_args, get_type_hints

import numpy as np

from ndcg_asymptotics.core.text import needs_exponent, visible, with_error

if TYPE_CHECKING:
    import pandas as pd


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

    >>> estimate = Estimate(0.85772525, 3e-5)
    >>> print(estimate.text(), estimate + 1)
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
    later : int
        The priority for leaving the column to a second table where one is too wide: highest first.
    fold : bool
        Whether text is folded between words rather than shortened; of numbers, whether the heading, such as
        the name of a run, is folded at any letter.
    key : bool
        Whether numbers name the row, as text at the left does: every table of the row has them.
    optional : bool
        Whether the column is left out of a table in which no row has a value or a text.
    before : str
        The field that the column stands before; those of properties stand behind all fields otherwise.
    """

    name: str
    show: Callable[[Any], str] | None = None
    later: int = 0
    fold: bool = False
    key: bool = False
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
    """

    name: str = ""
    json: bool = True
    frame: bool = True
    text: bool = False
    inline: bool = False


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

    def of(self, row: object) -> Any:
        """Return the value of a row, None if the part that has it is None."""
        for name in self.path.split("."):
            row = None if row is None else getattr(row, name)
        return row

    def plain(self, row: object) -> Any:
        """Return the value of a row as plain data."""
        return str(self.of(row)) if self.data.text else plain(self.of(row))


T = TypeVar("T")


class Computed(cached_property[T]):
    """A value of a row that several fields decide: a property with a place in tables and plain data."""

    def __init__(self, get: Callable[[Any], T], places: tuple[Column | Data, ...]) -> None:
        super().__init__(get)
        self.places = places


def computed_value(*places: Column | Data) -> Callable[[Callable[[Any], T]], Computed[T]]:
    """Return a decorator that makes a method a property with a place; without `Data` in tables only."""
    return lambda get: Computed(get, places)


@cache
def declared(kind: type) -> tuple[Declared, ...]:
    """Return the values of the instances of a dataclass, in the order in which they stand.

    Fields come first, then computed values, those of base classes before others; a value whose column names
    another in ``before`` moves there.
    """
    values = list(_declared_fields(kind))
    for base in reversed(kind.__mro__):
        for name, member in vars(base).items():
            if isinstance(member, Computed):
                column, data = _stated(member.places)
                values.append(Declared(name, column, data or HIDDEN))
    order = [value for value in values if not (value.column and value.column.before)]
    for value in values:
        if value.column and value.column.before:
            paths = [entry.path for entry in order]
            order.insert(paths.index(path_in(value.column.before, paths)), value)
    return tuple(order)


def path_in(name: str, paths: Collection[str]) -> str:
    """Return the first path that is a name, or ends with it.

    >>> path_in("mean", ["n", "difference.mean"])
    'difference.mean'
    """
    return name if name in paths else next(path for path in paths if path.endswith(f".{name}"))


def _declared_fields(kind: type) -> Iterator[Declared]:
    """Yield the values that the annotations of fields declare; inline parts by the values of their fields."""
    hints = get_type_hints(kind, include_extras=True)
    for field in dataclasses.fields(kind):
        column, data = _stated(getattr(hints[field.name], "__metadata__", ()))
        if data and data.inline:
            if column:
                yield Declared(field.name, column, HIDDEN)
            # without `Annotated`: a dataclass, or its union with None
            part_type = hints[field.name].__origin__
            alternatives = get_args(part_type)
            for part in declared(alternatives[0] if alternatives else part_type):
                yield part._replace(path=f"{field.name}.{part.path}")
        else:
            yield Declared(field.name, column, data or Data())


def _stated(places: Iterable[object]) -> tuple[Column | None, Data | None]:
    """Return the column and the place in plain data among what an annotation or a decorator states."""
    column = next((place for place in places if isinstance(place, Column)), None)
    return column, next((place for place in places if isinstance(place, Data)), None)


def plain(value: object) -> Any:
    """Return plain data for JSON: rows and reports as maps of the values they declare, arrays as lists.

    What has a method ``as_dict`` is what this returns. What is not a finite number in an array becomes None.

    >>> plain({"mean": np.array([0.5, np.nan]), "n": np.arange(2)})
    {'mean': [0.5, None], 'n': [0, 1]}
    """
    if hasattr(value, "as_dict"):
        return value.as_dict()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return plain_values(value)
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        items = [plain(item) for item in value]
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, np.ndarray) and np.issubdtype(value.dtype, np.floating):
        objects = value.astype(object)  # an array of numbers cannot hold None
        objects[~np.isfinite(value)] = None
        return objects.tolist()
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def plain_values(row: object) -> dict[str, object]:
    """Return the values of a row that stand in JSON, by their names there."""
    kind: type = type(row)
    return {value.name: value.plain(row) for value in declared(kind) if value.data.json}


def frame_of(kind: type, rows: Iterable[object]) -> pd.DataFrame:
    """Return a DataFrame of the values that a dataclass declares, with a row for each of its instances."""
    import pandas as pd

    columns = [value for value in declared(kind) if value.data.frame]
    values = [[value.plain(row) for value in columns] for row in rows]
    return pd.DataFrame(values, columns=[value.name for value in columns])
