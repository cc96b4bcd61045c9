"""Compiled kernels of the items engine.

An item is a *code*, ``class * (J + 1) + grade``: its class is the index of the first list size that
contains it, its grade the index of its gain (J for the gain 0). The codes of all items in rank
order are all that NDCG at every list size depends on.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.engines.compiled import kernel
from ndcg_asymptotics.engines.shared.simd import WIDTH, aligned, load_vector, store

Codes = NDArray[np.int32]

#: Sums are kept in this many lanes, rank r in lane r mod LANES. So the order of summation, and
#: with it every bit of the result, depends on the ranks alone and not on how the items come in
#: chunks, and yet the loops run in vector registers.
LANES = 16

#: Items handled at a time: their classes and weights stay in the second-level cache, and the tables of
#: discounts, which do not, are read in stretches as long as that allows.
CHUNK = 1 << 15

_WORD = 32  # bits of a random word
_LOW = (1 << _WORD) - 1


@kernel
def _below(bound: int, word: int, spare: Integers, next_spare: int) -> tuple[int, int]:
    """Return an exactly uniform number below ``bound`` from a uniform 32-bit word (Lemire 2019, TOMACS 29).

    The word times the bound has the answer above 32 bits. The few words that would make some
    answers likelier are replaced by spare ones, from ``next_spare`` on; returns the next one then.
    """
    product = word * bound
    if product & _LOW < bound:
        surplus = (1 << _WORD) % bound
        while product & _LOW < surplus:
            next_spare += 1
            if next_spare > len(spare):
                break
            product = ((spare[next_spare - 1] >> _WORD) & _LOW) * bound
    return product >> _WORD, next_spare


@kernel
def _shuffle(codes: Codes, words: Integers, spare: Integers, next_spare: int) -> int:
    """Put the codes into uniformly random order (Fisher-Yates), two 32-bit words per 64-bit one."""
    last = len(codes) - 1
    for i in range(last, 0, -1):
        word = words[(last - i) >> 1]
        half = (word >> _WORD) & _LOW if (last - i) & 1 else word & _LOW
        j, next_spare = _below(i + 1, half, spare, next_spare)
        codes[i], codes[j] = codes[j], codes[i]
    return next_spare


@kernel
def arrange(
    counts: NDArray[np.int32],
    other_codes: Codes,
    before: Integers,
    first_other: Integers,
    words: Integers,
    spare: Integers,
    codes: Codes,
) -> int:
    """Write the items of consecutive cells in rank order.

    Parameters
    ----------
    counts : (cells, number of codes)
        How many uniform items of each code a cell holds; their order is uniformly random.
    other_codes, before : (all other items,)
        Codes of the items that are not uniform in their cells, in rank order, and how many of
        the uniform items of its cell come before each.
    first_other : (cells + 1,)
        Where the other items of each cell begin.
    words : random 64-bit words, at least one per two uniform items and one more per cell
    spare : further random words
    codes : (items of these cells,), written here

    Returns
    -------
    int
        How many spare words it takes. If there are fewer, the order is of no use.
    """
    begin, next_word, next_spare = 0, 0, 0
    for cell in range(counts.shape[0]):
        end = begin
        for code in range(counts.shape[1]):
            count = counts[cell, code]
            codes[end : end + count] = code
            end += count
        next_spare = _shuffle(codes[begin:end], words[next_word:], spare, next_spare)
        next_word += (end - begin + 1) >> 1
        # the other items move in from the back, pushing uniform ones down
        uniform = end - begin
        low, high = first_other[cell], first_other[cell + 1]
        for i in range(high - 1, low - 1, -1):
            shift = i - low + 1
            while uniform > before[i]:
                uniform -= 1
                codes[begin + uniform + shift] = codes[begin + uniform]
            codes[begin + uniform + shift - 1] = other_codes[i]
        begin = end + high - low
    return next_spare


def work_space(items: int, sizes: int) -> Floats:
    """Return space for the weights of a chunk of up to ``items`` items, with a margin for each list size."""
    return aligned(min(items, CHUNK) + LANES * (sizes + 1))


@kernel
def _drop(group: Codes, weight: Floats, kept_group: Codes, kept_weight: Floats, last: int) -> int:
    """Copy the items of classes up to ``last``; returns how many. The copy may begin before the items."""
    length = 0
    for i in range(len(group)):
        item = group[i]
        kept_group[length], kept_weight[length] = item, weight[i]  # without a branch: one place is kept
        length += item <= last
    return length


@kernel
def _add(weights: Floats, at: int, discounts: Floats, row: int, width: int, lanes: Floats, lane: int) -> None:
    """Add weight * discount to the lanes, over whole groups of LANES ranks.

    Products are rounded before they are added, which gives the same bits on machines that could fuse both.
    """
    low, high = load_vector(lanes, lane), load_vector(lanes, lane + WIDTH)
    for i in range(0, width, LANES):
        low = low + load_vector(weights, at + i) * load_vector(discounts, row + i)
        high = high + load_vector(weights, at + i + WIDTH) * load_vector(discounts, row + i + WIDTH)
    store(lanes, lane, low)
    store(lanes, lane + WIDTH, high)


@kernel
def _total(lanes: Floats) -> float:
    total = 0.0
    for lane in range(LANES):
        total += lanes[lane]
    return total


@kernel
def accumulate(
    codes: Codes,
    classes: Codes,
    gains: Floats,
    table: Floats,
    rows: Integers,
    reach: Integers,
    row_of: Integers,
    cutoffs: Integers,
    ranks: Integers,
    lanes: Floats,
    weight: Floats,
    sums: Floats,
) -> None:
    """Carry the sums of gain * discount at every list size on by the next items in rank order.

    Within a chunk the list sizes are taken from the largest down: dropping the items of one class
    leaves the next smaller list, whose items stand on consecutive ranks, so that its sums are
    inner products with a stretch of the discount table.

    Parameters
    ----------
    codes : (items,)
    classes, gains : (number of codes,)
        The class and the gain of each code.
    table, rows : flat table of discounts, and where in it the row of each discount begins
        Rank r stands at slot r - 1 of its row; rows are padded to whole groups of LANES.
    reach : (K, B)
        The last rank at which row b is wanted, for each list size.
    row_of, cutoffs : (Q,), (K, Q)
        The sums wanted: of row ``row_of[q]`` up to rank ``cutoffs[j, q]``.
    ranks : (K,), lanes : (K B LANES,)
        State, carried on: how many items of each list have come, and their sums.
    weight : (`work_space`,), overwritten
    sums : (K, Q)
        Each is written when its cutoff is reached.
    """
    sizes, number = len(ranks), len(rows)
    most = len(weight) - LANES * (sizes + 1)
    group = np.empty(len(weight), np.int32)
    partial = np.empty(LANES)
    for chunk in range(0, len(codes), most):
        length = min(most, len(codes) - chunk)
        begin = LANES * (sizes - 1) + ranks[sizes - 1] % LANES
        for i in range(length):
            code = codes[chunk + i]
            group[begin + i] = classes[code]
            weight[begin + i] = gains[code]
        for j in range(sizes - 1, -1, -1):
            if j < sizes - 1:  # drop the items of class j + 1, in place: target <= begin
                target, end = LANES * j + ranks[j] % LANES, begin + length
                length = _drop(group[begin:end], weight[begin:end], group[target:], weight[target:], j)
                begin = target
            if length == 0:
                break
            slot = ranks[j]
            ranks[j] += length
            for q in range(len(row_of)):
                if slot < cutoffs[j, q] < ranks[j]:
                    b = row_of[q]
                    at = LANES * (j * number + b)
                    for i in range(LANES):
                        partial[i] = lanes[at + i]
                    for i in range(slot, min(cutoffs[j, q], reach[j, b])):
                        partial[i % LANES] += weight[begin + i - slot] * table[rows[b] + i]
                    sums[j, q] = _total(partial)
            # whole groups of lanes, filled up with zeros on both sides
            head = slot % LANES
            low, high = begin - head, begin + length + (-begin - length) % LANES
            weight[low:begin] = 0.0
            weight[begin + length : high] = 0.0
            for b in range(number):
                span = reach[j, b] - (slot - head)
                width = min(high - low, span + -span % LANES)
                if width > 0:
                    lane = LANES * (j * number + b)
                    _add(weight, low, table, rows[b] + slot - head, width, lanes, lane)
            for q in range(len(row_of)):
                if cutoffs[j, q] == ranks[j]:
                    at = LANES * (j * number + row_of[q])
                    sums[j, q] = _total(lanes[at : at + LANES])
