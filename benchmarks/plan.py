"""Compare the answers of `plan` with simulated lists.

``python -m benchmarks.plan [LISTS]``: three pairs under six measures. The rate of the right order at 1000
and at the required n, and the power of a paired test on the required number of lists of 1000 items; each
with its 99.9% interval.
"""

from __future__ import annotations

import sys

import numpy as np
from scipy import stats

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.orders.list_moments import list_moments
from ndcg_asymptotics.plans.planning import plan
from ndcg_asymptotics.plans.rows import PlanRow
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.stats.power import paired_power
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.sweep import run

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


def main() -> int:
    """Print every comparison; 1 if one of them is outside."""
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
                agree.append(
                    line(
                        f"{name}, {text}: rate at {n}", list_moments(pair, measure, n).right_rate, seen, lists
                    )
                )
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
