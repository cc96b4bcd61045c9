"""The labels of one list by decreasing score, and in ideal order.

Labels are whole numbers as a rule: grades, or gains 2^grade - 1. Such a label fits into the last bits of its
score, and one sort of numbers then orders scores and labels together, in a third of the time that numpy's
`argsort` and the copies by its result take. A score loses the bits that hold the label. Scores that differ
only there, and equal scores, become neighbours with equal leading bits. If there are such neighbours, the
scores themselves are sorted too, and the result is used only if all of them are equal.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from ndcg_asymptotics.core.arrays import Bools, Floats, Integers, rising_bits, stable_order

Ties = Literal["expected", "stable"]

_SAMPLE = 256  # values that are sampled for each that is wanted
_LARGEST = 1023  # of a label in the last bits of a score: 42 bits of its fraction are left


def ranked_labels(scores: Floats, labels: Floats, k: int, ties: Ties) -> Floats:
    """Return the labels by decreasing score, at least the first k; those of equal scores share their mean.

    Scores and labels are those of a list, (n,), or of lists as rows, (lists, n).

    >>> ranked_labels(np.array([0.5, 0.7, 0.5]), np.array([1.0, 3.0, 0.0]), 3, "expected")
    array([3. , 0.5, 0.5])
    """
    if scores.ndim == 1 and k < len(scores):
        # all items that tie with the k-th share its mean, so all of them are kept
        places = np.flatnonzero(scores >= _lower_bound(scores, k))
        highest = scores[places]
        top = places[highest >= np.partition(highest, len(highest) - k)[len(highest) - k]]
        scores, labels = scores[top], labels[top]
    keys = -scores
    ordered, new = _sorted_together(keys, labels) or _sorted_by_places(keys, labels)
    if new.all():
        return ordered
    if ties == "stable":
        return _sorted_by_places(keys, labels)[0]
    starts = np.flatnonzero(np.insert(new, 0, True, axis=-1))
    sizes = np.diff(starts, append=keys.size)
    return np.repeat(np.add.reduceat(ordered.ravel(), starts) / sizes, sizes).reshape(keys.shape)


def ideal_order(labels: Floats, k: int) -> Floats:
    """Return the k largest labels in decreasing order; of a single list without zeros.

    >>> ideal_order(np.array([1.0, 0.0, 3.0, 1.0]), 2), ideal_order(np.array([0.5, 0.0]), 2)
    (array([3., 1.]), array([0.5]))
    """
    if labels.ndim > 1:
        return np.sort(labels, axis=-1)[..., ::-1][..., :k]
    if _SAMPLE * k < len(labels):
        bound = _lower_bound(labels, k)
        above = np.sort(labels[labels > bound])[::-1][:k]
        ideal = np.append(above, np.full(k - len(above), bound))
        return ideal[ideal > 0]
    whole = _whole(labels)
    if whole is None:
        # not by a partition, which takes 20 times as long as numpy's sort where few labels are different
        return np.sort(labels)[::-1][: min(k, int(np.count_nonzero(labels)))]
    last = np.minimum(np.cumsum(np.bincount(whole)[:0:-1]), k)
    return np.repeat(np.arange(last.size, 0.0, -1.0), np.diff(last, prepend=0))


def _lower_bound(values: Floats, k: int) -> float:
    """Return a number that at least k values reach: the k-th largest of a sample."""
    sample = values[:: max(1, len(values) // (_SAMPLE * k))]
    return float(np.sort(sample)[len(sample) - k])


def _whole(labels: Floats) -> Integers | None:
    """Return labels >= 0 as whole numbers, None if not all of them are, or if one is too large."""
    if labels.max(initial=0.0) > _LARGEST:
        return None
    whole = labels.astype(np.int64)
    return whole if np.array_equal(whole, labels) else None


def _sorted_together(keys: Floats, labels: Floats) -> tuple[Floats, Bools] | None:
    """Return the labels by rising key, and whether each key but the first differs from that before it.

    None if the labels are not whole, or if different keys agree in all but the bits that hold a label.
    """
    whole = _whole(labels)
    if whole is None:
        return None
    held = (1 << int(whole.max()).bit_length()) - 1
    bits = rising_bits(keys)
    packed = bits & ~held
    packed |= whole
    packed.sort()
    new = (packed[..., 1:] ^ packed[..., :-1]).view(np.uint64) > held
    if not new.all():
        bits.sort()
        if not np.array_equal(bits[..., 1:] != bits[..., :-1], new):
            return None
    packed &= held
    return packed.astype(np.float64), new


def _sorted_by_places(keys: Floats, labels: Floats) -> tuple[Floats, Bools]:
    """Return what `_sorted_together` does, for any labels."""
    order = stable_order(keys) if keys.ndim == 1 else np.argsort(keys, axis=-1, kind="stable")
    ordered = np.take_along_axis(keys, order, axis=-1)
    return np.take_along_axis(labels, order, axis=-1), ordered[..., 1:] != ordered[..., :-1]
