"""A search for counterexamples to the theorems of docs/theorems.md and docs/few.md.

`python -m robustness.counterexamples [TRIES]`; exit status 1 if one is contradicted or hardly tested.

Curves are straight between random depths or have steps, start at a certain label, at none, or at a random
one, and have one or two grades. Each statement is held to something that does not know it:

- exponents of the wrong order (Theorems A to C and G) to the cost of the tilted law, at n = 1e10 to 1e18;
- what becomes of the order at the first 1 to 5 ranks (Theorem F) to its probability by integrals over depths,
  at n = 10 to 40, 100 to 10,000 or 1e6 to 1e9, and in whole lists under summable discounts to lists that are
  drawn, at n = 8 to 1600;
- upper bounds for every dependence (Theorem A) to lists whose depths are joined given the label;
- limits with few relevant items (Theorems F1 to F8) to those extrapolated from exact means.

Further statements have searches of their own: robustness/level_pairs.py (D, E, G), proved.py (T3, T4, S2, S4,
L1, L2), proved_lists.py (F2, F3, J1, ideal lists), tests/theory/test_statements_random.py (T1, T2, H)
and test_statements_spread.py (S1), and limits with a share of relevant items
tests/theory/limits/test_limit_scan.py.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from oracles.first_labels import not_greater
from simulated_orders import wrong as share_of_wrong

from ndcg_asymptotics.checks.limit_tests import check_limit
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Curve, FixedCounts, Relevance, Scorer
from ndcg_asymptotics.theory.deviation import difference_std, moments
from ndcg_asymptotics.theory.mean import expected_ndcg
from ndcg_asymptotics.theory.orders import error_exponent, level_tilt

Rng = np.random.Generator
Statement = Callable[[Rng], "Try"]

_LARGE = (10**10, 10**14, 10**18)
_FAR, _CLOSER = 0.12, 0.02  # a slope this far from its exponent must have come closer by at least that
_DISCOUNTS = ("log", "zipf", "power(0.2)", "power(0.4)", "power(0.7)", "linear", "constant")
_CUTOFFS = ("", "@0.2n", "@n^0.5", "@n^0.8", "@n^0.9")


@dataclass(frozen=True)
class Try:
    """One try of a statement.

    Attributes
    ----------
    holds : callable, optional
        Whether what was found agrees with the statement, changed by a number: 0 leaves it as it is, another
        makes it say what is not so. None, or a call that returns None, where the statement says nothing or
        nothing can be computed.
    what : str
    """

    holds: Callable[[float], object] | None
    what: str

    def agrees(self, wrong: float = 0.0) -> object:
        """Whether what was found agrees with the statement changed by ``wrong``; None if it says nothing."""
        return None if self.holds is None else self.holds(wrong)

    def contradicts(self, wrong: float = 0.0) -> bool:
        """Whether the try contradicts the statement that is changed by ``wrong``."""
        found = self.agrees(wrong)
        return found is not None and not found


def main(statements: Mapping[str, Statement]) -> int:
    """Print a line per statement and per counterexample; 1 if there is any, or a statement hardly tested."""
    tries = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    bad = 0
    for name, statement in statements.items():
        found = list(search(statement, tries))
        broken = [one.what for one in found if one.contradicts()]
        tested = sum(one.agrees() is not None for one in found)
        print(f"{name}: {tries} tries, {tested} tested, {len(broken)} contradicted", flush=True)
        for what in broken:
            print(f"  {what}")
        bad += len(broken) + (tested < tries / 4)
    return int(bad > 0)


def search(statement: Statement, tries: int, seed: int = 38) -> Iterator[Try]:
    """Yield the tries of one statement, which says nothing where the package refuses its input."""
    for i in range(tries):
        try:
            yield statement(np.random.default_rng((seed, i)))
        except InputError as error:
            yield Try(None, str(error))


def pair(rng: Rng, grades: int) -> tuple[str, str]:
    """Return two curves with the same label law."""
    found = [_level_curves(rng, 1 / grades) for _ in range(grades)]
    if grades == 1:
        return found[0]
    first, second = (f"graded(2={high}, 1={low})" for high, low in zip(*found, strict=True))
    return first, second


def _level_curves(rng: Rng, most: float) -> tuple[str, str]:
    """Return two curves of the same mean with values up to ``most``."""
    steps, inner = rng.random() < 0.4, float(rng.uniform(0.15, 0.6))
    # shares of the three values in the mean
    share = np.array([inner, 0.0, 1 - inner] if steps else [inner / 2, 0.5, (1 - inner) / 2])
    level = rng.random() < 0.25
    while True:
        a, b = (_values(rng, most) for _ in range(2))
        if level:
            b[0] = a[0]
        b[2] += float(share @ (a - b)) / share[2]
        if 0 <= b[2] <= most and np.abs(a - b).max() > 0.05 * most:
            return _text(a, inner, steps), _text(b, inner, steps)


def _text(v: np.ndarray, inner: float, steps: bool) -> str:
    if steps:
        return f"step({v[2]:.17g}, {v[0]:.17g}, {1 - inner:.17g})"
    return f"piecewise(0={v[0]:.17g}, {inner:.17g}={v[1]:.17g}, 1={v[2]:.17g})"


def _values(rng: Rng, most: float) -> np.ndarray:
    values = most * rng.uniform(0.1, 0.9, 3)
    if rng.random() < 0.3:  # a certain label at the top, or none
        values[0] = most * rng.integers(2)
    return values


def _measure(rng: Rng, cutoffs: tuple[str, ...]) -> Measure:
    discount, cutoff = str(rng.choice(_DISCOUNTS)), str(rng.choice(cutoffs))
    return Measure.parse(f"nDCG({discount}){'@0.3n' if discount == 'constant' and not cutoff else cutoff}")


def ratios_of(texts: tuple[str, str], measure: str, sizes: list[int]) -> np.ndarray:
    """Return the difference of the means over its standard deviation, which is good to four digits."""
    pair, of = (Scorer.of(texts[0]), Scorer.of(texts[1])), Measure.parse(measure)
    first, second = (expected_ndcg(one, of, sizes).value for one in pair)
    # a quick value is 0 where covariances cancel nearly all of the variance
    sds = [moments(pair, of, n).sd or difference_std(*pair, of, [n]).value[0] for n in sizes]
    return np.asarray(np.abs(first - second) / sds)


def exponents(rng: Rng) -> Try:
    """-log P(wrong) = n^(e + o(1)): slopes of the cost of the tilt tend to e (Theorems A to C and G)."""
    texts = pair(rng, int(rng.integers(1, 3)))
    measure = _measure(rng, _CUTOFFS)
    what = f"{texts[0]} against {texts[1]}, {measure}"
    a, b = map(Relevance.parse, texts)
    end = error_exponent(a, b, measure)
    if end.exponent is None:
        return Try(None, end.reason)
    tilts = [level_tilt(a, b, measure, n) for n in _LARGE]
    if len({tilt.leader for tilt in tilts}) > 1:
        return Try(None, f"{what}: another scorer leads in shorter lists")
    costs = [tilt.cost for tilt in tilts]
    if costs[0] < 1 and end.exponent:
        return Try(None, f"{what}: the mean of the difference is still too small")
    costs = [max(cost, 1.0) for cost in costs]
    early, late = np.diff(np.log(costs)) / np.diff(np.log(_LARGE))
    stated = end.exponent

    def holds(wrong: float) -> bool:
        off = [abs(slope - stated - wrong) for slope in (early, late)]
        return bool(off[1] < _FAR or off[1] < off[0] - _CLOSER)

    return Try(holds, f"{what}: slopes {early:.3f}, {late:.3f}, exponent {stated:.3f} ({end.reason})")


def first_ranks(rng: Rng) -> Try:
    """nDCG@1 to @5, binary labels: P(wrong) falls like exp(-cn), like a power of n, or not (Theorem F)."""
    texts, k = pair(rng, 1), int(rng.integers(1, 6))
    measure = Measure.parse(f"nDCG({rng.choice(_DISCOUNTS[:-1])})@{k}")
    first, second = (Scorer.of(text) for text in texts)
    if first.model.mean_gain_at_top < second.model.mean_gain_at_top:
        first, second = second, first
    end = error_exponent(first.model, second.model, measure)
    if end.exponent is None:
        return Try(None, end.reason)
    sizes = (10, 20, 40) if end.exponent == 1.0 else (10**2, 10**3, 10**4) if end.settles else (10**6, 10**9)
    p, breaks = first.masses[0], [*first.model.breakpoints, *second.model.breakpoints]

    def chance(n: int) -> float:
        weights = measure.discount(np.arange(1.0, min(k, n) + 1), float(n))
        return not_greater(
            lambda t: first.model.label_law(t)[1],
            lambda t: second.model.label_law(t)[1],
            n,
            weights,
            p,
            breaks,
        )

    nats = [-math.log(max(chance(n), 1e-300)) for n in sizes]
    if nats[-1] > math.log(1e7):
        return Try(None, "the integrals have no digits left")
    late = nats[-1] - nats[-2]

    def holds(wrong: float) -> bool:
        if (end.exponent == 1.0) != (wrong != 0):
            return late > 0.8 * nats[-2]
        if end.exponent == 1.0 or end.settles:  # as many nats for each factor of n
            return 0.5 < late / (nats[-2] - nats[-3]) < 2 and late > 0.5
        return abs(late) < 0.05

    what = f"{texts[0]} against {texts[1]}, {measure}: -log P = {np.round(nats, 3)} ({end.reason})"
    return Try(holds, what)


def whole_lists(rng: Rng) -> Try:
    """Summable discounts, no cutoff, binary labels: as at the first ranks (Theorem F), in drawn lists."""
    texts = pair(rng, 1)
    measure = Measure.parse(f"nDCG({rng.choice(('power(2)', 'power(3)', 'geometric(2)', 'geometric(3)'))})")
    a, b = map(Relevance.parse, texts)
    if a.mean_gain_at_top < b.mean_gain_at_top:
        a, b = b, a
    end = error_exponent(a, b, measure)
    if end.exponent is None:
        return Try(None, end.reason)
    fast = end.exponent == 1.0
    sizes = (8, 16, 32) if fast else (20, 80, 320) if end.settles else (400, 1600)
    lists = 2_000 if sizes[-1] > 1000 else 10_000
    asked, seed = [str(measure)], int(rng.integers(2**32))
    shares = np.array([share_of_wrong((str(a), str(b)), asked, n, lists, seed)[0] for n in sizes])
    if shares.min() * lists < 40:
        return Try(None, "too few lists in the wrong order")
    nats = -np.log(shares)
    errors = 4 * np.sqrt((1 / shares[1:] + 1 / shares[:-1]) / lists)  # of the increments
    steps = np.diff(nats)

    def holds(wrong: float) -> object:
        low, high = steps[-1] - errors[-1], steps[-1] + errors[-1]
        if fast != (wrong != 0):
            return high > 0.7 * nats[-2]
        if fast or end.settles:  # as many nats for each factor of n
            return high > 0.3 and high > 0.4 * (steps[0] - errors[0]) and low < 2.5 * (steps[0] + errors[0])
        return abs(steps[-1]) < 0.05 + errors[-1]

    what = f"{texts[0]} against {texts[1]}, {measure}: -log P = {np.round(nats, 3)} ({end.reason})"
    return Try(holds, what)


def dependent(rng: Rng) -> Try:
    """P(wrong) <= exp(-mean^2 / (8 n)) for the constant discount and k = cn, whatever joins the depths.

    This is McDiarmid's inequality as in Theorem A, with changes of at most 4 by one item: the bound is that
    of changes of at most 4 - wrong.
    """
    texts, n, c, lists = pair(rng, 1), int(rng.integers(100, 800)), float(rng.uniform(0.1, 0.9)), 200
    a, b = (Relevance.parse(text).curves[0] for text in texts)
    k = math.ceil(c * n)
    labels = rng.random((lists, n)) < a.mass
    u = rng.random((lists, n))
    v = {"same": u, "opposite": 1 - u, "independent": rng.random((lists, n))}
    kind = str(rng.choice(list(v)))
    hits = [_above(rng, curve, labels, places, k) for curve, places in ((a, u), (b, v[kind]))]
    ahead = hits[0] - hits[1]
    mean = ahead.mean()
    ahead, mean = (ahead, mean) if mean >= 0 else (-ahead, -mean)
    share = float(np.mean(ahead <= 0))
    squared = max(mean - 4 * ahead.std() / math.sqrt(lists), 0.0) ** 2 / n

    def bound(wrong: float = 0.0) -> float:
        return math.exp(-2 * squared / (4 - wrong) ** 2)

    def holds(wrong: float) -> bool | None:
        p = bound(wrong)
        return None if p > 0.9 else share <= p + 4 * math.sqrt(max(p * (1 - p), 1 / lists) / lists)

    return Try(holds, f"{texts[0]} against {texts[1]}, {kind}, n = {n}: {share} > {bound():.3g}")


def _above(rng: Rng, curve: Curve, labels: np.ndarray, u: np.ndarray, k: int) -> np.ndarray:
    """Return the numbers of relevant items at the first k ranks; u are the places of depths given labels."""
    return np.asarray(ranked_labels(rng, curve, labels, u)[:, :k].sum(axis=1))


def ranked_labels(rng: Rng, curve: Curve, labels: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Return the labels from the top down, a row per list; u are the places of depths given labels."""
    depths = depths_given(curve, labels, u)
    order = np.argsort(depths + 1e-12 * rng.random(depths.shape), axis=1)
    return np.asarray(np.take_along_axis(labels, order, axis=1), dtype=float)


def depths_given(curve: Curve, labels: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Return the depths at the places u, between 0 and 1, of the laws given the labels."""
    edges = np.unique(np.concatenate((np.linspace(0, 1, 2001), curve.breakpoints)))
    relevant = np.append(0.0, np.cumsum(np.diff(edges) * curve.mean(edges[:-1], edges[1:])))
    others = edges - relevant
    depths = np.empty(u.shape)
    for of_class, below in ((labels, relevant), (~labels, others)):
        depths[of_class] = np.interp(u[of_class], below / below[-1], edges)
    return depths


def few_relevant(rng: Rng) -> Try:
    """Scaled limits with fixed numbers of relevant items, against exact means (Theorems F1 to F8)."""
    kappa = rng.uniform(0.2, 0.9)
    roc = rng.choice(
        [
            f"roc_power({kappa:.4g})",
            f"roc_beta({kappa:.4g}, {rng.uniform(1, 3):.4g})",
            "random",
            pair(rng, 1)[0],
        ]
    )
    counts = int(rng.integers(1, 5))
    text = f"relevant({counts}, {roc})"
    if rng.random() < 0.3:
        text = f"relevant(2={counts}, 1=2, graded(2={roc}, 1=roc_power({rng.uniform(0.2, 1):.4g})))"
    measure = _measure(rng, ("", "@0.3n", "@5", "@n^0.5"))
    stated = check_limit(FixedCounts.parse(text), measure, "a", 1.0)
    if not stated.tested:
        return Try(None, stated.explanation)

    def holds(wrong: float) -> bool:
        row = check_limit(FixedCounts.parse(text), measure, "a", 1.0 + wrong)
        limit, found = row.limit or 0.0, row.extrapolated or 0.0
        # where b is near kappa, extrapolations are known to be off by a few times their error, 1e-5
        return row.verdict != "disagrees" or abs(limit - found) <= 1e-3 * abs(found)

    return Try(holds, f"{text}, {measure}: {stated.limit} against {stated.extrapolated}")


STATEMENTS: dict[str, Statement] = {
    "exponents": exponents,
    "first ranks": first_ranks,
    "whole lists": whole_lists,
    "dependent scorers": dependent,
    "few relevant items": few_relevant,
}

if __name__ == "__main__":
    sys.exit(main(STATEMENTS))
