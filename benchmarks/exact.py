"""Exact means and standard deviations along whole curves, relative to one argsort of a million doubles."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.line import Line, ratios
from ndcg_asymptotics.core.caching import clear_caches
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.deviation import ndcg_std
from ndcg_asymptotics.theory.mean import expected_ndcg

CURVE = Relevance.parse("linear(0.1, 0.7)")
GRADED = Relevance.parse("graded(2=power(0, 0.3, 3), 1=linear(0.1, 0.3))")
MEANS = (
    (CURVE, "nDCG", 60),
    (CURVE, "nDCG(linear)", 60),
    (CURVE, "nDCG@10", 20),
    (CURVE, "nDCG@0.2n", 20),
    (CURVE, "nDCG@0.4n", 20),
    (GRADED, "nDCG", 20),
    (GRADED, "nDCG@0.2n", 20),
)
STDS = (
    "nDCG",
    "nDCG(power(0.5))",
    "nDCG(linear)",
    "nDCG(geometric(2))",
    "nDCG@10",
    "nDCG@0.2n",
    "nDCG@0.4n",
)


def lines() -> Iterator[Line]:
    """Yield the times of curves, each with empty caches."""
    values = np.random.default_rng(1).random(10**6)

    def line(exact: Callable[..., object], relevance: Relevance, text: str, count: int, last: float) -> Line:
        sizes, measure = [int(n) for n in np.geomspace(10, last, count)], Measure.parse(text)

        def work() -> None:
            clear_caches()
            exact(relevance, measure, sizes)

        curve = "two grades" if relevance == GRADED else str(relevance)
        name = "mean" if exact is expected_ndcg else "standard deviation"
        what = f"{name} of {text}, {curve}, {count} sizes to {last:g}"
        return Line(what, "numpy: argsort of 1e6", ratios(work, lambda: np.argsort(values)))

    for relevance, text, count in MEANS:
        yield line(expected_ndcg, relevance, text, count, 1e18)
    for text in STDS:
        yield line(ndcg_std, CURVE, text, 20, 1e6)
