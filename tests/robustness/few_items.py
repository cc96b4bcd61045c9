"""Lists with a fixed number of relevant items: Theorems F1 to F8 of docs/few.md."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from random_curves import random_measure
from scipy import special, stats

from ndcg_asymptotics.checks.limit_tests import check_limit
from ndcg_asymptotics.engines.cells.ranks import count_orders_of_ranks
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.orders.list_moments import list_moments
from ndcg_asymptotics.populations import FixedCounts, Scorer
from robustness.statements import DISCOUNTS, Rng, Try, nearer, pair, statement, untested


@statement(wrong=0.05, share=0.8)
def few_relevant_items(rng: Rng) -> Try:
    """Scaled limits are those extrapolated from exact means (Theorems F1 to F8)."""
    kappa, b = rng.uniform((0.2, 1), (0.9, 3)).tolist()
    rocs = f"roc_power({kappa:.4g})", f"roc_beta({kappa:.4g}, {b:.4g})", "random", pair(rng)[0]
    roc, counts = rng.choice(rocs), int(rng.integers(1, 5))
    text = f"relevant({counts}, {roc})"
    if rng.random() < 0.3:
        text = f"relevant(2={counts}, 1=2, graded(2={roc}, 1=roc_power({rng.uniform(0.2, 1):.4g})))"
    measure = random_measure(rng, DISCOUNTS, ["", "@0.3n", "@5", "@n^0.5"])
    stated = check_limit(FixedCounts.parse(text), measure, "a", 1.0)
    if not stated.tested:
        return untested(stated.explanation)

    def agrees(wrong: float) -> bool:
        row = check_limit(FixedCounts.parse(text), measure, "a", 1.0 + wrong)
        limit, path = row.limit or 0.0, row.extrapolated or 0.0
        # where b is near kappa, extrapolations are known to be off by a few times their error, 1e-5
        return row.verdict != "disagrees" or abs(limit - path) <= 1e-3 * abs(path)

    return Try(agrees, (text, measure, stated.limit, stated.extrapolated))


def _roc(rng: Rng) -> tuple[str, Any]:
    if rng.random() < 0.5:
        kappa = float(rng.uniform(0.15, 2))
        return f"roc_power({kappa!r})", stats.beta(kappa, 1)
    a, b = float(rng.uniform(0.15, 2)), float(rng.uniform(1, 3))
    return f"roc_beta({a!r}, {b!r})", stats.beta(a, b)


@statement(wrong=0.05, share=0.8)
def one_relevant_item(rng: Rng) -> Try:
    """P(A ahead) tends to P(log T_A < log T_B) under the log discount with one relevant item (F2)."""
    (first, law), (second, other) = _roc(rng), _roc(rng)
    one, two = (FixedCounts.parse(f"relevant(1, {text})") for text in (first, second))
    lists, seed = 100_000, int(rng.integers(2**32))
    found = count_orders_of_ranks(one, two, Measure.parse("nDCG"), 10**15, lists, seed)[0] / lists
    x, weights = np.polynomial.legendre.leggauss(400)
    stated = float(weights @ other.sf(law.ppf((x + 1) / 2))) / 2
    # 5 standard errors; the first ten ranks have a chance of (10/n)^kappa, and there both lists may be level
    room = 5 / (2 * math.sqrt(lists)) + 2 * max(float(each.cdf(1e-14)) for each in (law, other))
    return Try(lambda wrong: abs(found - stated - wrong) <= room, (first, second, found, stated))


@statement(wrong=0.15, share=0.8)
def order_of_several_items(rng: Rng) -> Try:
    """P(A ahead) tends to P(sum y log T_A < sum y log T_B) under the log discount, several items (F2).

    It is approached like 1/log n, which halves from n = 1e9 to 1e18: twice the rate in drawn lists at 1e18
    less that at 1e9 is held to draws of the depths.
    """
    counts = (int(rng.integers(2, 5)),) if rng.random() < 0.5 else tuple(rng.integers(1, 4, 2).tolist())
    lists, models, sums = 40_000, [], []
    for _ in range(2):
        kappa, end = rng.uniform(0.5, 2, 2).tolist()
        laws = [(f"roc_beta({kappa!r}, {end!r})", (kappa, end)), (f"roc_power({end!r})", (end, 1.0))]
        laws = laws[: len(counts)] if rng.random() < 0.5 else laws[::-1][: len(counts)]
        texts = [text for text, _ in laws]
        grades = f"2={counts[0]}, 1={counts[-1]}, graded(2={texts[0]}, 1={texts[-1]})"
        models.append(
            FixedCounts.parse(f"relevant({grades if len(counts) == 2 else f'{counts[0]}, {texts[0]}'})")
        )
        depths = [rng.beta(*law, (4 * lists, count)) for (_, law), count in zip(laws, counts, strict=True)]
        sums.append(sum(y * np.log(t).sum(axis=1) for y, t in zip((2, 1), depths, strict=False)))
    stated = float(np.mean(sums[0] < sums[1]))
    seed = int(rng.integers(2**32))
    rates = [
        count_orders_of_ranks(models[0], models[1], Measure.parse("nDCG"), n, lists, seed)[0] / lists
        for n in (10**9, 10**18)
    ]
    found = 2 * rates[1] - rates[0]
    # 5 standard errors, 0.03, and what falls like 1/log(n)^2
    return Try(lambda wrong: abs(found - stated - wrong) < 0.04, (models, rates, found, stated))


@statement(wrong=0.2, share=0.8)
def several_relevant_items(rng: Rng) -> Try:
    """n^b NDCG_n of r^-b has in the limit the spread of sum T^-b / IDCG, where it is finite (F3)."""
    b, count = float(rng.choice([0.1, 0.2, 0.3])), int(rng.integers(1, 5))
    kappa = float(rng.uniform(2 * b + 0.2, 2))
    end = float(rng.uniform(1, 3))
    law = f"roc_beta({kappa!r}, {end!r})"
    first, second = (
        math.exp(special.betaln(kappa - j * b, end) - special.betaln(kappa, end)) for j in (1, 2)
    )
    ideal = float(np.sum(np.arange(1.0, count + 1) ** -b))
    stated = math.sqrt(count * (second - first**2)) / ideal
    sizes = np.array([1e9, 1e18])
    scorer, measure = Scorer.of(f"relevant({count}, {law})"), Measure.of(f"nDCG(power({b!r}))")
    drawn = [list_moments((scorer,), measure, int(n)) for n in sizes]
    found = np.array([moments.sd for moments in drawn]) * sizes**b
    # errors are those of 95% intervals: 2.6 of them are five standard errors
    room = 0.01 + 2.6 * drawn[1].error / drawn[1].sd

    return Try(
        lambda wrong: nearer(found / stated, 1 + wrong, room, share=0.5), (law, count, b, found, stated)
    )
