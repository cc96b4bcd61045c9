"""DCG and IDCG of a stream at every list length, for any measure.

The method depends on the measure and the number of items alone, so no measure's values depend on another:

- *heads*: item by item, for short cutoffs and for discounts of which only the first ranks matter
  (geometric, steep powers); also for other discounts that fit nowhere else, if that is affordable;
- *moments*: the linear discount, exactly, in O(log N) steps an arrival;
- *exponentials*: discounts that are sums of M exponentials, in O(M log N) steps an arrival for all
  discounts with the same rates; relative error 1e-11 (`measures.exponentials`), or rounding only for
  geometric discounts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import NotAvailableError, require, require_available
from ndcg_asymptotics.engines.every_n.arrivals import Stream
from ndcg_asymptotics.engines.every_n.exponentials import Modes, exponential_sums, make_modes
from ndcg_asymptotics.engines.every_n.kernels import (
    Crossings,
    Grades,
    Ints,
    crossings,
    gain_and_rank_sums,
    head_sums,
    sum_ideal_lists,
)
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.cutoffs import Cutoff
from ndcg_asymptotics.measures.discounts import Discount, Log, Zipf
from ndcg_asymptotics.measures.exponentials import ExponentialSum, exponential_sum

DCG_ROUNDING = 1e-12  # bound on the rounding error of any method, relative to IDCG
_NEGLIGIBLE = 1e-17  # relative to D(1): ranks are left out whose discounts add up to less
_CONVEX = 4096  # ranks on which a discount must be convex to be tried as a sum of exponentials
_SHORT = 256  # steps per arrival up to which going item by item is fastest (measured)
_AFFORDABLE = 5e9  # steps item by item through a whole stream: some ten seconds


@dataclass(frozen=True)
class Method:
    """The method of a measure, the error of DCG / IDCG, and the ranks that count at n = 1 … N."""

    kind: Literal["heads", "moments", "exponentials"]
    error: float
    cut: Ints
    fit: ExponentialSum | None = None


@lru_cache(maxsize=256)
def method_of(measure: Measure, items: int) -> Method:
    """Return the method that evaluates a measure at every n up to ``items``.

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
        return Method("heads", DCG_ROUNDING, head)
    if measure.discount.affine:
        return Method("moments", DCG_ROUNDING, cut)
    try:
        fit = _fit(measure.discount, items)
    except NotAvailableError as error:
        require(
            steps <= _AFFORDABLE,
            f"every-n engine: {measure} up to n = {items} would go item by item, {steps:.1g} steps "
            f"where {_AFFORDABLE:.1g} are allowed ({error})",
        )
        return Method("heads", DCG_ROUNDING, head)
    return Method("exponentials", fit.error + DCG_ROUNDING, cut, fit)


def _fit(discount: Discount, items: int) -> ExponentialSum:
    if discount.exact_exponentials() is not None:
        return exponential_sum([discount], items)
    first = discount(np.arange(1.0, min(items, _CONVEX) + 1))
    convex = bool(np.all(np.diff(first, 2) >= -1e-12 * first[0]))
    require_available(convex, f"{discount} is not convex, so it is no mixture of exponentials")
    # always fitted together with these two: most discounts then have the same rates, and none depends
    # on the other measures of a study
    fitted = exponential_sum([discount, Log(), Zipf()], items)
    return ExponentialSum(fitted.rates, fitted.weights[:1], fitted.error)


@lru_cache(maxsize=32)
def _modes(rates: tuple[float, ...], items: int) -> Modes:
    return make_modes(np.array(rates), items)


def _reach(discount: Discount, items: int) -> int:
    """Return a rank beyond which the discount does not matter in lists of up to ``items`` items."""
    if discount.depends_on_n:
        return items
    ranks = 2.0 ** np.arange(items.bit_length())
    values = discount(ranks)
    small = np.flatnonzero(items * values <= _NEGLIGIBLE * values[0])
    return min(items, int(ranks[small[0]])) if small.size else items


@lru_cache(maxsize=64)
def cut_ranks(cutoff: Cutoff, items: int) -> Ints:
    """Return k(n) for n = 1 … items."""
    if cutoff.whole:
        return np.arange(1, items + 1, dtype=np.int32)
    return np.fromiter((cutoff(n) for n in range(1, items + 1)), np.int32, items)


@lru_cache(maxsize=64)
def sums(discount: Discount, items: int) -> Floats:
    """Return sum of B_i(r) for r <= k = 0 … items, one row per basis function of the discount."""
    ranks = np.arange(1.0, items + 1)
    result = np.zeros((len(discount.basis()), items + 1))
    for row, function in zip(result, discount.basis(), strict=True):
        row[1:] = np.cumsum(function(ranks), dtype=np.longdouble)
    return result


@lru_cache(maxsize=8)
def mix(discount: Discount, items: int) -> Floats:
    """Return the coefficients of the discount's basis for n = 1 … items, or one column for all n."""
    sizes = range(1, items + 1) if discount.depends_on_n else range(1, 2)
    return np.array([discount.coefficients(n) for n in sizes]).T


def basis_values(discount: Discount, length: int) -> Floats:
    """Return B_i(r) for r = 1 … length, one row per basis function of the discount."""
    return np.array([function(np.arange(1.0, length + 1)) for function in discount.basis()])


def ideal_path(grade: Grades, gains: Floats, measure: Measure) -> Floats:
    """Return IDCG_n for n = 1 … N from the grades in order of arrival."""
    items, discount = grade.size, measure.discount
    out = np.empty(items)
    sum_ideal_lists(
        grade, gains, cut_ranks(measure.cutoff, items), sums(discount, items), mix(discount, items), out
    )
    return out


def dcg(stream: Stream, measures: Sequence[Measure]) -> Floats:
    """Return DCG_n for n = 1 … N, one row per measure."""
    items = stream.order.size
    out = np.empty((len(measures), items))
    alike: dict[tuple[bytes, Cutoff], list[int]] = defaultdict(list)
    for row, measure in enumerate(measures):
        method = method_of(measure, items)
        if method.fit is not None:
            alike[method.fit.rates.tobytes(), measure.cutoff].append(row)
            continue
        parts = np.empty((len(measure.discount.basis()), items))
        if method.kind == "heads":
            length = int(method.cut[-1])
            head_sums(stream.arrivals, method.cut, basis_values(measure.discount, length), parts)
        else:
            gain_and_rank_sums(stream.arrivals, _crossings(stream, method.cut), parts)
        np.einsum("in,in->n", np.broadcast_to(mix(measure.discount, items), parts.shape), parts, out=out[row])
    for (_, cutoff), rows in alike.items():
        fits = [fit for row in rows if (fit := method_of(measures[row], items).fit) is not None]
        modes = _modes(tuple(fits[0].rates), items)
        weights = np.zeros((len(rows), modes.complement.size))
        weights[:, : fits[0].rates.size] = [fit.weights[0] for fit in fits]
        whole = cutoff.whole
        crossed = None if whole else _crossings(stream, cut_ranks(cutoff, items))
        out[rows] = exponential_sums(stream.order, stream.grade, stream.gains, modes, weights, crossed)
    return out


def _crossings(stream: Stream, cut: Ints) -> Crossings:
    return crossings(stream.order, stream.grade, stream.gains, cut)
