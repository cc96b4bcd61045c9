"""Means, spreads and regrets of lists: Theorems T1, S1, S2, S4, J1, L1 and L2, and ideal lists."""

from __future__ import annotations

import math

import numpy as np
from oracles import agreement
from oracles.discounts import DISCOUNTS
from random_curves import random_curve
from scipy import special, stats

from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.deviation import difference_std, ndcg_std
from ndcg_asymptotics.theory.mean import expected_ndcg
from robustness.statements import Rng, Try, nearer, pair, ranked_labels, statement, untested

_POWERS = (0.2, 0.3, 0.5, 0.7, 0.9)


@statement(wrong=0.1, share=0.5, tries=40)
def top_label_alone(rng: Rng) -> Try:
    """Theorem T1, equation (3), at n = 1e15."""
    text, curve, _ = random_curve(rng)
    discount, ranks = [("geometric(2)", 60), ("power(2.5)", 10**5), ("log", 3), ("log", 10)][rng.integers(4)]
    here, below = np.sqrt([max(y * (1 - y), 0.0) for y in curve(np.array([0.0, 1e-14]))]).tolist()
    if abs(here - below) > 1e-3 * max(here, 1e-2) or Relevance.parse(text).masses[0] < 1e-4:
        return untested("the labels of the first ranks still differ from those at the top")
    r = np.arange(1.0, ranks + 1)
    d = r**-2.5 if discount == "power(2.5)" else DISCOUNTS[discount](r, math.inf)
    total = special.zeta(2.5) if ranks > 60 else d.sum()
    stated = here * math.sqrt(d @ d) / total
    measure = f"nDCG({discount})" + (f"@{ranks}" if discount == "log" else "")
    found = ndcg_std(text, measure, [10**15]).value[0]
    room = 2e-3 * max(stated, 1e-2)
    return Try(lambda wrong: abs(found - stated * (1 + wrong)) <= room, (text, measure, found, stated))


@statement(wrong=0.9, share=0.3, tries=40)
def largest_spread(rng: Rng) -> Try:
    """Theorem S1: no law fluctuates more than the sum of squared discounts."""
    curve, _, _ = random_curve(rng)
    names = "log", "linear", "power(0.3)", "power(0.5)", "power(0.7)", "zipf", "power(2)", "geometric(2)"
    discount, n = str(rng.choice(names)), int(rng.integers(2, 60))
    values = DISCOUNTS[discount](np.arange(1.0, n + 1), n)
    chances = stats.binom.pmf(np.arange(1, n + 1), n, Relevance.parse(curve).masses[0])
    most = math.sqrt(values @ values) * np.array([1.0, 2 / (chances @ np.cumsum(values))])
    found = [ndcg_std(curve, f"{name}({discount})", [n]).value[0] for name in ("DCG", "nDCG")]
    return Try(lambda wrong: (found <= most * (1 - wrong)).all(), (curve, discount, n, found, most))


def mean_dcg(n: int, b: float, a: float) -> float:
    """Return sum_r r^-b E[t_(r)^a], t_(r) ~ Beta(r, n + 1 - r): the mean DCG_n of the curve m(t) = t^a."""
    r = np.arange(1.0, n + 1)
    rising = np.cumprod(1 + a / r)  # Gamma(r + 1 + a) / Gamma(r + 1), times a constant
    return float(np.sum(r**-b * np.concatenate(([1.0], rising[:-1]))) / rising[-1])


@statement(wrong=0.2, share=0.8, tries=8)
def remainder_of_a_power(rng: Rng) -> Try:
    """E[DCG_n] n^-(1-b) under r^-b, m = 1 - t^alpha: limit + zeta(b) n^-(1-b) + O(n^-min(1 - b + alpha, 1)).

    With alpha = b the remainder has a logarithm as well.
    """
    b, alpha = rng.uniform((0.2, 0.1), (0.8, 1.2)).tolist()
    if abs(alpha - b) < 0.25:
        return untested("a logarithm is not far")
    sizes = np.array([10**4, 10**5, 10**6])
    means = np.array([mean_dcg(n, b, 0.0) - mean_dcg(n, b, alpha) for n in sizes.tolist()])
    left = means * sizes ** (b - 1) - 1 / (1 - b) + 1 / (1 - b + alpha) - special.zeta(b) * sizes ** (b - 1)
    slopes = np.diff(np.log(np.abs(left))) / math.log(10)
    exact = expected_ndcg(f"cusp(0, 1, {alpha!r})", f"DCG(power({b!r}))", [10**5])
    equal = abs(exact.value[0] - means[1]) <= exact.error[0] + 1e-10 * means[1]
    stated = -min(1 - b + alpha, 1)
    return Try(
        lambda wrong: equal and nearer(slopes, stated - wrong, 0.03, share=0.7), (b, alpha, slopes, stated)
    )


@statement(wrong=1.0, share=0.8)
def random_top(rng: Rng) -> Try:
    """Var NDCG_n E[IDCG_n]^2 / (v sum D^2) -> 1 for r^-b with b from 1/2 to 1 (Theorem S2)."""
    text, b = pair(rng)[0], float(rng.choice([0.5, 0.6, 0.7, 0.8, 0.9, 1.0]))
    curve = Relevance.parse(text)
    q, p = float(curve.mean_gain_at_top), float(curve.curves[0].mass)
    if q in (0.0, 1.0):
        return untested("a certain top label")
    sizes = np.array([1e9, 1e18])
    squares = np.log(sizes) + np.euler_gamma if b == 0.5 else special.zeta(2 * b)
    x = sizes * p
    ideal = np.log(x) + np.euler_gamma if b == 1 else x ** (1 - b) / (1 - b) + float(special.zeta(b))
    found = ndcg_std(text, f"nDCG(power({b!r}))", sizes.astype(int)).value
    ratio = (found * ideal) ** 2 / (q * (1 - q) * squares)
    return Try(lambda wrong: nearer(ratio, 1 + wrong, 0.05, share=0.8), (text, b, ratio))


@statement(wrong=0.3, share=0.5)
def rankers_that_agree(rng: Rng) -> Try:
    """The correlation under a Gaussian copula lies within the stated remainder (Theorem S4), DCG, n = 120."""
    texts, n, lists = pair(rng), 120, 1500
    rho, name = float(rng.random()), str(rng.choice(["log", "linear", "power(0.3)"]))
    discount, measure = DISCOUNTS[name](np.arange(1.0, n + 1), n), f"DCG({name})"
    a, b = (Relevance.parse(text).curves[0] for text in texts)
    labels = rng.random((lists, n)) < a.mass
    z = rng.standard_normal((2, lists, n))
    z[1] = rho * z[0] + math.sqrt(1 - rho**2) * z[1]
    sums = [
        ranked_labels(rng, curve, labels, special.ndtr(each)) @ discount
        for curve, each in zip((a, b), z, strict=True)
    ]
    drawn = float(np.corrcoef(*sums)[0, 1])
    items = agreement.sums([each.value(agreement.MIDDLES) for each in (a, b)], discount, rho)
    of_a, of_b = (float(ndcg_std(text, measure, [n]).value[0]) ** 2 for text in texts)
    alone = (of_a + of_b - float(difference_std(*texts, measure, [n]).value[0]) ** 2) / 2
    stated = (alone + items.coupled - items.independent) / math.sqrt(of_a * of_b)
    remainder = rho * math.sqrt(abs(of_a - items.of_a) * abs(of_b - items.of_b) / (of_a * of_b))
    # 5 standard errors: one false alarm in 3,500 searches of 500 tries
    room = 1e-3 + remainder + 5 * (1 - drawn**2) / math.sqrt(lists)
    return Try(lambda wrong: abs(drawn - stated - wrong) <= room, (texts, measure, rho, drawn, stated, room))


@statement(wrong=0.1, share=0.8, tries=8)
def ideal_lists(rng: Rng) -> Try:
    """IDCG_n of two shares of relevant items has the ratio of the table of docs/dcg.md, section 4."""
    p = rng.uniform(0.02, 0.95, 2)
    c, b = (float(rng.uniform(0.1, 0.9)) if rng.random() < 0.5 else 1.0), float(rng.choice(_POWERS))
    name, decay = [("log", 0.0), ("constant", 0.0), (f"power({b!r})", b), ("zipf", 1.0)][int(rng.integers(4))]
    if name == "constant" and c == 1:
        c = 0.5
    measure, sizes = f"DCG({name})" + (f"@{c!r}n" if c < 1 else ""), [10**6, 10**18]
    ideal = [expected_ndcg(f"step(0, 1, {1 - share!r})", measure, sizes).value for share in p.tolist()]
    stated, ratios = float(np.divide(*np.minimum(c, p))) ** (1 - decay), ideal[0] / ideal[1]
    return Try(lambda wrong: nearer(ratios, stated + wrong, 1e-3, share=0.5), (p, measure, ratios, stated))


@statement(wrong=1.0, share=0.3, tries=8)
def flipped_labels(rng: Rng) -> Try:
    """Exact means hold for the curve a + g m of reported labels (J1): 2000 lists with labels flipped."""
    text, n, lists = pair(rng)[0], int(rng.integers(5, 60)), 2000
    false, missed = rng.uniform(0, 0.45, 2).tolist()
    curve = Relevance.parse(text).curves[0]
    labels = rng.random((lists, n)) < curve.mass
    ranked = ranked_labels(rng, curve, labels, rng.random((lists, n)))
    reported = np.where(rng.random(ranked.shape) < np.where(ranked > 0, missed, false), 1 - ranked, ranked)
    k = int(rng.integers(1, n + 1))
    discount = (np.arange(n) < k) / np.log(np.arange(n) + 2.0)
    ideal = np.cumsum(discount)[np.maximum(reported.sum(axis=1).astype(int), 1) - 1]
    drawn = reported @ discount / ideal

    def agrees(wrong: float) -> object:
        stated = expected_ndcg(f"noisy({text}, {false * (1 - wrong)!r}, {missed!r})", f"nDCG@{k}", [n])
        # 5 standard errors: one false alarm in 3,500 searches of 500 tries
        room = float(stated.error[0]) + 5 * drawn.std() / math.sqrt(lists) + 1e-9
        return abs(drawn.mean() - stated.value[0]) <= room

    return Try(agrees, (text, false, missed, k, n, drawn.mean()))


@statement(wrong=1.0, share=0.3, tries=8)
def another_target(rng: Rng) -> Try:
    """Sorting by u with a u <= v <= b u has a regret of at most 1 - a/b (docs/learning/regret.md)."""
    m = int(rng.integers(2, 8))
    discount = np.sort(rng.random(m))[::-1]
    gains = 2.0 ** rng.integers(0, 5, (3, m)) - 1
    gains[:, 0] += 1  # no list without a gain
    ideal = np.sort(gains, axis=1)[:, ::-1] @ discount
    v = rng.dirichlet(np.ones(3)) @ (gains / ideal[:, None])
    u = v * np.exp(rng.uniform(0, rng.uniform(0.05, 2)) * rng.random(m))
    if not v.all():
        return untested("an item without a gain")
    bound = 1 - float((v / u).min() / (v / u).max())
    regret = float(np.sort(v)[::-1] @ discount - v[np.argsort(-u)] @ discount)
    return Try(lambda wrong: regret <= bound * (1 - wrong) + 1e-12, (v, u, regret, bound))


@statement(wrong=1.0, share=0.8, tries=8)
def long_lists(rng: Rng) -> Try:
    """Independent labels: E[G/|G|] / E[G] differs by (1 + 1/t)^2 (1 + eps) at most between items.

    The counts of the other items are drawn, the same for all items that are compared; the item's own label is
    summed over.
    """
    m, lists = int(rng.integers(60, 201)), 400
    gains = np.array([0.0, 1.0, float(rng.integers(2, 16))])
    laws = rng.dirichlet(rng.uniform(0.5, 3, 3), m)
    tau = float(laws[:, 2].sum())
    t = math.floor(tau / 2)
    others = rng.random((lists, m))
    labels = (others[..., None] > np.cumsum(laws, axis=1)[:, :2]).sum(axis=2)
    chance = _poisson_binomial(laws[:, 2], t)
    epsilon = 2 * m * gains[2] * chance / (1 - chance)
    discount = np.arange(1.0, m + 1) ** -float(rng.uniform(0, 2))
    if rng.random() < 0.5:
        discount[int(rng.integers(1, m)) :] = 0
    ratios = []
    for i in (int(np.argmax(laws[:, 0])), int(np.argmax(laws[:, 1])), int(np.argmax(laws[:, 2]))):
        inverse = []
        for own in (1, 2):
            given = labels.copy()
            given[:, i] = own
            inverse.append(np.mean(1 / (np.sort(gains[given], axis=1)[:, ::-1] @ discount)))
        weights = laws[i, 1:] * gains[1:]
        ratios.append(float(weights @ inverse / weights.sum()))

    def most(wrong: float) -> float:
        # the ratios differ by the mean over other draws of one item's place: one part in 400 at the most
        return float(
            (1 + 1 / t) ** (2 - 2 * wrong) * (1 + epsilon * (1 - wrong)) * (1 + 0.0025 * (1 - wrong))
        )

    return Try(lambda wrong: max(ratios) / min(ratios) <= most(wrong), (m, ratios, most(0.0)))


def _poisson_binomial(chances: np.ndarray, t: int) -> float:
    """P(at most t of independent events)."""
    law = np.ones(1)
    for p in chances:
        law = np.convolve(law, [1 - p, p])
    return float(law[: t + 1].sum())
