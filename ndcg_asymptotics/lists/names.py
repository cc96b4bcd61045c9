"""Distinct names of documents and queries, and their integer codes, by pandas.

Names are an index of pandas, whose texts are an array of pyarrow where that is installed: ten million of them
take 300 MB there and 800 MB as Python strings.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Integers

if TYPE_CHECKING:
    import pandas as pd

Codes = NDArray[np.int32]

Names: TypeAlias = "pd.Index[str]"
"""Distinct texts, numbered from 0."""

_AT_ONCE = 1 << 18
"""The number of names that are looked up at a time, as each becomes a Python string."""


class TextColumn(NamedTuple):
    """The code of each of some texts, and the distinct texts in the order of their codes."""

    codes: Codes
    names: Names


def text_column(texts: Sequence[str]) -> TextColumn:
    """Return the codes of some texts, which are numbered in the order in which they first appear.

    >>> codes, names = text_column(["a", "b", "a"])
    >>> codes, names.tolist()
    (array([0, 1, 0], dtype=int32), ['a', 'b'])
    """
    import pandas as pd

    codes, names = pd.factorize(np.array(texts, object))
    return TextColumn(codes.astype(np.int32), pd.Index(names, dtype=str))


def joined_texts(parts: Sequence[TextColumn]) -> TextColumn:
    """Return a column that arrived in parts.

    >>> codes, names = joined_texts([text_column(["a", "b"]), text_column(["b", "c"])])
    >>> codes, names.tolist()
    (array([0, 1, 1, 2], dtype=int32), ['a', 'b', 'c'])
    """
    if len(parts) == 1:
        return parts[0]
    codes, names = united([part.names for part in parts])
    return TextColumn(
        np.concatenate([new[part.codes] for new, part in zip(codes, parts, strict=True)]), names
    )


def united(parts: Sequence[Names]) -> tuple[list[Codes], Names]:
    """Return the codes, for the names of each part, among the distinct names of all, and these.

    >>> codes, names = united([text_column(["a", "b"]).names, text_column(["b", "c"]).names])
    >>> [of_part.tolist() for of_part in codes], names.tolist()
    ([[0, 1], [1, 2]], ['a', 'b', 'c'])
    """
    codes, names = parts[0].append([*parts[1:]]).factorize()
    return np.split(codes.astype(np.int32), np.cumsum([len(part) for part in parts])[:-1]), names


def places(names: Names, targets: Names) -> Integers:
    """Return the code among some names of each target, -1 for those that are not there.

    >>> places(text_column(["a", "b"]).names, text_column(["b", "c"]).names)
    array([ 1, -1])
    """
    if len(names) > len(targets):  # a hash table is made of the fewer ones
        at = places(targets, names)
        matches = np.flatnonzero(at >= 0)
        codes = np.full(len(targets), -1, np.int64)
        codes[at[matches]] = matches
        return codes
    parts = [targets[start : start + _AT_ONCE] for start in range(0, len(targets), _AT_ONCE)]
    return np.concatenate([np.zeros(0, np.int64), *(names.get_indexer(part) for part in parts)])


def plain_form(name: str) -> str:
    r"""Return a name in normalised Unicode, without invisible characters and blanks at its ends.

    >>> plain_form("cafe\u0301\u200b\xa0") == "caf\xe9"
    True
    """
    visible = (character for character in name if unicodedata.category(character) != "Cf")
    return unicodedata.normalize("NFC", "".join(visible)).strip()


def look_alikes(names: Names, their_names: Names) -> list[tuple[str, str]]:
    r"""Return pairs of names that differ and have the same plain form, neither of which is on both sides.

    >>> mine, theirs = text_column(["d1", "b"]).names, text_column(["d1\u200b", "b"]).names
    >>> look_alikes(mine, theirs) == [("d1", "d1\u200b")]
    True
    """
    # one name of a pair at least has a character beyond ASCII, or blanks at an end
    mine, theirs = _plain_forms(names, their_names), _plain_forms(their_names, names)
    pairs = {mine[form]: theirs[form] for form in mine.keys() & theirs.keys()}
    pairs |= {mine[their_name]: their_name for their_name in their_names[their_names.isin([*mine])].tolist()}
    pairs |= {name: theirs[name] for name in names[names.isin([*theirs])].tolist()}
    return sorted(pairs.items())


def _plain_forms(names: Names, their_names: Names) -> dict[str, str]:
    """Return names that are not in plain form, as far as one can see, nor among the others, by this form."""
    odd = names[names.str.contains(r"[^\x00-\x7f]") | (names.str.strip() != names)]
    forms = {plain_form(name): name for name in odd[~odd.isin(their_names)].tolist()} if len(odd) else {}
    return {form: name for form, name in forms.items() if form}
