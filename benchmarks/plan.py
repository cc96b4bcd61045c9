"""Compare the answers of `plan` with simulated lists.

``python -m benchmarks.plan [LISTS]``: three pairs under six measures. The rate of the right order at 1000
and at the required n, and the power of a paired test on the required number of lists of 1000 items; each
with its 99.9% interval.

``python -m benchmarks.plan search [CASES [SEED]]``: random pairs of curves, measures and rates. The items
engine, which draws lists one by one, estimates the rate of the right order at the required n and below it.
"""

from __future__ import annotations

import math
import re
import sys
from collections import Counter

import numpy as np
from scipy import stats

from ndcg_asymptotics.analysis.planning.plan import plan
from ndcg_asymptotics.analysis.planning.required_length import Length, lengths_for
from ndcg_asymptotics.analysis.planning.rows import PlanRow
from ndcg_asymptotics.analysis.power import paired_power
from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.engines import items
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Population, Relevance
from ndcg_asymptotics.studies import Design, Study
from ndcg_asymptotics.sweep import run
from ndcg_asymptotics.theory.deviation.regime import right_rate

BLANK = "constant(0.3)"
PAIRS = {
    "at the top": "power(prevalence=0.3, top=0.55, exponent=6)",
    "in the middle": "polynomial(0.3, 2.5, -7.5, 5)",
    "everywhere": "linear(prevalence=0.3, top=0.4)",
}  # each against BLANK, with the same labels
MEASURES = tuple(
    str(Measure.of(text))
    for text in ("nDCG", "nDCG(linear)", "nDCG(power(0.3))", "nDCG(power(0.7))", "nDCG(zipf)", "nDCG@10")
)
N, LISTS, ALPHA, POWER, RATE = 1000, 4000, 0.05, 0.8, 0.95
LONGEST = 5000  # list that is drawn
CONFIDENCE = 0.999
TESTS = 400  # of the largest required number of lists
LAW = 0.01  # what the law of long lists and the t distribution may be off at these lengths


def differences(sizes: list[int], lists: int, seed: int) -> dict[tuple[str, str, int], Floats]:
    """NDCG of each scorer less that of BLANK, by scorer, measure and n."""
    study = Study(
        scorers={**PAIRS, "blank": BLANK}, measures=list(MEASURES), n=sizes, replicates=lists, seed=seed
    )
    ndcg = run(study).data["ndcg"]
    gap = ndcg - ndcg.sel(scorer="blank")
    return {
        (name, text, n): gap.sel(scorer=name, measure=str(Measure.of(text)), n=n).to_numpy()
        for name in PAIRS
        for text in MEASURES
        for n in sizes
    }


def line(what: str, said: float, seen: int, of: int) -> bool:
    """Print one comparison; whether the prediction is within what the interval and the law allow."""
    low, high = stats.binomtest(seen, of).proportion_ci(CONFIDENCE)
    agrees = bool(low - LAW <= said <= high + LAW)
    verdict = "inside" if low <= said <= high else f"inside by {LAW}" if agrees else "OUTSIDE"
    print(f"{what:48s} {said:.4f}  {seen / of:.4f} [{low:.4f}, {high:.4f}]  {verdict}", flush=True)
    return agrees


def rejected(values: Floats, lists: int) -> tuple[int, int]:
    """Count the paired t tests on ``lists`` lists each that found a difference, and all of them."""
    count = len(values) // lists
    tests = stats.ttest_1samp(values[: count * lists].reshape(count, lists), 0.0, axis=1)
    return int(np.count_nonzero(tests.pvalue < ALPHA)), count


def random_pair(rng: np.random.Generator) -> tuple[str, str]:
    """Two curves of one label law: steps, constants, lines, powers, broken lines, or two grades of these."""
    if rng.random() < 0.15:
        best, second = (random_curves(rng, float(rng.choice([0.03, 0.2, 0.4]))) for _ in range(2))
        first, other = (f"graded(3={x}, 1={y})" for x, y in zip(best, second, strict=True))
        try:
            Relevance.of(first), Relevance.of(other)
        except InputError:  # the two grades add up to more than 1 somewhere
            return random_pair(rng)
        return first, other
    first, other = random_curves(rng, float(rng.choice([0.01, 0.05, 0.3, 0.5, 0.8])))
    return first, other


def random_curves(rng: np.random.Generator, p: float) -> tuple[str, str]:
    """Two different curves with the mean p."""
    largest = min(p, 1 - p)
    slope, bend = (float(round(largest * x, 6)) for x in rng.uniform(0.1, 1.0, 2))
    texts = [
        f"constant({p})",
        f"linear({p - slope}, {p + slope})",
        f"linear({p + bend}, {p - bend})",
        f"step({p - slope}, {p + slope}, 0.5)",
        f"step(0, 1, {1 - p})",
        f"power(prevalence={p}, top={min(1.0, p + bend)}, exponent={rng.choice([2, 4])})",
        f"piecewise(0={p + bend}, 0.25={p - bend}, 0.75={p + bend}, 1={p - bend})",
    ]
    first, other = rng.choice(len(texts), size=2, replace=False)
    return texts[first], texts[other]


def searched(cases: int, seed: int) -> int:
    """Compare random cases, and print how many required lengths of each kind are confirmed."""
    discounts = ("log", "power(0.3)", "power(0.7)", "zipf", "geometric(2)", "linear")
    cutoffs = ("", "", "@1", "@3", "@10", "@0.2n", "@n^0.5")
    counts: Counter[tuple[str, str]] = Counter()
    for case in range(cases):
        rng = np.random.default_rng([seed, case])
        pair = random_pair(rng)
        text = f"nDCG({rng.choice(discounts)}){rng.choice(cutoffs)}"
        rate = float(rng.choice([0.8, 0.9, 0.95]))
        scorers = Population.of(dict(zip("ab", pair, strict=True))).scorers
        found = lengths_for(scorers["a"], scorers["b"], [Measure.of(text)], rate)
        length = next((length for _, length in found.values()), Length(None, None, ""))
        kind = re.sub(
            "simulated on .*", "simulated", re.sub(", confirmed on .*", ", confirmed", length.method)
        )
        told, shown = "not drawn", ""
        if length.n is not None and length.n <= LONGEST:
            told, shown = confirmed(pair, text, rate, length)
        elif length.n is None:
            told = "never long enough"
        counts[kind or "no exact variance", told] += 1
        print(
            f"{case} {pair} {text} {rate}: {length.n} {length.between} {length.method} {told} {shown}",
            flush=True,
        )
    for (kind, told), count in sorted(counts.items()):
        print(f"{kind:45s} {told:20s} {count}")
    return int(any(told == "WRONG" for _, told in counts))


def confirmed(pair: tuple[str, str], text: str, rate: float, length: Length) -> tuple[str, str]:
    """Check by simulation that the rate of the right order is reached at the required n, and not below it."""
    n = length.n or 1
    below = n - 1 if length.between is None else math.floor(0.8 * length.between[0])
    sizes = tuple(sorted({max(below, 1), n}))
    lists = max(400, min(2000, 1_000_000 // n))
    population = Population.of(dict(zip("ab", pair, strict=True)))
    design = Design(population, (Measure.of(text),), sizes, 63, (("a", "b"),))
    orders = items.simulate_block(design, range(lists))["order"][:, 0, 0]
    sign = 1 if (orders[:, -1] > 0).mean() >= (orders[:, -1] < 0).mean() else -1
    seen = (orders == sign).mean(axis=0)
    # three standard errors and a half of these lists, and of those that `plan` draws, which have 4e6 items
    own = rate * (1 - rate) * n / 4e6 + 0.002**2
    off = 3.5 * math.sqrt(rate * (1 - rate) / lists + own)
    good = abs(seen[-1] - rate) < off or (seen[-1] > rate and n <= 30)
    good &= below < 1 or seen[0] < rate + off
    shown = f"seen {seen[-1]:.4f}, at {sizes[0]} {seen[0]:.4f} ({off:.4f})"
    return ("confirmed" if good else "WRONG"), shown


def main() -> int:
    """Print every comparison; 1 if one of them is outside."""
    if sys.argv[1:2] == ["search"]:
        cases, seed = (int(x) for x in (*sys.argv[2:4], *("200", "1")[len(sys.argv) - 2 :]))
        return searched(cases, seed)
    lists = int(sys.argv[1]) if len(sys.argv) > 1 else LISTS
    rows: dict[tuple[str, str], PlanRow] = {
        (name, row.measure): row
        for name, curve in PAIRS.items()
        for row in plan(curve, BLANK, MEASURES, n=N, rate=RATE, power=POWER, level=1 - ALPHA).rows
    }
    lengths = {n for row in rows.values() if (n := row.order.required_n) and n <= LONGEST}
    drawn = differences(sorted({*lengths, N}), lists, seed=61)
    most = max(row.queries.required or 0 for row in rows.values())
    tested = differences([N], min(TESTS * most, lists * 20), seed=62)
    print(f"{'pair, measure':48s} {'said':6s}  {'seen':6s} interval ({CONFIDENCE:.1%})")
    agree = []
    for (name, text), row in rows.items():
        pair, measure = (Relevance.of(PAIRS[name]), Relevance.of(BLANK)), Measure.of(text)
        for n in (N, row.order.required_n):
            if n is not None and n <= LONGEST:
                seen = int((drawn[name, text, n] > 0).sum())
                agree.append(line(f"{name}, {text}: rate at {n}", right_rate(*pair, measure, n), seen, lists))
        if row.order.required_n is None or row.order.required_n > LONGEST:
            print(f"{name}, {text}: required n {row.order.required_n} is not drawn. {row.reason}")
        if row.queries.required and row.difference.mean and row.difference.sd:
            said = paired_power(row.difference.mean / row.difference.sd, row.queries.required, ALPHA)
            what = f"{name}, {text}: power of {row.queries.required} lists"
            agree.append(line(what, said, *rejected(tested[name, text, N], row.queries.required)))
    print(f"{sum(agree)} of {len(agree)} agree")
    return 0 if all(agree) else 1


if __name__ == "__main__":
    sys.exit(main())
