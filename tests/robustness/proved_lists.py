"""A search for counterexamples to statements about lists: few relevant items, ideal lists, errors.

`python -m robustness.proved_lists [TRIES]`; exit status 1 if one is contradicted or hardly tested. Each is
held to something that does not know it:

- the order and the law with few relevant items (F2, F3) to exact values at n = 1e15 and 1e18, and with
  several items (F2) to drawn lists at n = 1e9 and 1e18;
- the ratio of ideal lists (docs/dcg.md, section 4) to exact means of perfect rankers at n = 1e6 and 1e18;
- labels with errors (J1 of docs/judges.md) to lists with labels flipped one by one.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
from scipy import special, stats

from ndcg_asymptotics.engines.cells.ranks import count_orders_of_ranks
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.orders.list_moments import list_moments
from ndcg_asymptotics.populations import FixedCounts, Relevance, Scorer
from ndcg_asymptotics.theory.mean import expected_ndcg
from robustness.counterexamples import Rng, Statement, Try, main, pair, ranked_labels

_POWERS = (0.2, 0.3, 0.5, 0.7, 0.9)


def _roc(rng: Rng) -> tuple[str, Any]:
    if rng.random() < 0.5:
        kappa = float(rng.uniform(0.15, 2))
        return f"roc_power({kappa!r})", stats.beta(kappa, 1)
    a, b = float(rng.uniform(0.15, 2)), float(rng.uniform(1, 3))
    return f"roc_beta({a!r}, {b!r})", stats.beta(a, b)


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
    return Try(
        lambda wrong: abs(found - stated - wrong) <= room,
        f"{first}, {second}: {found}, stated {stated}",
    )


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
    return Try(
        lambda wrong: abs(found - stated - wrong) < 0.04,
        f"{models[0]}, {models[1]}: {rates}, {found}, stated {stated}",
    )


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

    def holds(wrong: float) -> object:
        off = np.abs(found / stated - 1 - wrong)
        return off[1] < room or off[1] < 0.5 * off[0]

    return Try(holds, f"{law}, {count}, b = {b}: {found}, {stated}")


def ideal_lists(rng: Rng) -> Try:
    """IDCG_n of two shares of relevant items has the ratio of the table of docs/dcg.md, section 4."""
    p = rng.uniform(0.02, 0.95, 2)
    c, b = (float(rng.uniform(0.1, 0.9)) if rng.random() < 0.5 else 1.0), float(rng.choice(_POWERS))
    name, decay = [("log", 0.0), ("constant", 0.0), (f"power({b!r})", b), ("zipf", 1.0)][int(rng.integers(4))]
    if name == "constant" and c == 1:
        c = 0.5
    measure, sizes = f"DCG({name})" + (f"@{c!r}n" if c < 1 else ""), [10**6, 10**18]
    ideal = [expected_ndcg(f"step(0, 1, {1 - share!r})", measure, sizes).value for share in p.tolist()]
    stated, found = float(np.divide(*np.minimum(c, p))) ** (1 - decay), ideal[0] / ideal[1]

    def holds(wrong: float) -> object:
        off = np.abs(found - stated - wrong)
        return off[1] < 1e-3 or off[1] < 0.5 * off[0]

    return Try(holds, f"shares {p}, {measure}: {found}, stated {stated}")


def _judge(rng: Rng) -> tuple[float, float]:
    """Rates of false alarms and of misses."""
    false, missed = rng.uniform(0, 0.45, 2).tolist()
    return false, missed


def flipped_labels(rng: Rng) -> Try:
    """Exact means hold for the curve a + g m of reported labels (J1): 2000 lists with labels flipped."""
    text, (false, missed), n, lists = pair(rng, 1)[0], _judge(rng), int(rng.integers(5, 60)), 2000
    curve = Relevance.parse(text).curves[0]
    labels = rng.random((lists, n)) < curve.mass
    ranked = ranked_labels(rng, curve, labels, rng.random((lists, n)))
    reported = np.where(rng.random(ranked.shape) < np.where(ranked > 0, missed, false), 1 - ranked, ranked)
    k = int(rng.integers(1, n + 1))
    discount = (np.arange(n) < k) / np.log(np.arange(n) + 2.0)
    ideal = np.cumsum(discount)[np.maximum(reported.sum(axis=1).astype(int), 1) - 1]
    drawn = reported @ discount / ideal

    def holds(wrong: float) -> object:
        stated = expected_ndcg(f"noisy({text}, {false * (1 - wrong)!r}, {missed!r})", f"nDCG@{k}", [n])
        # 5 standard errors: one false alarm in 3,500 searches of 500 tries
        room = float(stated.error[0]) + 5 * drawn.std() / math.sqrt(lists) + 1e-9
        return abs(drawn.mean() - stated.value[0]) <= room

    return Try(holds, f"{text}, {false}, {missed}, @{k} of {n}: {drawn.mean()}")


STATEMENTS: dict[str, Statement] = {
    "one relevant item": one_relevant_item,
    "order of several items": order_of_several_items,
    "several relevant items": several_relevant_items,
    "ideal lists": ideal_lists,
    "flipped labels": flipped_labels,
}

if __name__ == "__main__":
    sys.exit(main(STATEMENTS))
