"""The steps of the every-n engine, each against its definition; quick as plain Python too."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from cases import design
from engines_cases import at_length
from oracles import naive
from oracles.discounts import CUTOFFS, DISCOUNTS
from scipy import stats
from scipy.special import ndtri

from ndcg_asymptotics.engines import every_n
from ndcg_asymptotics.engines.every_n import paths
from ndcg_asymptotics.engines.every_n.arrivals import arrive, draw_depths, draw_grades
from ndcg_asymptotics.engines.every_n.kernels import differences_of_heads
from ndcg_asymptotics.engines.every_n.pairs import signs
from ndcg_asymptotics.measures import Measure


def a_list(items: int) -> tuple[np.ndarray, np.ndarray]:
    """Scores with ties, and labels 0, 1, 3 that they say something about."""
    rng = np.random.default_rng(4)
    labels = rng.choice([0.0, 1.0, 3.0], size=items, p=[0.6, 0.3, 0.1])
    return np.round(rng.normal(size=items) + 0.3 * labels, 1), labels


@pytest.fixture(params=["item by item", "by moments and exponentials"])
def method(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The method of evaluation; the second is that of long lists."""
    if request.param != "item by item":
        monkeypatch.setattr(paths, "_SHORT", -1)
    paths.method_of.cache_clear()
    yield request.param
    paths.method_of.cache_clear()


@pytest.mark.parametrize(
    "discount", ["log", "zipf", "linear", "power(0.5)", "power(2)", "geometric(2)", "geometric(1.001)"]
)
def test_every_length_has_the_ndcg_of_its_labels(discount: str, method: str) -> None:
    """Lengths around the ends of stretches; steep and flat exponentials; moving and fixed cutoffs."""
    items = 40 if method == "item by item" else 540
    scores, labels = a_list(items)
    cutoffs = ["", "@10", "@0.2n", "@n^0.9", "@n/log(n)", "@20log(n)"]
    measures = [Measure.parse(f"nDCG({discount}){cutoff}") for cutoff in cutoffs]
    if method != "item by item":
        kinds = {paths.method_of(m, items).kind for m in measures}
        assert kinds == ({"moments"} if discount == "linear" else {"exponentials"})
    found = every_n.evaluate_every_n(scores, labels, measures)
    order = sorted(range(items), key=lambda i: (-scores[i], i))
    for n in range(1, items + 1) if items < 100 else (1, 2, 9, 33, 100, 511, 512, 513, 521, 540):
        gains = [labels[i] for i in order if i < n]
        for cutoff, row in zip(cutoffs, found, strict=True):
            exact = naive.ndcg(gains, at_length(DISCOUNTS[discount], n), CUTOFFS[cutoff](n))
            assert row[n - 1] == pytest.approx(exact, rel=0, abs=1e-10), (cutoff, n)


def test_summaries_of_paths_and_pairs() -> None:
    """Values, extremes, orders, last wrong orders and changes, from NDCG in rational numbers."""
    sizes, ties = (4, 20, 45), 0
    weights = {
        "nDCG(zipf)": lambda r, n: Fraction(1, r),
        "nDCG(linear)": lambda r, n: Fraction(n - r),
        "nDCG(zipf)@3": lambda r, n: Fraction(int(r <= 3), r),
        "nDCG(geometric(100))": lambda r, n: Fraction(1, 100**r),
    }
    scorers = {"a": "linear(0.3, 0.5)", "b": "linear(0.1, 0.7)", "c": "random"}
    what = design(scorers, sizes, tuple(weights), pairs=(("a", "b"), ("b", "a"), ("a", "c")))
    for replicate in range(3):
        drawn = every_n.simulate(what, replicate)
        grade = draw_grades(what, replicate)
        orders = [np.argsort(draw_depths(what, replicate, name, grade), kind="stable") for name in scorers]
        for m, weight in enumerate(weights.values()):
            path = np.empty((3, sizes[-1]), object)
            for n in range(1, sizes[-1] + 1):
                relevant = int((grade[:n] == 0).sum())
                best = sum((weight(r, n) for r in range(1, relevant + 1)), Fraction(0))
                for s, order in enumerate(orders):
                    dcg = sum(
                        (weight(r, n) for r, i in enumerate(order[order < n], 1) if grade[i] == 0),
                        Fraction(0),
                    )
                    path[s, n - 1] = dcg / best if best else Fraction(0)
            values = path.astype(float)
            ends, start = np.array(sizes) - 1, 0
            np.testing.assert_allclose(drawn["ndcg"][:, m], values[:, ends], atol=1e-10)
            for k, end in enumerate(ends):
                for name, extreme in (("minimum", np.min), ("maximum", np.max)):
                    exact = extreme(values[:, start : end + 1], axis=1)
                    np.testing.assert_allclose(drawn[name][:, m, k], exact, atol=1e-10)
                start = end + 1
            for p, (i, j) in enumerate(what.pair_indices()):
                sign = np.sign((path[i] - path[j]).astype(float)).astype(int)
                assert np.array_equal(drawn["order"][p, m], sign[ends])
                for name, where in (("last_not_greater", sign <= 0), ("last_not_less", sign >= 0)):
                    assert drawn[name][p, m] == max(np.flatnonzero(where) + 1, default=0)
                assert drawn["changes"][p, m] == np.count_nonzero(np.diff(sign))
                ties += int((sign == 0).sum())
    assert ties > 100  # the ties are what is hard


def test_sums_that_cancel_are_ties() -> None:
    """1/2 + 1/12 = 1/3 + 1/4: of NDCG by 1/r a tie at twelve items, and no tie without the last of them."""
    gains = np.array([1.0, 0.0])
    first, second = (np.isin(np.arange(1, 13), ranks) for ranks in ((2, 12), (3, 4)))
    # the items come in such an order that both lists have the same labels at every length
    relevant = np.array([0, 1] + [2] * 10) < 2
    streams = []
    for at in (first, second):
        key = np.empty(12)
        key[relevant], key[~relevant] = np.flatnonzero(at), np.flatnonzero(~at)
        streams.append(arrive(key, np.where(relevant, 0, 1).astype(np.uint8), gains))
    measure = Measure.parse("nDCG(zipf)")
    dcgs = [paths.dcg(stream, [measure])[0] for stream in streams]
    best = paths.ideal_path(streams[0].grade, gains, measure)
    found = signs(streams[0], streams[1], measure, dcgs[0], dcgs[1], best)
    gaps = []
    for n in range(1, 13):
        ranked = [stream.order[stream.order < n] for stream in streams]
        exact = [sum(Fraction(1, r) for r, i in enumerate(order, 1) if relevant[i]) for order in ranked]
        gaps.append(int(np.sign(float(exact[0] - exact[1]))))
    assert found.tolist() == gaps
    assert gaps[-1] == 0
    assert set(gaps) != {0}
    # and a difference that rounding could make: what evaluation says is not believed below its error
    noisy = dcgs[0] + 1e-13
    assert signs(streams[0], streams[1], measure, noisy, dcgs[1], best)[-1] == 0


def test_differences_are_summed_without_loss() -> None:
    """1e16 + 1 - 1e16 …: the sum of the terms as it is, where adding them one by one gives 0."""
    gains = np.array([1.0, 0.0])
    ranks = 6
    lists = [
        arrive(np.arange(float(ranks)), np.array(pattern, np.uint8), gains).arrivals
        for pattern in ([0, 0, 1, 0, 1, 1], [1, 1, 0, 1, 0, 0])
    ]
    values = np.array([[1e16, 1.0, 1e16, 0.5, 0.25, 0.125]])
    out, cut = np.empty((1, 2)), np.arange(1, ranks + 1, dtype=np.int32)
    differences_of_heads(lists[0], lists[1], np.array([ranks]), cut, values, np.ones((1, 1)), out)
    assert out[0, 0] == 1.0 + 0.5 - 0.25 - 0.125
    assert out[0, 1] == pytest.approx(2e16)


@pytest.mark.parametrize("coupling", ["independent", "gaussian(0.6)"])
def test_items_have_the_laws_of_the_population(coupling: str) -> None:
    """Shares of grades, and Kolmogorov-Smirnov tests of depths: false alarms with 1e-6 each."""
    n = 20_000
    curve = "graded(2=linear(0.1, 0.3), 1=constant(0.3))"
    what = design({"a": curve, "b": curve}, (n,), "nDCG", coupling=coupling)
    grade = draw_grades(what, 0)
    shares = np.bincount(grade, minlength=3) / n
    assert shares == pytest.approx([0.2, 0.3, 0.5], abs=5 * 0.5 / math.sqrt(n))
    laws = (lambda t: (0.3 * t - 0.1 * t**2) / 0.2, lambda t: t, lambda t: (0.4 * t + 0.1 * t**2) / 0.5)
    places = []
    for name in ("a", "b"):
        depth = draw_depths(what, 0, name, grade)
        place = np.empty(n)
        for g, law in enumerate(laws):
            place[grade == g] = law(depth[grade == g])
            assert stats.kstest(place[grade == g], "uniform").pvalue > 1e-6
        assert stats.kstest(depth[grade == 0], "uniform").pvalue < 1e-6
        places.append(ndtri(np.clip(place, 1e-15, 1 - 1e-15)))
    rho = 0.6 if coupling != "independent" else 0.0
    found = float(np.corrcoef(places)[0, 1])
    assert found == pytest.approx(rho, abs=5 / math.sqrt(n))
