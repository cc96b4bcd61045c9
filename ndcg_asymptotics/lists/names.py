"""Names of documents and queries, each stored once, and their integer codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Integers

Codes = NDArray[np.int32]

Texts = Any
"""A list of str, or a ``DictionaryArray`` of pyarrow: an array of distinct strings, and codes."""


def to_numpy(array: Any) -> NDArray[Any]:
    """Return a numpy array of numbers from pyarrow; its own method would import pandas (0.3 s)."""
    return np.from_dlpack(array)


_PENDING_BYTES = 1 << 28
"""Names may take 256 MB in the dictionaries of parts, where they may repeat, before these are unified."""


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
        self._parts: list[Any] = []
        self._bytes, self._most = 0, _PENDING_BYTES  # of the dictionaries from pyarrow
        for part in parts:
            self.add(part)

    def add(self, texts: Texts) -> None:
        """Add the next part of the column."""
        if isinstance(texts, list):
            index = self._index
            codes = (index.setdefault(text, len(index)) for text in texts)
            self._parts.append(np.fromiter(codes, np.int32, len(texts)))
            return
        self._parts.append(texts)
        self._bytes += texts.dictionary.nbytes
        if self._bytes > self._most:
            self._parts = self._unified()
            self._bytes = self._parts[0].dictionary.nbytes
            self._most = max(_PENDING_BYTES, 2 * self._bytes)

    def result(self) -> tuple[Codes, Names]:
        """Return the codes of all texts, and the distinct names; the encoder is empty afterwards."""
        if all(isinstance(part, np.ndarray) for part in self._parts):
            codes, names = np.concatenate([np.zeros(0, np.int32), *self._parts]), Names(list(self._index))
            self._parts, self._index = [], {}
            return codes, names
        parts = self._unified()
        return np.concatenate([to_numpy(part.indices) for part in parts]), Names(parts[0].dictionary)

    def _unified(self) -> list[Any]:
        """Return the parts with one dictionary for all of them; the encoder keeps none."""
        import pyarrow as pa

        parts, self._parts = self._parts, []  # frees them early: they may be large
        if self._index:  # only if needed: `pa.array` imports pandas
            own = pa.array(list(self._index), pa.large_string())
            parts = [
                pa.DictionaryArray.from_arrays(part, own) if isinstance(part, np.ndarray) else part
                for part in parts
            ]
        unified: list[Any] = pa.chunked_array(parts).unify_dictionaries().chunks
        del parts
        pa.default_memory_pool().release_unused()  # three times what is kept
        return unified


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


def _take(array: Any, codes: Integers | Codes) -> Any:
    import pyarrow as pa

    # not by `pa.array`, which imports pandas
    buffers = [None, pa.py_buffer(np.ascontiguousarray(codes, np.int64))]
    return array.take(pa.Array.from_buffers(pa.int64(), len(codes), buffers))
