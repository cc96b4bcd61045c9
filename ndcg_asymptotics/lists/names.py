"""Names of documents and queries, each stored once, and the integer codes that stand for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Integers

Codes = NDArray[np.int32]

Texts = Any
"""A list of str, or an array of strings from pyarrow."""


def to_numpy(array: Any) -> NDArray[Any]:
    """Return the numbers of an array of pyarrow, whose own method would import pandas (0.3 s)."""
    return np.from_dlpack(array)


class Names:
    """Distinct texts, numbered from 0.

    Names that pyarrow has read stay in its array: ten million of them take 300 MB there and 800 MB as
    Python strings. All other names are a list of str.
    """

    def __init__(self, texts: Texts) -> None:
        self._texts = texts

    @classmethod
    def encode(cls, parts: Sequence[Texts]) -> tuple[Codes, Self]:
        """Return the code of every text of some lists or arrays, and the distinct names.

        >>> codes, names = Names.encode([["a", "b"], ["b"]])
        >>> codes, names.texts()
        (array([0, 1, 1], dtype=int32), ['a', 'b'])
        """
        if any(not isinstance(part, list) for part in parts):
            return cls._encode_arrow(parts)
        index: dict[str, int] = {}
        codes = np.fromiter((index.setdefault(text, len(index)) for part in parts for text in part), np.int32)
        return codes, cls(list(index))

    @classmethod
    def _encode_arrow(cls, parts: Sequence[Texts]) -> tuple[Codes, Self]:
        import pyarrow as pa

        # offsets of 64 bits: the names of a large run may take more than 2 GB together
        arrays = [pa.array(part, pa.large_string()) if isinstance(part, list) else part for part in parts]
        texts = pa.chunked_array(arrays)
        encoded = texts.unify_dictionaries().dictionary_encode()
        codes = np.concatenate([to_numpy(chunk.indices) for chunk in encoded.chunks])
        names = encoded.chunk(0).dictionary
        if pa.types.is_dictionary(texts.type):
            # a column of a Parquet file comes with its own dictionary, which may hold a name twice
            distinct = names.dictionary_encode()
            codes, names = to_numpy(distinct.indices)[codes], distinct.dictionary
        return codes, cls(names)

    def __len__(self) -> int:
        return len(self._texts)

    def texts(self, codes: Integers | Codes | None = None) -> list[str]:
        """Return the names with these codes, or all of them."""
        if isinstance(self._texts, list):
            return self._texts if codes is None else [self._texts[code] for code in codes.tolist()]
        found: list[str] = (self._texts if codes is None else _taken(self._texts, codes)).to_pylist()
        return found

    def find(self, wanted: Names) -> Integers:
        """Return the code here of each of the other names, -1 for those that are not here.

        >>> Names(["a", "b"]).find(Names(["b", "c"]))
        array([ 1, -1])
        """
        # the table of hashes is made of the wanted names, which are usually fewer
        if isinstance(self._texts, list) or isinstance(wanted._texts, list):
            index = {text: code for code, text in enumerate(wanted.texts())}
            at = np.fromiter((index.get(text, -1) for text in self.texts()), np.int64, len(self))
            here = np.flatnonzero(at >= 0)
            at = at[here]
        else:
            from pyarrow import compute

            places = compute.index_in(self._texts, value_set=wanted._texts)
            here = to_numpy(compute.indices_nonzero(places.is_valid()))
            at = to_numpy(places.drop_null())
        found = np.full(len(wanted), -1, np.int64)
        found[at] = here
        return found

    def joined(self, other: Names) -> Self:
        """Return these names and the others after them; the two must have no name in common."""
        if isinstance(self._texts, list) or isinstance(other._texts, list):
            return type(self)(self.texts() + other.texts())
        import pyarrow as pa

        return type(self)(pa.concat_arrays([self._texts, other._texts]))

    def only(self, codes: Integers) -> Self:
        """Return some of the names."""
        return type(self)(self.texts(codes) if isinstance(self._texts, list) else _taken(self._texts, codes))


def _taken(array: Any, codes: Integers | Codes) -> Any:
    import pyarrow as pa

    # not `pa.array`, which imports pandas as `to_numpy` of an array does
    buffers = [None, pa.py_buffer(np.ascontiguousarray(codes, np.int64))]
    return array.take(pa.Array.from_buffers(pa.int64(), len(codes), buffers))
