"""The items engine: every item of S_N, and NDCG at every list size along the stream, exactly.

The stream's prefixes S_{n_1} ⊂ S_{n_2} ⊂ … are drawn all at once. An item's *class* is the first
list size that contains it; the label counts of the classes are multinomial and shared by all
scorers. Given them, each scorer's items come in rank order (`orders`), and one
pass over them keeps K running ranks and K sums per discount (`kernels`). No list is sorted twice,
and the list sizes are met exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.engines.engine import Draw
from ndcg_asymptotics.engines.items import rank_order
from ndcg_asymptotics.engines.items.kernels import LANES, Codes, accumulate, work_space
from ndcg_asymptotics.engines.items.orders import memory_of_blocks, rank_orders
from ndcg_asymptotics.engines.shared.grades import draw_label_counts
from ndcg_asymptotics.engines.shared.machine import require_memory
from ndcg_asymptotics.engines.shared.simd import aligned
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Gaussian
from ndcg_asymptotics.studies.design import Design

_LARGEST = 2 * 10**9  # items of a list; codes and cell counts are 32-bit integers
_STRETCH = 1 << 16  # ranks of a table filled at a time

Basis = Callable[[ArrayLike], Floats]


def simulate(design: Design, replicate: int) -> Draw:
    """Draw NDCG, or DCG, of every scorer, measure and list size, for one replicate.

    Returns
    -------
    dict
        ``ndcg`` (scorer, measure, n), and ``order`` (pair, measure, n) if there are pairs: the
        sign of the difference of the two scorers' NDCG. Sums depend on the order of the labels
        alone, so lists with the same labels at the same ranks tie exactly.

    >>> from ndcg_asymptotics.populations import Population
    >>> population = Population.of({"good": "step(0, 1, 0.6)", "random": "random"})
    >>> design = Design(population, (Measure.parse("nDCG"),), (10, 1000), 1, (("good", "random"),))
    >>> draw = simulate(design, 0)
    >>> draw["ndcg"].shape, draw["ndcg"][0].round(12), draw["order"]
    ((2, 1, 2), array([[1., 1.]]), array([[[1, 1]]], dtype=int8))
    """
    return {name: values[0] for name, values in simulate_block(design, [replicate]).items()}


def simulate_block(design: Design, replicates: Sequence[int]) -> Draw:
    """Draw several replicates, stacked; each is what `simulate` gives, and short lists take less time."""
    labels = draw_label_counts(design, replicates)
    sums = wanted_sums(design.measures, design.sizes)
    ndcg = sums.ndcg(rank_orders(design, replicates, labels), labels, design.kinds)
    draw: Draw = {"ndcg": ndcg}
    if design.pairs:
        signs = [np.sign(ndcg[:, a] - ndcg[:, b]) for a, b in design.pair_indices()]
        draw["order"] = np.stack(signs, axis=1).astype(np.int8)
    return draw


@dataclass(frozen=True)
class WantedSums:
    """The sums that the pass over the items computes, for some measures and list sizes.

    Attributes
    ----------
    bases : the functions B_i of all discounts, each once
    row_of, cutoffs : (Q,), (K, Q)
        The sums wanted: of basis ``row_of[q]`` up to rank ``cutoffs[j, q]`` of list j.
    column_of : per measure, which of the sums its DCG is made of
    """

    measures: tuple[Measure, ...]
    sizes: tuple[int, ...]
    bases: tuple[Basis, ...]
    row_of: Integers
    cutoffs: Integers
    column_of: tuple[tuple[int, ...], ...]

    @property
    def lengths(self) -> tuple[int, ...]:
        """The last rank at which each basis is wanted."""
        last = self.cutoffs.max(axis=0)
        return tuple(int(last[self.row_of == b].max()) for b in range(len(self.bases)))

    def reach(self, stored: Integers) -> Integers:
        """Return the last rank at which each basis counts in each list, (K, B)."""
        rows = [self.cutoffs[:, self.row_of == b].max(axis=1) for b in range(len(self.bases))]
        return np.asarray(np.minimum(np.column_stack(rows), stored), np.int64)

    def ndcg(self, lists: Iterable[Iterable[Codes]], labels: Integers, kinds: tuple[float, ...]) -> Floats:
        """Return NDCG, or DCG, of lists, (replicate, scorer, measure, n).

        The lists of a replicate's scorers follow each other; the label counts of the classes are theirs.
        """
        best = self.normaliser(labels, tuple(gain for gain in kinds if gain > 0))
        dcg = self.dcg(lists, np.array(kinds))
        dcg = dcg.reshape(len(labels), -1, *dcg.shape[1:])
        most = np.array([1.0 if measure.normalised else np.inf for measure in self.measures])[:, None]
        return np.asarray(np.minimum(np.divide(dcg, best, out=np.zeros_like(dcg), where=best > 0), most))

    def dcg(self, lists: Iterable[Iterable[Codes]], gains: Floats) -> Floats:
        """Return DCG of lists, each the blocks of its items in rank order, (list, measure, n)."""
        sizes = len(self.sizes)
        table, rows, stored = discount_table(self.bases, self.lengths)
        reach = self.reach(stored)
        classes, code_gains = np.repeat(np.arange(sizes, dtype=np.int32), len(gains)), np.tile(gains, sizes)
        ranks, lanes = np.zeros(sizes, np.int64), aligned(sizes * len(rows) * LANES)
        weight, dcg_sums = work_space(self.sizes[-1], sizes), []
        for blocks in lists:
            sums = np.zeros(self.cutoffs.shape)
            ranks[:], lanes[:] = 0, 0.0
            for codes in blocks:
                state = ranks, lanes, weight, sums
                accumulate(codes, classes, code_gains, table, rows, reach, self.row_of, self.cutoffs, *state)
                if (ranks[:, None] >= self.cutoffs).all():
                    break
            dcg_sums.append(sums)
        return np.stack([self._combine(m, np.array(dcg_sums)) for m in range(len(self.measures))], axis=1)

    def _combine(self, measure: int, sums: Floats) -> Floats:
        coefficients = np.array([self.measures[measure].discount.coefficients(n) for n in self.sizes])
        return np.asarray((coefficients * sums[..., self.column_of[measure]]).sum(axis=-1), np.float64)

    def normaliser(self, labels: Integers, gains: tuple[float, ...]) -> Floats:
        """Return what DCG is divided by from the label counts of the classes, (list, scorer, measure, n).

        The axis of scorers, who share it, has length 1.
        """
        counts = np.cumsum(labels[..., : len(gains)], axis=1)
        return np.stack([self._normaliser(measure, counts, gains) for measure in self.measures], axis=1)[
            :, None
        ]

    def _normaliser(self, measure: Measure, counts: Integers, gains: tuple[float, ...]) -> Floats:
        if measure.discount.depends_on_n:
            columns = [measure.normaliser(counts[:, [k]], gains, n) for k, n in enumerate(self.sizes)]
            return np.concatenate(columns, axis=1)
        # one call for all sizes: beyond their cutoffs the counts are cut here
        cutoffs = np.array([measure.cutoff(n) for n in self.sizes])
        ends = np.minimum(np.cumsum(counts, axis=-1), cutoffs[:, None])
        return measure.normaliser(np.diff(ends, axis=-1, prepend=0), gains, self.sizes[-1])


@lru_cache(maxsize=16)
def wanted_sums(measures: tuple[Measure, ...], sizes: tuple[int, ...]) -> WantedSums:
    """Return the sums that these measures need; equal ones are computed once."""
    columns = list(dict.fromkeys((basis, m.cutoff) for m in measures for basis in m.discount.basis()))
    bases = tuple(dict.fromkeys(basis for basis, _ in columns))
    row_of = np.array([bases.index(basis) for basis, _ in columns], np.int64)
    cutoffs = np.array([[cutoff(n) for _, cutoff in columns] for n in sizes], np.int64)
    column_of = tuple(tuple(columns.index((b, m.cutoff)) for b in m.discount.basis()) for m in measures)
    return WantedSums(measures, sizes, bases, row_of, cutoffs, column_of)


@lru_cache(maxsize=1)
def discount_table(bases: tuple[Basis, ...], lengths: tuple[int, ...]) -> tuple[Floats, Integers, Integers]:
    """Return the flat table of the basis functions, where each begins, and its last rank that is not zero."""
    table = aligned(sum(length + LANES for length in lengths))
    rows, stored, end = [], [], 0
    for basis, length in zip(bases, lengths, strict=True):
        rows.append(end)
        last = 0
        for start in range(0, length, _STRETCH):
            ranks = np.arange(start + 1.0, min(start + _STRETCH, length) + 1.0)
            values = basis(ranks)
            table[end + start : end + start + len(ranks)] = values
            last = int(ranks[values != 0].max(initial=last))
        stored.append(last)
        end += stored[-1] + -stored[-1] % LANES
    return table, np.array(rows, np.int64), np.array(stored, np.int64)


def check(design: Design) -> None:
    """Refuse a design that this engine cannot simulate.

    Raises
    ------
    InputError
        For lists beyond 2e9 items, or that take more memory than the machine has (the message
        says how much), or a discount that does not know its sums so far.
    """
    n = design.sizes[-1]
    remedy = "the cells engine can do it"
    require(n <= _LARGEST, f"items engine: n = {n:g} is beyond {_LARGEST:g}; {remedy}")
    require_memory("items", n, memory(design), remedy)
    for measure in design.measures:
        measure.discount.cumulative(measure.cutoff(n), float(n))


def memory(design: Design) -> int:
    """Return the bytes of the largest arrays of `simulate`."""
    n, codes = design.sizes[-1], len(design.sizes) * len(design.kinds)
    gaussian = isinstance(design.population.coupling, Gaussian)
    order = memory_of_blocks(n) if gaussian else rank_order.memory_of_counts(n, codes)
    return 8 * sum(wanted_sums(design.measures, design.sizes).lengths) + order


def warm(design: Design) -> None:
    """Compile the kernels and make the tables, before workers start."""
    shortest = design.population.least_n
    simulate(replace(design, sizes=(shortest, shortest + 1)), 0)
    sums = wanted_sums(design.measures, design.sizes)
    discount_table(sums.bases, sums.lengths)
