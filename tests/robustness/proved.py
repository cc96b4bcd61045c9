"""A search for counterexamples to further theorems, beside those of `robustness.counterexamples`.

`python -m robustness.proved [TRIES]`; exit status 1 if one is contradicted or hardly tested. Each is held to
something that does not know it:

- the bound of 1/r (T3) to the cost of the tilted law at n = 1e18;
- cutoffs at a share of the list (T4) to exact means and standard deviations at n = 1e6 and 1e12;
- the spread with a random top label (S2) to exact standard deviations at n = 1e9 and 1e18;
- the correlation of rankers that agree (S4), by the sums over items of `oracles.agreement`, to drawn lists,
  with its bound of the remainder;
- the lemma and the theorem of docs/learning/regret.md, section 1, to random label laws and lists of 60 to 200
  items.
"""

from __future__ import annotations

import math
import sys

import numpy as np
from oracles import agreement
from scipy import special

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.deviation import difference_std, ndcg_std
from ndcg_asymptotics.theory.orders import level_tilt
from robustness.counterexamples import Rng, Statement, Try, main, pair, ranked_labels, ratios_of

_MESH = np.append(0.0, np.geomspace(1e-12, 1, 400))


def zipf(rng: Rng) -> Try:
    """-log P(wrong) under 1/r is at least 2 u^2/zeta(2) - log 2, u as in the proof of Theorem T3."""
    texts, n = pair(rng, 1), 10**18
    a, b = map(Relevance.parse, texts)
    if a.mean_gain_at_top < b.mean_gain_at_top:
        a, b = b, a
    high, low = (
        function.accumulate(scorer.curves[0].mean(_MESH[:-1], _MESH[1:]))
        for function, scorer in ((np.minimum, a), (np.maximum, b))
    )
    # 2 u = (q_0 - eta) H_N - (q_1 + eta) H_N - (H_n - H_N) with N = n x / 2
    twice = (high - low + 1) * np.log(n * _MESH[1:] / 2) - math.log(n)
    u = float(twice.max()) / 2
    if u < 1:
        return Try(None, "the bound says little")
    cost = level_tilt(a, b, Measure.parse("nDCG(zipf)"), n).cost
    stated = 2 * u**2 / float(special.zeta(2)) - math.log(2)
    return Try(
        lambda wrong: cost >= (float(n) ** wrong if wrong else stated) - 1,
        f"{texts[0]} against {texts[1]}: cost {cost}, bound {stated}",
    )


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
    sizes = [10**6, 10**12]
    measure = f"nDCG@{c!r}n"
    ratios = ratios_of(texts, measure, sizes)
    settles = ratios[1] > 100 * ratios[0] and ratios[1] > 10
    coin = ratios[1] < 0.1
    return Try(
        lambda wrong: settles if differ != bool(wrong) else coin,
        f"{texts[0]} against {texts[1]}, {measure}: {ratios}",
    )


def random_top(rng: Rng) -> Try:
    """Var NDCG_n E[IDCG_n]^2 / (v sum D^2) -> 1 for r^-b with b from 1/2 to 1 (Theorem S2)."""
    text, b = pair(rng, 1)[0], float(rng.choice([0.5, 0.6, 0.7, 0.8, 0.9, 1.0]))
    curve = Relevance.parse(text)
    q, p = float(curve.mean_gain_at_top), float(curve.curves[0].mass)
    if q in (0.0, 1.0):
        return Try(None, "a certain top label")
    sizes = np.array([1e9, 1e18])
    squares = np.log(sizes) + np.euler_gamma if b == 0.5 else special.zeta(2 * b)
    x = sizes * p
    ideal = np.log(x) + np.euler_gamma if b == 1 else x ** (1 - b) / (1 - b) + float(special.zeta(b))
    found = ndcg_std(text, f"nDCG(power({b!r}))", sizes.astype(int)).value
    ratio = (found * ideal) ** 2 / (q * (1 - q) * squares)

    def holds(wrong: float) -> object:
        off = np.abs(ratio - 1 - wrong)
        return off[1] < 0.05 or off[1] < 0.8 * off[0]

    return Try(holds, f"{text}, b = {b}: {ratio}")


def rankers_that_agree(rng: Rng) -> Try:
    """The correlation under a Gaussian copula lies within the stated remainder (Theorem S4), DCG, n = 120."""
    texts, n, lists = pair(rng, 1), 120, 1500
    rho, measure = float(rng.random()), str(rng.choice(["DCG", "DCG(linear)", "DCG(power(0.3))"]))
    discount = {
        "DCG": 1 / np.log(np.arange(2, n + 2)),
        "DCG(linear)": n - np.arange(1.0, n + 1),
        "DCG(power(0.3))": np.arange(1.0, n + 1) ** -0.3,
    }[measure]
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
    return Try(
        lambda wrong: abs(drawn - stated - wrong) <= room,
        f"{texts[0]} against {texts[1]}, {measure}, rho = {rho}: {drawn}, {stated}, room {room}",
    )


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
        return Try(None, "an item without a gain")
    bound = 1 - float((v / u).min() / (v / u).max())
    regret = float(np.sort(v)[::-1] @ discount - v[np.argsort(-u)] @ discount)
    return Try(
        lambda wrong: regret <= bound * (1 - wrong) + 1e-12,
        f"v = {v}, u = {u}: regret {regret}, bound {bound}",
    )


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

    return Try(lambda wrong: max(ratios) / min(ratios) <= most(wrong), f"m = {m}: {ratios}, {most(0.0)}")


def _poisson_binomial(chances: np.ndarray, t: int) -> float:
    """P(at most t of independent events)."""
    law = np.ones(1)
    for p in chances:
        law = np.convolve(law, [1 - p, p])
    return float(law[: t + 1].sum())


STATEMENTS: dict[str, Statement] = {
    "zipf": zipf,
    "cutoff at a share": cutoff_at_a_share,
    "random top": random_top,
    "rankers that agree": rankers_that_agree,
    "another target": another_target,
    "long lists": long_lists,
}

if __name__ == "__main__":
    sys.exit(main(STATEMENTS))
