"""Names of documents by the million: bytes one after another, compared and looked up eight at a time.

The first eight bytes of a name, as a number with the first byte highest, order names as their
texts are ordered, byte by byte; where these agree the next eight decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Bools, Integers
from ndcg_asymptotics.lists.readers.fields import PADDING, Bytes

Words = NDArray[np.uint64]

_WORD = 8
_AT_ONCE = 1 << 16  # names whose words are in memory together
_MASKS = np.array([0] + [(2**64 - 1) ^ (2 ** (64 - 8 * count) - 1) for count in range(1, 9)], np.uint64)
_MIX, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)


@dataclass(frozen=True)
class Names:
    """Texts, as places in bytes that end with `PADDING` zeros.

    Attributes
    ----------
    text : bytes
    start, end : (n,)
    """

    text: Bytes
    start: Integers
    end: Integers

    @classmethod
    def of(cls, texts: Iterable[str]) -> Self:
        """Texts as names."""
        parts = [text.encode() for text in texts]
        end = np.cumsum([len(part) for part in parts], dtype=np.int64)
        text = np.frombuffer(b"".join(parts) + bytes(PADDING), np.uint8)
        return cls(text, np.concatenate(([0], end[:-1])), end)

    @classmethod
    def joined(cls, parts: Sequence[Names]) -> Self:
        """Several stretches of compact names as one."""
        sizes = np.array([part.text.size - PADDING for part in parts])
        shifts = np.cumsum(sizes) - sizes
        text = np.concatenate([*(part.text[:-PADDING] for part in parts), np.zeros(PADDING, np.uint8)])
        shifted = list(zip(parts, shifts, strict=True))
        return cls(
            text,
            np.concatenate([part.start + shift for part, shift in shifted]),
            np.concatenate([part.end + shift for part, shift in shifted]),
        )

    @property
    def length(self) -> Integers:
        """Bytes of each name."""
        return self.end - self.start

    @property
    def words(self) -> int:
        """How many words of eight bytes the longest name takes."""
        return -(-int(self.length.max(initial=0)) // _WORD)

    @property
    def _every(self) -> Words:
        """The eight bytes from every place on, as one number."""
        return np.ndarray((self.text.size - _WORD + 1,), ">u8", self.text.data, strides=(1,))

    def word(self, index: int, at: Integers | slice = slice(None)) -> Words:
        """The eight bytes of each name that are the ``index``-th ones; zeros after its end."""
        start = self.start[at] + _WORD * index
        left = np.clip(self.end[at] - start, 0, _WORD)
        found = self._every[np.minimum(start, self._every.size - 1)].astype(np.uint64)
        found &= _MASKS[left]
        return found

    def hash(self) -> Words:
        """A number of each name, equal for equal names, and for others hardly ever."""
        parts = [self._hash(slice(at, at + _AT_ONCE)) for at in range(0, len(self), _AT_ONCE)]
        return np.concatenate(parts) if parts else np.zeros(0, np.uint64)

    def _hash(self, some: slice) -> Words:
        names = Names(self.text, self.start[some], self.end[some])
        found = mixed(names.word(0))
        longer = np.flatnonzero(names.length > _WORD)
        for index in range(1, names.words):
            found[longer] = mixed(found[longer] ^ names.word(index, longer))
            longer = longer[names.length[longer] > _WORD * (index + 1)]
        return found

    def equal(self, at: Integers, other: Names, there: Integers) -> Bools:
        """Which of the names at these places are those of another at those places."""
        same: Bools = self.length[at] == other.length[there]
        for index in range(min(self.words, other.words)):
            left = np.flatnonzero(same)
            same[left] = self.word(index, at[left]) == other.word(index, there[left])
        return same

    def compact(self) -> Names:
        """The same names one after another, without the bytes between them."""
        bounds = np.append(np.column_stack((self.start, self.end)).ravel(), self.text.size)
        inside = np.repeat(np.arange(bounds.size) % 2 == 1, np.diff(bounds, prepend=0))
        end = np.cumsum(self.length)
        text = np.concatenate([self.text[inside], np.zeros(PADDING, np.uint8)])
        return Names(text, end - self.length, end)

    def texts(self) -> list[str]:
        """The names as texts."""
        whole = self.text.tobytes()
        places = zip(self.start.tolist(), self.end.tolist(), strict=True)
        return [whole[start:end].decode() for start, end in places]

    def text_of(self, index: int) -> str:
        """One name as a text."""
        return self.text[self.start[index] : self.end[index]].tobytes().decode()

    def __len__(self) -> int:
        return self.start.size


def mixed(words: Words) -> Words:
    """Numbers spread over all 64 bits, one to one."""
    spread = words * _MIX
    spread ^= spread >> _SHIFT
    spread *= _MIX
    return spread ^ (spread >> _SHIFT)
