"""The every-n engine: NDCG of every measure at every list length n = 1 … N of one stream.

Definition 3 of Wang, Wang, Li, He, Liu and Chen (2013), "A theoretical analysis of NDCG ranking
measures", asks which of two scorers is ahead at all n >= N at once. The stream is ranked once; each
arrival then takes O(log N) steps for every measure (`paths`), and the order of two scorers is decided
without error at every n (`pairs`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ndcg_asymptotics.core.arrays import Floats, floats
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.engines.engine import Draw
from ndcg_asymptotics.engines.every_n import exponentials
from ndcg_asymptotics.engines.every_n.arrivals import Stream, arrive, draw_depths, draw_grades
from ndcg_asymptotics.engines.every_n.pairs import signs
from ndcg_asymptotics.engines.every_n.paths import dcg, ideal_path, method_of
from ndcg_asymptotics.engines.shared.machine import require_memory
from ndcg_asymptotics.measures import Measure, measures_of
from ndcg_asymptotics.populations.graded import MOST_GRADES
from ndcg_asymptotics.studies.design import Design

_LARGEST = 2**31 - 1  # ranks are 32-bit
_WARM = 1024  # items: enough for every method of evaluation


def simulate(design: Design, replicate: int) -> Draw:
    """Draw one replicate.

    Returns
    -------
    Draw
        ``ndcg`` at the sizes; ``minimum`` and ``maximum`` over the list lengths after the previous
        size, up to the size; for the pairs ``order`` (sign of NDCG_a - NDCG_b at the sizes),
        ``last_not_greater`` and ``last_not_less`` (the last n with NDCG_a <= NDCG_b, with >=, 0 if
        there is none), ``changes`` (how often the sign changed from one n to the next). |error| of
        NDCG <= 1e-10, of DCG <= 1e-10 IDCG; the signs have none. If the number of relevant items is
        fixed, all this is about lists that have all of them.
    """
    grade = draw_grades(design, replicate)
    gains = np.array([*design.population.gains, 0.0])
    streams = [
        arrive(draw_depths(design, replicate, name, grade), grade, gains)
        for name in design.population.scorers
    ]
    return _summary(design, streams)


def _summary(design: Design, streams: list[Stream]) -> Draw:
    shape = (len(streams), len(design.measures), len(design.sizes))
    draw: Draw = {name: np.empty(shape) for name in ("ndcg", "minimum", "maximum")}
    pairs = design.pair_indices()
    if pairs:
        draw["order"] = np.empty((len(pairs), *shape[1:]), np.int8)
        for name in ("last_not_greater", "last_not_less", "changes"):
            draw[name] = np.empty((len(pairs), shape[1]), np.int64)
    last = np.array(design.sizes) - 1
    first = design.population.least_n - 1
    starts = np.concatenate(([first], last[:-1] + 1))
    raw = [dcg(stream, design.measures) for stream in streams]
    for m, measure in enumerate(design.measures):
        best = ideal_path(streams[0].grade, streams[0].gains, measure)
        for p, (a, b) in enumerate(pairs):
            sign = signs(streams[a], streams[b], measure, raw[a][m], raw[b][m], best)
            draw["order"][p, m] = sign[last]
            draw["last_not_greater"][p, m] = _last(sign <= 0, first)
            draw["last_not_less"][p, m] = _last(sign >= 0, first)
            draw["changes"][p, m] = np.count_nonzero(sign[first + 1 :] != sign[first:-1])
        for s in range(len(streams)):
            path = _ratio(raw[s][m], best) if measure.normalised else raw[s][m]
            draw["ndcg"][s, m] = path[last]
            draw["minimum"][s, m] = np.minimum.reduceat(path, starts)
            draw["maximum"][s, m] = np.maximum.reduceat(path, starts)
    return draw


def _ratio(numerator: Floats, best: Floats) -> Floats:
    """Return NDCG from DCG and IDCG, clipped to [0, 1]; 0 where no item has a gain."""
    return np.clip(np.divide(numerator, best, out=np.zeros_like(best), where=best > 0), 0.0, 1.0)


def _last(holds: NDArray[np.bool_], first: int) -> int:
    """Return the last n = first + 1 … N at which a condition holds, 0 if there is none."""
    indices = np.flatnonzero(holds[first:])
    return first + int(indices[-1]) + 1 if indices.size else 0


def evaluate_every_n(
    scores: ArrayLike, labels: ArrayLike, measures: Sequence[Measure | str] | Measure | str
) -> Floats:
    """Compute NDCG_n, or DCG_n, of the first n items of a list, for n = 1 … N.

    Parameters
    ----------
    scores, labels : (N,)
        In order of arrival. Scores, higher is better; of equal scores the earlier arrival ranks
        first, and -inf is an item that was not retrieved. Labels >= 0 are the gains, at most 255
        different positive ones.
    measures : Measure, text, or several

    Returns
    -------
    (measures, N) array
        |error| <= 1e-10, for DCG_n times IDCG_n; 0 where all labels so far are 0.

    Raises
    ------
    InputError
        For scores that are NaN or +inf, labels that are negative, not finite or too various, shapes that
        differ, or a measure that this list is too long for.

    Examples
    --------
    >>> evaluate_every_n([0.1, 0.3, 0.2], [1, 0, 1], "nDCG(zipf)").round(12)
    array([[1.        , 0.5       , 0.55555556]])
    """
    measure_list = measures_of(measures)
    s, y = floats(scores, "scores"), floats(labels, "labels")
    require(
        s.ndim == 1 and s.shape == y.shape and 0 < s.size <= _LARGEST,
        f"scores and labels must be two lists of one length >= 1, got {s.shape} and {y.shape}",
    )
    require(bool((s < np.inf).all()), "scores must be finite or -inf, got NaN or infinity")
    require(bool((y >= 0).all() and np.isfinite(y).all()), "labels must be finite and >= 0")
    rising = np.union1d(np.unique(y), [0.0])
    require(
        rising.size <= MOST_GRADES + 1,
        f"labels may have at most {MOST_GRADES} different positive values, got {rising.size - 1}",
    )
    gains = rising[::-1].copy()
    grade = np.zeros(y.size, np.uint8)
    for gain in gains[:-1]:
        grade += y < gain
    stream = arrive(-s, grade, gains)
    values = dcg(stream, measure_list)
    for row, measure in zip(values, measure_list, strict=True):
        if measure.normalised:
            row[:] = _ratio(row, ideal_path(grade, gains, measure))
    return values


def check(design: Design) -> None:
    """Refuse a design that this engine cannot simulate.

    Raises
    ------
    InputError
        For lists of more than 2^31 - 1 items, or that take more memory than the machine has (the
        message says how much); for more than 255 gains; for a discount that is neither linear nor
        a sum of exponentials where going item by item takes too long.
    """
    items = design.sizes[-1]
    remedy = "the cells engine does long lists, on the grid of sizes"
    require(items <= _LARGEST, f"every-n engine: n = {items:g} is beyond {_LARGEST:g}; {remedy}")
    require_memory("every-n", items, memory(design), remedy)
    for measure in design.measures:
        method_of(measure, items)


def memory(design: Design) -> int:
    """Return the bytes that `simulate` takes at most, apart from what does not grow with n."""
    items = design.sizes[-1]
    scorers, measures = len(design.population.scorers), len(design.measures)
    discounts = len({m.discount for m in design.measures})
    cutoffs = len({m.cutoff for m in design.measures})
    streams = 13 * scorers  # orders, positions and ranks, 4 bytes each, and the grades
    tables = 3 * 8 * discounts + 3 * 4 * cutoffs
    work = 8 * 6  # depths and their order, or IDCG, its counts and NDCG
    has_cutoff = any(not m.cutoff.whole for m in design.measures)
    crossings = 80 if has_cutoff else 0  # list, its links and what crosses, of one cutoff at a time
    sums = 8 * scorers * measures
    return exponentials.memory_of_sums(items, measures) + items * (streams + tables + work + crossings + sums)


def warm(design: Design) -> None:
    """Compile the kernels and make the tables, before workers start."""
    shortest = design.population.least_n
    simulate(replace(design, sizes=(shortest, shortest + 1)), 0)
    # two scorers that swap the first two items, which are alike: a tie that is decided rank by rank
    key, grade = np.arange(float(_WARM)), (np.arange(_WARM) % 3 == 2).astype(np.uint8)
    gains = np.array([1.0, 0.0])
    a, b = (arrive(order, grade, gains) for order in (key, np.append(key[1::-1], key[2:])))
    for text in ("nDCG", "nDCG(linear)", "nDCG@1"):
        measure = Measure.parse(text)
        signs(a, b, measure, dcg(a, [measure])[0], dcg(b, [measure])[0], ideal_path(grade, gains, measure))
    for measure in design.measures:
        method_of(measure, design.sizes[-1])
