"""Names of documents and queries, each stored once, and their integer codes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Array, Integers

if TYPE_CHECKING:
    import pyarrow as pa

Codes = NDArray[np.int32]

Texts: TypeAlias = "list[str] | pa.DictionaryArray"
"""A list of str, or an array of distinct strings, and codes."""


def to_numpy(array: pa.Array) -> Array:
    """Return a numpy array of numbers from pyarrow; its own method would import pandas (0.3 s)."""
    return np.from_dlpack(array)


_PENDING_BYTES = 1 << 28
"""Names may take 256 MB in the arrays of parts, where they may repeat, before these are unified."""

_NONE = np.zeros(0, np.int32)

_IN_TABLE = 1 << 18
"""The number of names in a hash table, about."""


class Encoder:
    """Encodes a column of texts, which arrives in parts, as integer codes of distinct names.

    Each distinct name is kept once, from the first part on. So a column that repeats a long name a million
    times, which a small compressed file may hold, takes little memory.

    >>> codes, names = Encoder(["a", "b"], ["b"]).result()
    >>> codes, names.texts()
    (array([0, 1, 1], dtype=int32), ['a', 'b'])
    """

    def __init__(self, *parts: Texts) -> None:
        self._index: dict[str, int] = {}
        # codes, and their names: an array of pyarrow, or the slice of the index that is new
        self._parts: list[tuple[Codes, pa.Array | slice]] = []
        self._bytes, self._most = 0, _PENDING_BYTES  # of the arrays
        for part in parts:
            self.add(part)

    def add(self, texts: Texts) -> None:
        """Add the next part of the column."""
        if isinstance(texts, list):
            index, known = self._index, len(self._index)
            numbers = (index.setdefault(text, len(index)) for text in texts)
            self._parts.append((np.fromiter(numbers, np.int32, len(texts)), slice(known, len(index))))
            return
        self._parts.append((to_numpy(texts.indices), texts.dictionary))
        self._bytes += texts.dictionary.nbytes
        if self._bytes > self._most:
            codes, names = self._unified()
            self._parts, self._bytes = [(codes, names)], names.nbytes
            self._most = max(_PENDING_BYTES, 2 * self._bytes)

    def result(self) -> tuple[Codes, Names]:
        """Return the codes of all texts, and the distinct names; the encoder is empty afterwards."""
        if not all(isinstance(names, slice) for _, names in self._parts):
            codes, names = self._unified()
            return codes, Names(names)
        codes, texts = np.concatenate([_NONE, *(part for part, _ in self._parts)]), [*self._index]
        self._parts, self._index = [], {}
        return codes, Names(texts)

    def _unified(self) -> tuple[Codes, pa.Array]:
        """Return the codes of all texts and one array of their names; the encoder keeps none of them."""
        import pyarrow as pa

        parts, self._parts = self._parts, []  # frees them early: they may be large
        own, self._index = [*self._index], {}
        indexed = [isinstance(names, slice) for _, names in parts]
        arrays: list[pa.Array] = [  # `pa.array` imports pandas
            pa.array(own[names], pa.large_string()) if of_index else names
            for of_index, (_, names) in zip(indexed, parts, strict=True)
        ]
        starts = np.cumsum([0, *map(len, arrays)])
        first = _first_equal(arrays, starts)
        is_first = first == np.arange(first.size)
        code = (np.cumsum(is_first, dtype=np.int32) - 1)[first]
        by_array = [code[a:b] for a, b in pairwise(starts)]
        by_index = np.concatenate([_NONE, *(by_array[i] for i in np.flatnonzero(indexed))])
        codes = np.concatenate(
            [
                (by_index if of_index else of_array)[part]
                for of_index, of_array, (part, _) in zip(indexed, by_array, parts, strict=True)
            ]
        )
        kept = [np.flatnonzero(is_first[a:b]) for a, b in pairwise(starts)]
        names = pa.concat_arrays([_take(one, at) for one, at in zip(arrays, kept, strict=True)])
        del arrays, parts
        pa.default_memory_pool().release_unused()
        return codes, names


def _first_equal(arrays: Sequence[pa.Array], starts: Integers) -> Integers:
    """Return for each name of several arrays, numbered through, the number of the first equal one.

    Names are looked up in one hash table after another, for a share of them each: one table of all of them
    would take three times the memory of the names.
    """
    import pyarrow as pa

    first = np.empty(int(starts[-1]), np.int64)
    shares = 1 << (first.size // _IN_TABLE).bit_length()
    share_of = [_byte_sums(one) % shares if shares > 1 else np.zeros(len(one), np.int64) for one in arrays]
    for share in range(shares):
        where = [np.flatnonzero(of_name == share) for of_name in share_of]
        numbers = np.concatenate([begin + at for begin, at in zip(starts, where, strict=False)])
        some = [_take(one, at) for one, at in zip(arrays, where, strict=True)] if shares > 1 else arrays
        encoded = pa.chunked_array(some).dictionary_encode()
        codes = np.concatenate([_NONE, *(to_numpy(chunk.indices) for chunk in encoded.chunks)])
        # a code is given to a name where it is first seen, in increasing order
        new = np.flatnonzero(np.diff(np.maximum.accumulate(codes), prepend=-1))
        first[numbers] = numbers[new][codes]
    return first


def _byte_sums(texts: pa.Array) -> Integers:
    """Return the sum of the bytes of each text."""
    _, ends, characters = texts.buffers()
    ends = np.frombuffer(ends, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    sums = np.zeros(int(ends[-1]) + 1, np.int64)
    np.cumsum(np.frombuffer(characters or b"", np.uint8)[: ends[-1]], out=sums[1:])
    return np.diff(sums[ends])


class Names:
    """Distinct texts, numbered from 0.

    Names that pyarrow has read stay in its array: ten million of them take 300 MB there and 800 MB as
    Python strings. All other names are a list of str.
    """

    def __init__(self, texts: Texts) -> None:
        self._texts = texts

    def __len__(self) -> int:
        return len(self._texts)

    def texts(self, codes: Integers | Codes | None = None) -> list[str]:
        """Return the names with these codes, or all of them."""
        if isinstance(self._texts, list):
            return self._texts if codes is None else [self._texts[code] for code in codes.tolist()]
        found: list[str] = (self._texts if codes is None else _take(self._texts, codes)).to_pylist()
        return found

    def find(self, wanted: Names) -> Integers:
        """Return the code here of each of the other names, -1 for those that are not here.

        >>> Names(["a", "b"]).find(Names(["b", "c"]))
        array([ 1, -1])
        """
        if len(self) <= len(wanted):
            return wanted._places(self)
        at = self._places(wanted)
        here = np.flatnonzero(at >= 0)
        found = np.full(len(wanted), -1, np.int64)
        found[at[here]] = here
        return found

    def _places(self, few: Names) -> Integers:
        """Return the code of each name among a few others, of which a hash table is made; -1 for none."""
        if isinstance(self._texts, list):
            index = {text: code for code, text in enumerate(few.texts())}
            return np.fromiter((index.get(text, -1) for text in self._texts), np.int64, len(self))
        import pyarrow as pa
        from pyarrow import compute

        sought = pa.array(few._texts, self._texts.type) if isinstance(few._texts, list) else few._texts
        return to_numpy(compute.index_in(self._texts, value_set=sought).fill_null(-1)).astype(np.int64)

    @classmethod
    def united(cls, parts: Sequence[Names]) -> tuple[Names, list[Codes]]:
        """Return the names of all parts, each once, and the codes among them of the names of each part.

        >>> names, codes = Names.united([Names(["a", "b"]), Names(["b", "c"])])
        >>> names.texts(), [of_part.tolist() for of_part in codes]
        (['a', 'b', 'c'], [[0, 1], [1, 2]])
        """
        encoder = Encoder(*(part._numbered() for part in parts))
        codes, names = encoder.result()
        return names, np.split(codes, np.cumsum([len(part) for part in parts])[:-1])

    def _numbered(self) -> Texts:
        """Return the names as a column in which each occurs once."""
        if isinstance(self._texts, list):
            return self._texts
        import pyarrow as pa

        return pa.DictionaryArray.from_arrays(np.arange(len(self), dtype=np.int32), self._texts)

    def only(self, codes: Integers | Codes) -> Self:
        """Return the names with these codes, as names of their own."""
        return type(self)(self.texts(codes) if isinstance(self._texts, list) else _take(self._texts, codes))


def _take(array: pa.Array, codes: Integers | Codes) -> pa.Array:
    import pyarrow as pa

    # not by `pa.array`, which imports pandas
    buffers = [None, pa.py_buffer(np.ascontiguousarray(codes, np.int64))]
    return array.take(pa.Array.from_buffers(pa.int64(), len(codes), buffers))
