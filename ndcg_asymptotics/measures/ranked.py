"""The labels of one list by decreasing score, and in ideal order.

Of a long list with a short cutoff only the items that a sample shows to be near the top are sorted.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, stable_order

Ties = Literal["expected", "stable"]

_SAMPLE = 256  # values that are sampled for each that is wanted


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
    order = stable_order(keys) if keys.ndim == 1 else np.argsort(keys, axis=-1, kind="stable")
    keys, labels = (np.take_along_axis(values, order, axis=-1) for values in (keys, labels))
    rises = keys[..., 1:] != keys[..., :-1]
    if ties == "stable" or rises.all():
        return labels
    starts = np.flatnonzero(np.insert(rises, 0, True, axis=-1))
    sizes = np.diff(starts, append=keys.size)
    return np.repeat(np.add.reduceat(labels.ravel(), starts) / sizes, sizes).reshape(keys.shape)


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
    # not by a partition, which takes 20 times as long as numpy's sort where few labels are different
    return np.sort(labels)[::-1][: min(k, int(np.count_nonzero(labels)))]


def _lower_bound(values: Floats, k: int) -> float:
    """Return a number that at least k values reach: the k-th largest of a sample."""
    sample = values[:: max(1, len(values) // (_SAMPLE * k))]
    return float(np.sort(sample)[len(sample) - k])
