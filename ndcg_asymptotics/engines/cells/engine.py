"""NDCG of lists of up to 9e18 items, drawn cell by cell and bracketed rigorously.

Cut depth into cells. The arrivals between two list lengths fall into the cells multinomially,
given their labels, with the cell's share of ``m_g / p_g`` (of ``(1 - sum m_g) / p_0`` for the label
0), independently of the past: counts per cell are an exact draw of the stream at this resolution,
nested in n, whatever n is. Only the order of the items within a cell is unknown, and with it
NDCG_n is bracketed (`brackets.settle`). Cells that matter are cut in half, binomially,
until the bracket is as narrow as wanted; the others stay wide. A cell is always cut in the same
way, so narrower brackets, other measures and other scorers see the same stream.

If the number of relevant items is fixed, no cells are needed: see `ranks`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.engines.cells import ranks
from ndcg_asymptotics.engines.cells.brackets import CELLS, ESTIMATE, HIGH, LOW, MIXED, UNIT, Task
from ndcg_asymptotics.engines.cells.streams import CellStream
from ndcg_asymptotics.engines.compiled import kernel
from ndcg_asymptotics.engines.engine import UNDECIDED, Draw, check_for_counts
from ndcg_asymptotics.engines.shared.grades import draw_label_counts
from ndcg_asymptotics.engines.shared.tables import FAR_ERROR, Tables, build, cell_weight, greatest_dcg
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.specs.scanner import number_text
from ndcg_asymptotics.studies.design import Design

PAIR_CELLS = 2**17  #: cells at most, per list length and measure, to decide the order of a pair

_TOTAL_CELLS = 1e9  # cells at most, over all list lengths and measures of one scorer: minutes of work
_RESERVE = 0.99  # part of the bracket that cells may fill; the rest is for rounding
_STRETCH = 1.3  # halving leaves cells narrower than they may be: as a rule they fill 2/3 of the bracket


def simulate(design: Design, replicate: int) -> Draw:
    """Draw NDCG, or DCG, along one nested stream.

    Returns
    -------
    dict of arrays
        ``ndcg``, the estimate, and ``low <= ndcg <= high``, which contain the exact value of the
        drawn stream, each (scorers, measures, sizes); ``high - low <= design.bracket``, for DCG
        times IDCG, rounding aside, which is below 1e-6. With pairs also ``order`` (pairs, measures,
        sizes): 1 or -1 where the brackets do not overlap. Where they do, cells are cut further for
        the pair until they are apart. 0 is a tie: every cell holds one label and the sums are equal
        to the last digits of a double. `UNDECIDED` where that would take more than `PAIR_CELLS` cells (about
        ``G(k)^2 / (4 IDCG width)``, at most k(n)).

    >>> from ndcg_asymptotics.measures import Measure
    >>> from ndcg_asymptotics.populations import Population
    >>> population = Population.of({"good": "linear(0.1, 0.7)"})
    >>> draw = simulate(Design(population, (Measure(),), (10**9, 10**18), seed=1), replicate=0)
    >>> draw["ndcg"].round(3)
    array([[[0.972, 0.987]]])
    >>> bool((draw["high"] - draw["low"] <= 1e-4).all())
    True
    """
    (labels,) = draw_label_counts(design, [replicate])
    if not design.population.iid:
        return ranks.draw_ranks(design, replicate, labels)
    streams = {
        name: CellStream(relevance, ranks.draw_key(design.generator(replicate, "scorer", name)), labels)
        for name, relevance in design.population.models.items()
    }
    task = _task(design, labels)
    sums = np.stack([_bracketed(stream, task) for stream in streams.values()])
    # sums are of NDCG; IDCG is 0 where the scale is
    ideals = np.divide(UNIT, task.scale, out=np.zeros_like(task.scale), where=task.scale > 0)
    unit = np.where([measure.normalised for measure in design.measures], 1.0, ideals)
    estimate, low, high = (unit * values for values in _ndcg(sums))
    draw: Draw = {"ndcg": estimate.mT, "low": low.mT, "high": high.mT}
    if design.pairs:
        order = [
            _order(task, streams[a], streams[b], sums[i], sums[j])
            for (a, b), (i, j) in zip(design.pairs, design.pair_indices(), strict=True)
        ]
        draw["order"] = np.stack(order).mT
    return {name: np.ascontiguousarray(values) for name, values in draw.items()}


def memory(design: Design) -> int:
    """Return the bytes of values, brackets and orders, doubled for the work space."""
    population = design.population
    values = (3 * len(population.scorers) + len(design.pairs)) * len(design.measures) * len(design.sizes)
    return 2 * 8 * values


def check(design: Design) -> None:
    """Refuse what this engine cannot do.

    Raises
    ------
    InputError
        For a coupling other than independence given the label, list lengths beyond 9e18, a custom
        discount that does not reach the cutoff, or a bracket that would take too many cells.
    """
    check_for_counts("cells", design)
    require(
        0 < design.bracket < np.inf, f"bracket must be a positive number, got {number_text(design.bracket)}"
    )
    if not design.population.iid:
        return
    law = np.array([*design.population.masses, 1 - sum(design.population.masses)])
    counts = np.rint(np.outer(np.diff(np.array(design.sizes), prepend=0), law)).astype(np.int64)
    cells = float(_cells_needed(_task(design, counts)).sum())
    require(
        cells <= _TOTAL_CELLS,
        f"a bracket of {number_text(design.bracket)} takes about {cells:.0e} cells a scorer and replicate, "
        f"{_TOTAL_CELLS:.0e} are allowed: ask for a wider bracket, or use items for lists below 1e8",
    )


def warm(design: Design) -> None:
    """Compile the kernels, on a short list, and make the tables."""
    simulate(replace(design, measures=(Measure(),), sizes=(1000,), pairs=()), 0)
    if design.population.iid:
        _tables(design.measures, design.sizes)


@lru_cache(maxsize=8)
def _tables(measures: tuple[Measure, ...], sizes: tuple[int, ...]) -> tuple[Tables, Integers, Integers]:
    """Return the tables of the discounts, and the row and the cutoff of each (size, measure)."""
    discounts = tuple(dict.fromkeys(measure.discount for measure in measures))
    index = [discounts.index(measure.discount) for measure in measures]
    cut = np.array([[measure.cutoff(n) for measure in measures] for n in sizes], np.int64)
    reaches = tuple(int(cut[:, np.equal(index, d)].max()) for d in range(len(discounts)))
    tables, rows = build(discounts, reaches, sizes)
    return tables, rows[index].T.copy(), cut


def _task(design: Design, new: Integers) -> Task:
    """Return what has to be bracketed in a replicate with these label counts."""
    tables, row, cut = _tables(design.measures, design.sizes)
    gains = np.array(design.population.gains)
    labels = np.cumsum(new, axis=0)
    ideals, total_weight = _ideals(tables, row, cut, labels, gains)
    scale = np.divide(UNIT, ideals, out=np.zeros_like(ideals), where=ideals > 0)
    total = np.repeat(labels.sum(axis=1)[:, None], cut.shape[1], axis=1)
    bracket = np.full(cut.shape, _RESERVE * design.bracket)
    return Task(tables, gains, row, cut, total, scale, total_weight, bracket)


def _bracketed(stream: CellStream, task: Task) -> Integers:
    """Return the sums of a stream: first aim at wider brackets, then cut further where these are too wide."""
    positive = task.scale > 0
    sums = stream.sums(task._replace(bracket=_STRETCH * task.bracket), positive)
    wide = positive & (sums[..., HIGH] - sums[..., LOW] > task.bracket * UNIT)
    if wide.any():
        sums[wide] = stream.sums(task, wide)[wide]
    return sums


@kernel
def _ideals(
    tables: Tables, rows: Integers, cuts: Integers, labels: Integers, gains: Floats
) -> tuple[Floats, Floats]:
    near, far, start, length = tables
    ideals, total = np.empty(cuts.shape), np.empty(cuts.shape)
    for k in range(cuts.shape[0]):
        for m in range(cuts.shape[1]):
            row, cut = rows[k, m], cuts[k, m]
            ideals[k, m] = greatest_dcg(near, far, start, length, row, cut, gains, labels[k], 0, 0.0)
            total[k, m] = cell_weight(near, far, start, length, row, cut)
    return ideals, total


def _cells_needed(task: Task) -> Floats:
    """Return the approximate number of cells that the brackets take, (K, M).

    A cell of C items leaves at most ``y_1 C^2 |D'| / 4`` open and may leave ``bracket IDCG C
    |D'|^(1/2) / G``: C follows, and the sum of 1/C over the ranks.
    """
    # 1/C = y_1 G |D'|^(1/2) / (4 bracket IDCG), and G is the sum of |D'|^(1/2); scale is 2^60 / IDCG
    with np.errstate(divide="ignore", invalid="ignore"):
        cells = task.gains[0] * task.cell_weight**2 * task.scale / (4 * UNIT * task.bracket)
    return np.asarray(np.fmin(cells, task.cut))


def _ndcg(sums: Integers) -> tuple[Floats, Floats, Floats]:
    """Return the estimate and its bracket, widened by the rounding error of the ideal DCG."""
    low = np.maximum(sums[..., LOW] / UNIT * (1 - 2 * FAR_ERROR), 0.0)
    high = np.minimum(sums[..., HIGH] / UNIT * (1 + 2 * FAR_ERROR), 1.0)
    return np.clip(sums[..., ESTIMATE] / UNIT, low, high), low, high


def _order(task: Task, a: CellStream, b: CellStream, sums_a: Integers, sums_b: Integers) -> NDArray[np.int8]:
    """Return the sign of NDCG_a - NDCG_b, (K, M); cells are cut until the brackets are apart."""
    sums_a, sums_b = sums_a.copy(), sums_b.copy()
    order = _compare(sums_a, sums_b)
    # two brackets narrower than half the gap are apart, but the gap itself is an estimate
    for part in (0.45, 0.1, 0.0):
        gap = np.abs(sums_a[..., ESTIMATE] - sums_b[..., ESTIMATE]) / UNIT
        finer = task._replace(bracket=np.minimum(task.bracket, part * gap))
        todo = (order == UNDECIDED) & (_cells_needed(finer) <= PAIR_CELLS)
        if todo.any():
            sums_a[todo] = a.sums(finer, todo)[todo]
            sums_b[todo] = b.sums(finer, todo)[todo]
            order[todo] = _compare(sums_a, sums_b)[todo]
    return order


def _compare(a: Integers, b: Integers) -> NDArray[np.int8]:
    _, low_a, high_a = _ndcg(a)
    _, low_b, high_b = _ndcg(b)
    order = np.full(low_a.shape, UNDECIDED)
    # IDCG is the same for both scorers; disjoint brackets prove the order
    order[low_a > high_b] = 1
    order[high_a < low_b] = -1
    # without cells of several labels both estimates are exact but for the rounding of each cell
    resolved = (a[..., MIXED] == 0) & (b[..., MIXED] == 0)
    rounding = 2e-15 * (1 + a[..., CELLS] + b[..., CELLS])
    tied = np.abs(a[..., ESTIMATE] - b[..., ESTIMATE]) <= rounding * UNIT
    order[resolved & tied & (order == UNDECIDED)] = 0
    return order
