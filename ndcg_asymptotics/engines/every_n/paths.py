"""DCG and IDCG of a stream at every list length, for any measure.

Which way is taken depends on the measure alone, so no measure's values depend on another:

- *heads*, item by item: short cutoffs, and discounts of which only the first ranks matter
  (geometric, steep powers); also, as long as it is affordable, discounts that fit nowhere else;
- *moments*: the linear discount, exactly, O(log N) per arrival;
- *modes*: discounts that are sums of M exponentials, O(M log N) per arrival for all of them
  together; relative error 1e-11 (`measures.exponentials`), for geometric discounts rounding only.
  Whole lists are followed through time by halves (`whole`), cutoffs need a tree (`modes`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import NotAvailableError, require
from ndcg_asymptotics.engines.every_n.arrivals import Stream
from ndcg_asymptotics.engines.every_n.heads import head_sums, ideal_sums
from ndcg_asymptotics.engines.every_n.modes import Modes, Rows, make_modes, weighted_modes
from ndcg_asymptotics.engines.every_n.moments import moments
from ndcg_asymptotics.engines.every_n.simd import WIDTH, aligned
from ndcg_asymptotics.engines.every_n.tree import Ints, make_tree
from ndcg_asymptotics.engines.every_n.whole import whole_sums
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.cutoffs import Cutoff
from ndcg_asymptotics.measures.discounts import Discount, Log, Zipf
from ndcg_asymptotics.measures.exponentials import ExponentialSum, exponential_sum

ROUNDING = 1e-12  # bound on the rounding of any of the ways, as a part of IDCG
_NEGLIGIBLE = 1e-17  # a part of D(1) that all ranks from some rank on do not reach together
_CONVEX = 4096  # ranks on which a discount must be convex to be tried as a sum of exponentials
_SHORT = 256  # steps per arrival up to which going item by item is fastest
_AFFORDABLE = 5e9  # steps of a whole stream


@dataclass(frozen=True)
class Way:
    """How a measure is evaluated, and the error of DCG / IDCG."""

    kind: Literal["heads", "moments", "modes"]
    error: float
    cut: Ints
    fit: ExponentialSum | None = None


@lru_cache(maxsize=256)
def way(measure: Measure, items: int) -> Way:
    """How to evaluate a measure at every n up to ``items``.

    Raises
    ------
    InputError
        If the discount is neither linear nor a sum of exponentials, and going item by item takes
        more than 5e9 steps (whole lists: more than 1e5 items).
    """
    cut = cut_ranks(measure.cutoff, items)
    head = np.minimum(cut, _reach(measure.discount, items))
    n = np.arange(1.0, items + 1)
    steps = float((head * np.minimum(1.0, head / n)).sum())
    if steps <= _SHORT * items:
        return Way("heads", ROUNDING, head)
    if measure.discount.affine:
        return Way("moments", ROUNDING, cut)
    try:
        fit = _fit(measure.discount, items)
    except NotAvailableError as error:
        require(
            steps <= _AFFORDABLE,
            f"every-n engine: {measure} up to n = {items} would go item by item, {steps:.1g} steps "
            f"where {_AFFORDABLE:.1g} are allowed ({error})",
        )
        return Way("heads", ROUNDING, head)
    return Way("modes", fit.error + ROUNDING, cut, fit)


def _fit(discount: Discount, items: int) -> ExponentialSum:
    if discount.exact_exponentials() is not None:
        return exponential_sum([discount], items)
    first = discount(np.arange(1.0, min(items, _CONVEX) + 1))
    convex = bool(np.all(np.diff(first, 2) >= -1e-12 * first[0]))
    require(convex, f"{discount} is not convex, so it is no mixture of exponentials")
    # fitted together with the same two: gentle discounts get the same rates, and none depends
    # on what else a study holds
    fitted = exponential_sum([discount, Log(), Zipf()], items)
    return ExponentialSum(fitted.rates, fitted.weights[:1], fitted.error)


@lru_cache(maxsize=32)
def _powers(rates: tuple[float, ...], items: int) -> Modes:
    return make_modes(np.array(rates), items)


def _reach(discount: Discount, items: int) -> int:
    """A rank beyond which the discount does not matter among so many items."""
    if discount.depends_on_n:
        return items
    ranks = 2.0 ** np.arange(items.bit_length())
    values = discount(ranks)
    small = np.flatnonzero(items * values <= _NEGLIGIBLE * values[0])
    return min(items, int(ranks[small[0]])) if small.size else items


@lru_cache(maxsize=64)
def cut_ranks(cutoff: Cutoff, items: int) -> Ints:
    """k(n) for n = 1 … items."""
    return np.fromiter((cutoff(n) for n in range(1, items + 1)), np.int32, items)


@lru_cache(maxsize=64)
def sums(discount: Discount, items: int) -> Floats:
    """sum of B_i(r) for r <= k = 0 … items, one row per basis function of the discount."""
    ranks = np.arange(1.0, items + 1)
    result = np.zeros((len(discount.basis()), items + 1))
    for row, function in zip(result, discount.basis(), strict=True):
        row[1:] = np.cumsum(function(ranks), dtype=np.longdouble)
    return result


@lru_cache(maxsize=8)
def mix(discount: Discount, items: int) -> Floats:
    """The coefficients of the discount's basis for n = 1 … items, (basis, items), or (basis, 1) for all."""
    sizes = range(1, items + 1) if discount.depends_on_n else range(1, 2)
    return np.array([discount.coefficients(n) for n in sizes]).T


def values(discount: Discount, length: int) -> Floats:
    """B_i(r) for r = 1 … length, one row per basis function of the discount."""
    return np.array([function(np.arange(1.0, length + 1)) for function in discount.basis()])


def ideal(grade: NDArray[np.uint8], gains: Floats, measure: Measure) -> Floats:
    """IDCG_n for n = 1 … N from the grades in order of arrival."""
    items, discount = grade.size, measure.discount
    out = np.empty(items)
    ideal_sums(
        grade, gains, cut_ranks(measure.cutoff, items), sums(discount, items), mix(discount, items), out
    )
    return out


def dcg(stream: Stream, measures: Sequence[Measure]) -> Floats:
    """DCG_n for n = 1 … N, one row per measure."""
    items = stream.order.size
    out = np.empty((len(measures), items))
    by_rates: dict[tuple[bytes, bool], list[int]] = defaultdict(list)
    for row, measure in enumerate(measures):
        chosen = way(measure, items)
        if chosen.fit is not None:
            by_rates[chosen.fit.rates.tobytes(), measure.cutoff.regime == "none"].append(row)
            continue
        parts = np.empty((len(measure.discount.basis()), items))
        if chosen.kind == "heads":
            length = int(chosen.cut[-1])
            head_sums(stream.arrivals, chosen.cut, values(measure.discount, length), parts)
        else:
            moments(stream.arrivals, make_tree(items, 2), chosen.cut, parts)
        np.einsum("in,in->n", np.broadcast_to(mix(measure.discount, items), parts.shape), parts, out=out[row])
    for (_, whole), rows in by_rates.items():
        fitted = [fit for row in rows if (fit := way(measures[row], items).fit) is not None]
        modes = _powers(tuple(fitted[0].rates), items)
        weights = np.zeros((len(rows), modes.rest.size))
        weights[:, : fitted[0].rates.size] = [fit.weights[0] for fit in fitted]
        if whole:
            out[rows] = whole_sums(stream.order, stream.grade, stream.gains, modes, weights)
        else:
            _up_to_cutoffs(stream, [measures[row].cutoff for row in rows], modes, weights, rows, out)
    return out


def _up_to_cutoffs(
    stream: Stream, cutoffs: list[Cutoff], modes: Modes, weights: Floats, rows: list[int], out: Floats
) -> None:
    """The DCG of measures whose discounts have the same rates, in one pass over the tree."""
    items, width = stream.order.size, modes.rest.size
    different = list(dict.fromkeys(cutoffs))
    order = sorted(range(len(rows)), key=lambda i: different.index(cutoffs[i]))
    counts = [cutoffs.count(cutoff) for cutoff in different]
    cut = np.stack([cut_ranks(cutoff, items) for cutoff in different])
    sorted_weights = aligned(weights.size)
    sorted_weights.reshape(-1, width)[:] = weights[order]
    table = Rows(cut, np.concatenate(([0], np.cumsum(counts))), sorted_weights)
    targets = np.array([rows[i] for i in order])
    tree = make_tree(items, width)
    weighted_modes(stream.arrivals, modes, tree, table, targets, aligned(2 * width + WIDTH), out)
