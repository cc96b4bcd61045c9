"""What becomes of the wrong order of two scorers (docs/theorems.md): Theorems A to C, F to H, T3 and T4."""

from __future__ import annotations

import math

import numpy as np
from oracles.first_labels import binary, not_greater
from random_curves import random_measure
from scipy import special

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.orders import error_exponent, level_tilt
from robustness.statements import (
    DISCOUNTS,
    Rng,
    Try,
    higher_top_first,
    nearer,
    pair,
    ranked_labels,
    ratios_of,
    statement,
    untested,
)

_LARGE = (10**10, 10**14, 10**18)
_MESH = np.append(0.0, np.geomspace(1e-12, 1, 400))


@statement(wrong=0.5, share=0.5)
def exponents(rng: Rng) -> Try:
    """-log P(wrong) = n^(e + o(1)): slopes of the cost of the tilt tend to e (Theorems A to C and G)."""
    texts = pair(rng, int(rng.integers(1, 3)))
    measure = random_measure(rng, DISCOUNTS, ["", "@0.2n", "@n^0.5", "@n^0.8", "@n^0.9"])
    a, b = map(Relevance.parse, texts)
    end = error_exponent(a, b, measure)
    if end.exponent is None:
        return untested(end.reason)
    tilts = [level_tilt(a, b, measure, n) for n in _LARGE]
    if len({tilt.leader for tilt in tilts}) > 1:
        return untested("another scorer leads in shorter lists")
    costs = [tilt.cost for tilt in tilts]
    if costs[0] < 1 and end.exponent:
        return untested("the mean of the difference is still too small")
    slopes, stated = np.diff(np.log(np.maximum(costs, 1.0))) / np.diff(np.log(_LARGE)), end.exponent
    return Try(lambda wrong: nearer(slopes, stated + wrong, 0.12, step=0.02), (texts, measure, slopes, end))


@statement(wrong=1.0, share=0.8, tries=8)
def first_ranks(rng: Rng) -> Try:
    """nDCG@1 to @5, binary labels: P(wrong) falls like exp(-cn), like a power of n, or not (Theorem F).

    The probability is one of integrals over depths, at n = 10 to 40, 100 to 10,000 or 1e6 to 1e9.
    """
    texts, k = pair(rng), int(rng.integers(1, 6))
    measure = Measure.parse(f"nDCG({rng.choice(DISCOUNTS[:-1])})@{k}")
    models = higher_top_first(texts)
    end = error_exponent(*models, measure)
    if end.exponent is None:
        return untested(end.reason)
    sizes = (10, 20, 40) if end.exponent == 1.0 else (10**2, 10**3, 10**4) if end.settles else (10**6, 10**9)
    a, b = (binary(model.curves[0].value) for model in models)
    breaks = [place for model in models for place in model.breakpoints]
    weights = [measure.discount(np.arange(1.0, min(k, n) + 1), float(n)) for n in sizes]
    chances = [
        not_greater(a, b, n, d, models[0].masses[0], breaks) for n, d in zip(sizes, weights, strict=True)
    ]
    nats = -np.log(np.maximum(chances, 1e-300))
    if nats[-1] > math.log(1e7):
        return untested("the integrals have no digits left")
    late = nats[-1] - nats[-2]

    def agrees(wrong: float) -> bool:
        if (end.exponent == 1.0) != (wrong != 0):
            return bool(late > 0.8 * nats[-2])
        if end.exponent == 1.0 or end.settles:  # as many nats for each factor of n
            return bool(0.5 < late / (nats[-2] - nats[-3]) < 2 and late > 0.5)
        return bool(abs(late) < 0.05)

    return Try(agrees, (texts, measure, nats, end))


def _share_of_wrong(
    rng: Rng, scorers: tuple[Relevance, Relevance], measure: Measure, n: int, lists: int
) -> float:
    """Return the share of drawn lists in which the first scorer is not ahead."""
    discount = measure.discount(np.arange(1.0, n + 1), float(n))
    labels = rng.random((lists, n)) < scorers[0].masses[0]
    first, second = (
        ranked_labels(rng, scorer.curves[0], labels, rng.random(labels.shape)) @ discount
        for scorer in scorers
    )
    return float(np.mean(first - second <= 1e-12))


@statement(wrong=1.0, share=0.8, tries=8)
def whole_lists(rng: Rng) -> Try:
    """Summable discounts, no cutoff, binary labels: as at the first ranks (Theorem F), in drawn lists."""
    texts = pair(rng)
    measure = Measure.parse(f"nDCG({rng.choice(('power(2)', 'power(3)', 'geometric(2)', 'geometric(3)'))})")
    a, b = higher_top_first(texts)
    end = error_exponent(a, b, measure)
    if end.exponent is None:
        return untested(end.reason)
    fast = end.exponent == 1.0
    sizes = (8, 16, 32) if fast else (20, 80, 320) if end.settles else (400, 1600)
    lists = 2_000 if sizes[-1] > 1000 else 10_000
    shares = np.array([_share_of_wrong(rng, (a, b), measure, n, lists) for n in sizes])
    if shares.min() * lists < 40:
        return untested("too few lists in the wrong order")
    nats, steps = -np.log(shares), -np.diff(np.log(shares))
    errors = 4 * np.sqrt((1 / shares[1:] + 1 / shares[:-1]) / lists)  # of the steps
    low, high = steps - errors, steps + errors

    def agrees(wrong: float) -> object:
        if fast != (wrong != 0):
            return high[-1] > 0.7 * nats[-2]
        if fast or end.settles:  # as many nats for each factor of n
            return high[-1] > 0.3 and high[-1] > 0.4 * low[0] and low[-1] < 2.5 * high[0]
        return abs(steps[-1]) < 0.05 + errors[-1]

    return Try(agrees, (texts, measure, nats, end))


@statement(wrong=3.9, share=0.1, tries=8)
def dependent_scorers(rng: Rng) -> Try:
    """P(wrong) <= exp(-mean^2 / (8 n)) for the constant discount and k = cn, whatever joins the depths.

    This is McDiarmid's inequality as in Theorem A, with changes of at most 4 by one item: the bound is that
    of changes of at most 4 - wrong.
    """
    texts, n, c, lists = pair(rng), int(rng.integers(100, 800)), float(rng.uniform(0.1, 0.9)), 200
    a, b = (Relevance.parse(text).curves[0] for text in texts)
    labels, u = rng.random((lists, n)) < a.mass, rng.random((lists, n))
    v = {"same": u, "opposite": 1 - u, "independent": rng.random((lists, n))}
    kind = str(rng.choice(list(v)))
    hits = [
        ranked_labels(rng, curve, labels, places)[:, : math.ceil(c * n)].sum(axis=1)
        for curve, places in ((a, u), (b, v[kind]))
    ]
    ahead = hits[0] - hits[1]
    ahead = ahead * (1 if ahead.mean() >= 0 else -1)
    share = float(np.mean(ahead <= 0))
    squared = max(ahead.mean() - 4 * ahead.std() / math.sqrt(lists), 0.0) ** 2 / n

    def agrees(wrong: float) -> bool | None:
        p = math.exp(-2 * squared / (4 - wrong) ** 2)
        return None if p > 0.9 else share <= p + 4 * math.sqrt(max(p * (1 - p), 1 / lists) / lists)

    return Try(agrees, (texts, kind, n, share, squared))


@statement(wrong=1.1, share=0.8)
def zipf(rng: Rng) -> Try:
    """-log P(wrong) under 1/r is at least 2 u^2/zeta(2) - log 2, u as in the proof of Theorem T3."""
    texts, n = pair(rng), 10**18
    a, b = higher_top_first(texts)
    high, low = (
        function.accumulate(scorer.curves[0].mean(_MESH[:-1], _MESH[1:]))
        for function, scorer in ((np.minimum, a), (np.maximum, b))
    )
    # 2 u = (q_0 - eta) H_N - (q_1 + eta) H_N - (H_n - H_N) with N = n x / 2
    u = float(((high - low + 1) * np.log(n * _MESH[1:] / 2) - math.log(n)).max()) / 2
    if u < 1:
        return untested("the bound says little")
    cost = level_tilt(a, b, Measure.parse("nDCG(zipf)"), n).cost
    stated = 2 * u**2 / float(special.zeta(2)) - math.log(2)
    return Try(lambda wrong: cost >= (float(n) ** wrong if wrong else stated) - 1, (texts, cost, stated))


@statement(wrong=1.0, share=0.8)
def cutoff_at_a_share(rng: Rng) -> Try:
    """Log, k = cn: the order settles if the curves differ above c, else it is a coin toss (Theorem T4)."""
    c, differ = float(rng.uniform(0.2, 0.7)), bool(rng.random() < 0.5)
    top, at = rng.uniform(0.1, 0.9, 2).tolist()
    other = top + float(rng.uniform(0.05, 0.1)) * (-1 if top > 0.5 else 1) * differ
    end, x, y, z = 2.0, 0.0, 0.0, 0.0
    while not 0 <= end <= 1 or abs(x - y) < 0.02:  # until there is a second curve with the same share
        x, y, z = rng.uniform(0.1, 0.9, 3).tolist()
        end = z + 2 * (x - y) + 2 * c * (top - other) / (1 - c)
    half = (1 + c) / 2
    texts = (
        f"piecewise(0={top!r}, {c!r}={at!r}, {half!r}={x!r}, 1={z!r})",
        f"piecewise(0={other!r}, {c!r}={at!r}, {half!r}={y!r}, 1={end!r})",
    )
    ratios = ratios_of(texts, f"nDCG@{c!r}n", [10**6, 10**12])
    settles, coin = ratios[1] > 100 * ratios[0] and ratios[1] > 10, ratios[1] < 0.1
    return Try(lambda wrong: settles if differ != bool(wrong) else coin, (texts, c, ratios))


@statement(wrong=2.0, share=0.3, tries=40)
def rerankers_with_a_shared_top(rng: Rng) -> Try:
    """Theorem H: B exchanges random intervals below the shared part; 80 lists of 1500 items."""
    n, lists, parts = 1500, 80, int(rng.integers(2, 6))
    shared, b = rng.uniform((0.1, 0.2), (0.6, 2.5)).tolist()
    cuts = np.concatenate(([shared], np.sort(rng.uniform(shared, 1, parts - 1)), [1.0]))
    values, top = rng.random(parts), rng.random(2)
    if rng.random() < 0.3:
        values = np.round(values)  # certain labels
    order, sizes = rng.permutation(parts), np.diff(cuts)
    starts = np.empty(parts)
    starts[order] = shared + np.concatenate(([0.0], np.cumsum(sizes[order])[:-1]))
    # the integrals of t^-b over the parts, where A and where B has them
    here, there = (((x + sizes) ** (1 - b) - x ** (1 - b)) / (1 - b) for x in (cuts[:-1], starts))
    delta = float(values @ (here - there))
    u = rng.random((lists, n))
    part = np.clip(np.searchsorted(cuts, u, side="right") - 1, 0, parts - 1)
    chance = np.where(u < shared, np.where(u < shared / 2, top[0], top[1]), values[part])
    labels = (rng.random(u.shape) < chance) * 1.0
    second = np.where(u < shared, u, u - cuts[part] + starts[part])
    discount = np.arange(1, n + 1.0) ** -b
    of_a, of_b = (
        np.take_along_axis(labels, np.argsort(depth, axis=1), axis=1) @ discount for depth in (u, second)
    )
    ahead = n ** (b - 1) * (of_a - of_b)
    spread = float(ahead.std())
    bound = b * (shared / 2) ** (-b - 1) * (n**-0.5 / 2 + 1 / n)

    def agrees(wrong: float) -> bool:
        stated = delta * (1 - wrong)
        near = abs(ahead.mean() - stated) <= 5 * spread / math.sqrt(lists) + bound  # 500 tries: 3e-4
        # where four deviations lie between, one list in 20 in the wrong order is out of question
        clear = abs(stated) > max(4 * spread, 1e-9)
        return bool(near and (not clear or np.mean(ahead * np.sign(stated) <= 0) < 0.05))

    return Try(agrees, (shared, b, cuts, values, order, ahead.mean(), delta))
