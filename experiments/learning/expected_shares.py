"""Expected targets such as E[G_i/||G||_D] of long lists whose labels are independent.

The norm N of a list depends only on how often each label occurs. We draw all labels Y, and average over the
label of item i exactly: ``Σ_y p_i(y) G(y) / N(counts of Y with y in place of Y_i)`` has the mean E[G_i/N].
Most of its variance comes from the counts of the other items, which all i share, so that it hardly affects
the order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats, random_generator
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.gains import Gain, label_gains

_LABELS_AT_ONCE = 2**19  # drawn at a time: a few MB


@dataclass(frozen=True)
class Share:
    """A target T_i = a(y_i) / N(counts): the share of an item in a norm of the whole list.

    Attributes
    ----------
    numerator : function (J,) -> (J,)
        The function a of the labels.
    norm : function ((..., J), (J,), m) -> (...,)
        The norm N, from the counts of the labels, the labels in increasing order, and m, the number of items.
    """

    numerator: Callable[[Floats], Floats]
    norm: Callable[[Floats, Floats, int], Floats]


def gain_share(measure: Measure | str, gain: Gain = "exp2") -> Share:
    """Return G/||G||_D, the target that is optimal for NDCG (Ravikumar et al. 2011, Lemma 4)."""
    ideal = Measure.of(measure).ideal

    def norm(counts: Floats, labels: Floats, items: int) -> Floats:
        return ideal(counts[..., ::-1], label_gains(labels, gain)[::-1], items)

    return Share(lambda labels: label_gains(labels, gain), norm)


def cosine_share(gain: Gain = "exp2") -> Share:
    """Return G/|G|, the target of the cosine loss."""

    def norm(counts: Floats, labels: Floats, items: int) -> Floats:
        return np.sqrt(counts @ label_gains(labels, gain) ** 2)

    return Share(lambda labels: label_gains(labels, gain), norm)


def softmax_share() -> Share:
    """Return softmax y, the target of ListNet."""
    return Share(np.exp, lambda counts, labels, items: counts @ np.exp(labels))


def plain_share(gain: Gain = "exp2") -> Share:
    """Return G itself, the target of least squares."""
    return Share(
        lambda labels: label_gains(labels, gain), lambda counts, labels, items: np.ones(counts.shape[:-1])
    )


def expected_shares(
    laws: ArrayLike, labels: ArrayLike, shares: dict[str, Share], *, draws: int = 100, seed: int = 0
) -> dict[str, Floats]:
    """Return E[T_i] of independent labels, for several targets from the same draws.

    Parameters
    ----------
    laws : (m, J)
        P(y_i = label), for each item.
    labels : (J,)
        Increasing, >= 0.
    shares : mapping of name to Share
    draws, seed : int

    Returns
    -------
    dict of (m,)

    Raises
    ------
    InputError
        If a law does not add up to 1, or the labels do not increase.
    """
    p, y = np.asarray(laws, np.float64), np.asarray(labels, np.float64).reshape(-1)
    shaped = p.ndim == 2 and p.shape[1:] == y.shape and bool((p >= 0).all())
    require(shaped and np.allclose(p.sum(axis=1), 1), "must hold one law of the labels for each item", "laws")
    require(bool((np.diff(y) > 0).all() and y[0] >= 0), "must increase from 0 or more", "labels")
    require(draws >= 1, f"must be at least 1, got {draws}", "draws")
    items, kinds = p.shape
    below = np.cumsum(p, axis=1)[:, :-1]
    rng = random_generator(seed)
    moves = np.eye(kinds)[None, :, :] - np.eye(kinds)[:, None, :]  # label a is replaced by label b
    means = {name: np.zeros(items) for name in shares}
    step = max(1, _LABELS_AT_ONCE // items)
    for start in range(0, draws, step):
        drawn = (rng.random((min(step, draws - start), items, 1)) >= below).sum(axis=-1, dtype=np.int64)
        occurs = np.stack([np.count_nonzero(drawn == kind, axis=1) for kind in range(kinds)], axis=1)
        # a label that does not occur cannot be replaced: those entries are not used
        counts = np.maximum(occurs[:, None, None, :] + moves, 0.0)
        for name, share in shares.items():
            norm = share.norm(counts, y, items)
            top = np.broadcast_to(share.numerator(y), norm.shape)
            table = np.divide(top, norm, out=np.zeros_like(norm), where=norm > 0)
            means[name] += np.einsum("ij,rij->i", p, table[np.arange(len(drawn))[:, None], drawn])
    return {name: total / draws for name, total in means.items()}


def regret_of(key: Floats, value: Floats, discounts: Floats) -> float:
    """Return the regret of sorting by ``key`` instead of ``value``, the sum of value times discount lost."""
    order = np.argsort(-key, kind="stable")
    return float((np.sort(value)[::-1] - value[order]) @ discounts)
