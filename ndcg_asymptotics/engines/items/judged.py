"""The labels that a judge reports of the lists that the items engine draws.

How many labels of each class and grade are wrong is drawn first, binomial, for the items above the depth down
to which the judge favours a scorer and for those below. Which items these are is drawn along the rank order
of each scorer: within the two parts of the favoured scorer's order, or within the whole order of another one,
the wrong labels of a class and grade are a uniformly random subset of its items, because scorers are
independent given the label. True labels and rank orders take no part of this: all is drawn by random
generators of the judge.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.core.arrays import Integers
from ndcg_asymptotics.engines.items import rank_order
from ndcg_asymptotics.engines.items.kernels import Codes, misreport
from ndcg_asymptotics.engines.items.orders import rank_orders
from ndcg_asymptotics.populations import Judge
from ndcg_asymptotics.studies.design import Design


@dataclass(frozen=True)
class ReportedItems:
    """Consecutive items of a rank order: how many of each class and grade, and with wrong labels, (K, 2)."""

    items: Integers
    wrong: Integers


Errors = tuple[ReportedItems, ReportedItems]
"""The items that a judge favours, none if it favours no scorer, and the others."""


def draw_errors(design: Design, replicates: Sequence[int], labels: Integers) -> list[Errors]:
    """Draw for each replicate how many labels are wrong."""
    judge = design.population.judge
    assert judge is not None
    found = []
    for replicate, counts in zip(replicates, labels, strict=True):
        own = design.generator(replicate, "judge")
        top = _favoured(design, judge, replicate, counts, own)
        parts = (top, judge.rates_at_top), (counts - top, judge.rates)
        # grade 0 is relevant: its errors are the false negatives
        above, below = (ReportedItems(items, own.binomial(items, rates[::-1])) for items, rates in parts)
        found.append((above, below))
    return found


def reported_labels(labels: Integers, errors: Sequence[Errors]) -> Integers:
    """Return the label counts of the classes by the labels that the judge reports."""
    wrong = np.array([above.wrong + below.wrong for above, below in errors])
    return np.asarray(labels - wrong + wrong[..., ::-1], np.int64)


def reported_orders(
    design: Design, replicates: Sequence[int], labels: Integers, errors: Sequence[Errors]
) -> Iterator[Iterable[Codes]]:
    """Yield for each replicate and scorer the codes of its items in rank order, by the reported labels."""
    judge = design.population.judge
    assert judge is not None
    orders = rank_orders(design, replicates, labels)
    for replicate, (above, below) in zip(replicates, errors, strict=True):
        for name in design.population.scorers:
            own = design.generator(replicate, "judge", name)
            whole = ReportedItems(above.items + below.items, above.wrong + below.wrong)
            yield _misreported(next(orders), (above, below) if name == judge.favours else (whole,), own)


def _favoured(
    design: Design, judge: Judge, replicate: int, labels: Integers, own: np.random.Generator
) -> Integers:
    """Count the items of each class and grade that the judge favours, (K, 2)."""
    if judge.favours is None:
        return np.zeros_like(labels)
    slices = rank_order.slices(design.models[judge.favours], design.sizes[-1])
    drawn = design.generator(replicate, "scorer", judge.favours)
    left = rank_order.items_above(slices, labels, judge.share, drawn, own)
    counts = np.zeros(labels.size, np.int64)
    for codes in rank_order.independent_blocks(
        slices, labels, design.generator(replicate, "scorer", judge.favours)
    ):
        counts += np.bincount(codes[:left], minlength=counts.size)
        left -= min(left, len(codes))
        if left == 0:
            break
    return counts.reshape(labels.shape)


def _misreported(
    blocks: Iterable[Codes], parts: Sequence[ReportedItems], own: np.random.Generator
) -> Iterator[Codes]:
    """Yield the codes of a rank order that consists of these parts, by the reported labels."""
    ahead = iter(parts)
    size = 0
    for codes in blocks:
        reported = np.empty_like(codes)
        done = 0
        while done < len(codes):
            while size == 0:
                part = next(ahead)
                size, left, wrong = (
                    int(part.items.sum()),
                    part.items.ravel().copy(),
                    part.wrong.ravel().copy(),
                )
            stop = min(done + size, len(codes))
            misreport(codes[done:stop], left, wrong, own.random(stop - done), reported[done:stop])
            size, done = size - (stop - done), stop
        yield reported
