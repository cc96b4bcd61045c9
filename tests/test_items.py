"""The items engine: sums against the plain oracle, and the law of its rank orders.

Stochastic tests have fixed seeds. `z_score` is a mean's distance from its expected value in standard errors;
|z| <= 4.5 fails by chance with probability 7e-6 per comparison. Beside each stands a wrong
hypothesis that the same data reject.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path

import mpmath
import naive
import numpy as np
import pytest
from scipy import stats

from ndcg_asymptotics.design import Design
from ndcg_asymptotics.engines import grades, items, rank_order
from ndcg_asymptotics.engines.kernels import CHUNK
from ndcg_asymptotics.engines.labels import label_counts
from ndcg_asymptotics.errors import InputError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.population import Population
from ndcg_asymptotics.relevance import Relevance

LIMIT = 4.5

DISCOUNTS: dict[str, Callable[[int, int], float]] = {
    "log": lambda r, n: 1 / math.log(1 + r),
    "power(0.5)": lambda r, n: 1 / math.sqrt(r),
    "zipf": lambda r, n: 1 / r,
    "geometric(2)": lambda r, n: 2.0**-r,
    "linear": lambda r, n: float(n - r),
}
CUTOFFS: dict[str, Callable[[int], int]] = {
    "": lambda n: n,
    "@10": lambda n: min(n, 10),
    "@0.2n": lambda n: -(-n // 5),
    "@n^0.5": lambda n: math.isqrt(n - 1) + 1,
}
MEASURES = {f"nDCG({d}){c}": (D, k) for d, D in DISCOUNTS.items() for c, k in CUTOFFS.items()}

LINEAR = "linear(0.1, 0.7)"
GRADED = "graded(3=polynomial(0.5, -0.4), 1=polynomial(0.1, 0.2))"
CURVES = [
    "constant(0.4)",
    LINEAR,
    GRADED,
    "step(0, 1, 0.7)",
    "step(0.1, 0.9, 0.35)",
    "cusp(0.05, 0.95, 0.2)",
    "binormal(0.2, 1.5)",
    "constant(0)",
    "constant(1)",
]


def design(
    scorers: dict[str, str] | str,
    sizes: Sequence[int],
    measures: Sequence[str] = ("nDCG",),
    coupling: str = "independent",
    seed: int = 1,
    pairs: Sequence[tuple[str, str]] = (),
) -> Design:
    named = {"a": scorers} if isinstance(scorers, str) else scorers
    parsed = tuple(Measure.parse(text) for text in measures)
    return Design(Population.of(named, coupling), parsed, tuple(sizes), seed, tuple(pairs))


def sequences(a_design: Design, replicate: int) -> list[list[list[float]]]:
    """For each scorer and list size, the gains in rank order."""
    gains = [*a_design.population.gains, 0.0]
    labels = label_counts(a_design, replicate)
    result = []
    for blocks in items.rank_orders(a_design, replicate, labels):
        codes = [divmod(code, len(gains)) for block in blocks for code in block.tolist()]
        result.append([[gains[g] for k, g in codes if k <= j] for j in range(len(a_design.sizes))])
    return result


def z_score(values: Sequence[float] | np.ndarray, expected: float) -> float:
    values = np.asarray(values, float)
    return float((values.mean() - expected) / (values.std(ddof=1) / math.sqrt(values.size)))


def ndcgs(a_design: Design, replicates: int) -> np.ndarray:
    return np.array([items.simulate(a_design, r)["ndcg"] for r in range(replicates)])


# --- sums: every size, discount and cutoff, exactly -------------------------------------------


@pytest.mark.parametrize("coupling", ["independent", "gaussian(0.5)"])
@pytest.mark.parametrize("curve", CURVES)
def test_agrees_with_the_plain_oracle_at_every_size(curve: str, coupling: str) -> None:
    # sizes around the width of a summation lane and of a chunk, and beyond several blocks of cells
    sizes = [1, 2, 3, 15, 16, 17, 100, 1000, CHUNK - 1, CHUNK, CHUNK + 1, 9000]
    a_design = design(curve, sizes, list(MEASURES), coupling)
    drawn = items.simulate(a_design, 0)["ndcg"]
    assert drawn.shape == (1, len(MEASURES), len(sizes))
    for j, (n, gains) in enumerate(zip(sizes, sequences(a_design, 0)[0], strict=True)):
        assert len(gains) == n
        for i, (discount, cutoff) in enumerate(MEASURES.values()):
            expected = naive.ndcg(gains, lambda r, D=discount, n=n: D(r, n), cutoff(n))
            assert drawn[0, i, j] == pytest.approx(expected, rel=0, abs=1e-12)


def test_agrees_with_the_plain_oracle_on_long_lists() -> None:
    sizes = [10, 31_623, 200_000, 1_000_003]
    names = ["nDCG(log)", "nDCG(power(0.5))@0.2n", "nDCG(linear)", "nDCG(zipf)@n^0.5"]
    a_design = design(GRADED, sizes, names)
    drawn = items.simulate(a_design, 3)["ndcg"][0]
    for j, (n, gains) in enumerate(zip(sizes, sequences(a_design, 3)[0], strict=True)):
        for i, name in enumerate(names):
            discount, cutoff = MEASURES[name]
            expected = naive.ndcg(gains, lambda r, D=discount, n=n: D(r, n), cutoff(n))
            assert drawn[i, j] == pytest.approx(expected, rel=0, abs=1e-12)


@pytest.mark.parametrize("sizes", [[1], [1, 2, 3], list(range(1, 40)), [10**6]])
def test_lists_of_sizes(sizes: list[int]) -> None:
    a_design = design({"a": LINEAR, "b": "random"}, sizes, ["nDCG", "nDCG(zipf)"], pairs=[("a", "b")])
    draw = items.simulate(a_design, 0)
    assert draw["ndcg"].shape == (2, 2, len(sizes))
    assert draw["order"].shape == (1, 2, len(sizes))
    assert np.all((draw["ndcg"] >= 0) & (draw["ndcg"] <= 1))


def test_label_counts_meet_the_sizes_and_are_shared() -> None:
    sizes = [7, 100, 5000]
    two = {"a": GRADED, "b": "random"}
    for coupling in ("independent", "gaussian(0.9)"):
        a_design = design(two, sizes, coupling=coupling)
        first, second = sequences(a_design, 2)
        for j, n in enumerate(sizes):
            assert len(first[j]) == n
            assert sorted(first[j]) == sorted(second[j])


def test_zero_where_every_label_is_zero_and_one_where_none_is() -> None:
    assert np.all(items.simulate(design("constant(0)", [1, 50]), 0)["ndcg"] == 0)
    full = items.simulate(design("constant(1)", [1, 50], ["nDCG", "nDCG(zipf)@3"]), 0)["ndcg"]
    np.testing.assert_allclose(full, 1, rtol=0, atol=1e-15)


def test_a_perfect_scorer_has_one_everywhere() -> None:
    # scores separate the labels whatever their number is, so that NDCG is 1 at every size
    a_design = design("step(0, 1, 0.7)", [1, 10, 1000], ["nDCG", "nDCG(power(0.5))@0.2n"])
    values = ndcgs(a_design, 20)
    some = np.array([label_counts(a_design, r)[:, 0].cumsum() > 0 for r in range(20)])
    np.testing.assert_allclose(values, np.broadcast_to(some[:, None, None, :], values.shape), atol=1e-14)


# --- what results depend on -------------------------------------------------------------------


@pytest.mark.parametrize("coupling", ["independent", "gaussian(0.5)"])
def test_other_measures_scorers_and_replicates_change_no_bit(coupling: str) -> None:
    sizes = [5, 700, 40_000]
    scorers = {"a": LINEAR, "b": "cusp(prevalence=0.4, top=0.9, alpha=0.5)", "c": "constant(0.4)"}
    names = ["nDCG(zipf)@0.2n", "nDCG", "nDCG(linear)", "nDCG(log)@10", "nDCG(geometric(2))"]
    whole = items.simulate(design(scorers, sizes, names, coupling), 4)["ndcg"]
    for s, (name, curve) in enumerate(scorers.items()):
        for m, measure in enumerate(names):
            alone = items.simulate(design({name: curve}, sizes, [measure], coupling), 4)["ndcg"]
            np.testing.assert_array_equal(alone[0, 0], whole[s, m])
    other = items.simulate(design(scorers, sizes, names, coupling), 5)["ndcg"]
    assert np.all(other[:, :, -1] != whole[:, :, -1])


def test_order_is_the_sign_and_equal_lists_tie_exactly() -> None:
    # two perfect scorers rank the same labels the same way, each from its own draw
    both = {"a": "step(0, 1, 0.6)", "b": "step(0, 1, 0.6)", "c": "random"}
    names = ["nDCG", "nDCG(power(0.3))@0.2n"]
    a_design = design(both, [3, 100, 30_000], names, pairs=[("a", "b"), ("a", "c"), ("c", "a")])
    draw = items.simulate(a_design, 0)
    order = draw["order"]
    assert order.dtype == np.int8
    assert np.all(order[0] == 0)
    np.testing.assert_array_equal(order[1], np.sign(draw["ndcg"][0] - draw["ndcg"][2]))
    np.testing.assert_array_equal(order[1], -order[2])
    assert np.all(order[1, :, -1] == 1)


# --- the law ----------------------------------------------------------------------------------


@pytest.mark.parametrize("coupling", ["independent", "gaussian(0.7)"])
@pytest.mark.parametrize(
    ("curve", "polynomials", "wrong"),
    [
        (LINEAR, {1.0: ["0.7", "-0.6"]}, {1.0: ["0.4"]}),
        (
            GRADED,
            {3.0: ["0.5", "-0.4"], 1.0: ["0.1", "0.2"]},
            {3.0: ["0.3", "0"], 1.0: ["0.2", "0"]},
        ),
    ],
)
def test_mean_of_short_lists_is_the_exact_one(
    curve: str, polynomials: dict[float, list[str]], wrong: dict[float, list[str]], coupling: str
) -> None:
    sizes = [1, 3, 6]
    names = ["nDCG(log)", "nDCG(zipf)@2"]
    draws = ndcgs(design(curve, sizes, names, coupling), 2500 if coupling == "independent" else 1500)
    for j, n in enumerate(sizes):
        for i, (discount, k) in enumerate([(DISCOUNTS["log"], n), (DISCOUNTS["zipf"], min(n, 2))]):
            mean = naive.expected_ndcg(fractions(polynomials), lambda r, D=discount, n=n: D(r, n), n, k)
            assert abs(z_score(draws[:, 0, i, j], mean)) <= LIMIT
    # the same label law, no information: rejected at the largest size
    other = naive.expected_ndcg(fractions(wrong), lambda r: 1 / math.log(1 + r), 6)
    assert abs(z_score(draws[:, 0, 0, 2], other)) > LIMIT


def fractions(curves: dict[float, list[str]]) -> dict[float, list[naive.Fraction]]:
    return {gain: [naive.Fraction(c) for c in curve] for gain, curve in curves.items()}


def test_sizes_are_nested() -> None:
    # E[NDCG_3 NDCG_6] by enumeration; prefixes that were drawn afresh would give the product of means
    draws = ndcgs(design(LINEAR, [3, 6]), 4000)[:, 0, 0]
    curve = fractions({1.0: ["0.7", "-0.6"]})
    product = draws[:, 0] * draws[:, 1]
    assert abs(z_score(product, naive.expected_product(curve, lambda r: 1 / math.log(1 + r), 3, 6))) <= LIMIT
    apart = [naive.expected_ndcg(curve, lambda r: 1 / math.log(1 + r), n) for n in (3, 6)]
    assert abs(z_score(product, math.prod(apart))) > LIMIT


def test_reference_means() -> None:
    # E NDCG_n for ybar(s) = 0.1 + 0.6 s, computed by quadrature of the exact mean
    reference = {
        "nDCG(log)": (0.84210544, 0.90313918),
        "nDCG(power(0.5))": (0.80466887, 0.79382871),
        "nDCG(zipf)": (0.71220179, 0.70631867),
    }
    draws = ndcgs(design(LINEAR, [50, 1000], list(reference)), 3000)[:, 0]
    for i, values in enumerate(reference.values()):
        for j, value in enumerate(values):
            assert abs(z_score(draws[:, i, j], value)) <= LIMIT
    assert abs(z_score(draws[:, 0, 0], reference["nDCG(log)"][1])) > LIMIT


@pytest.mark.parametrize("coupling", ["independent", "gaussian(0.4)"])
@pytest.mark.parametrize("curve", ["cusp(0.05, 0.95, 0.2)", "step(0.1, 0.9, 0.8)", "binormal(0.2, 1.5)"])
def test_relevance_of_the_first_rank(curve: str, coupling: str) -> None:
    # P(rank 1 is relevant) = int n (1-t)^(n-1) m(t) dt, and nDCG@1 is its indicator
    n, replicates = 40, 500
    m = Relevance.parse(curve)
    edges = np.union1d(np.geomspace(1e-9, 1, 40), [0.0, *m.breakpoints])
    x, weights = np.polynomial.legendre.leggauss(8)
    t = (edges[:-1] + np.outer(x + 1, np.diff(edges)) / 2).T
    expected = float(np.sum(n * (1 - t) ** (n - 1) * m.mean_gain(t) * weights / 2 * np.diff(edges)[:, None]))
    draws = ndcgs(design(curve, [n], ["nDCG@1"], coupling), replicates)[:, 0, 0, 0]
    error = math.sqrt(expected * (1 - expected) / replicates)
    assert abs(draws.mean() - expected) <= LIMIT * error
    # what uniform positions within the label law would give
    assert abs(draws.mean() - m.masses[0]) > LIMIT * error


@pytest.mark.parametrize("coupling", ["independent", "gaussian(0.3)"])
@pytest.mark.parametrize("curve", ["cusp(0.05, 0.95, 0.2)", "step(0.1, 0.9, 0.35)", "power(0, 1, 8)", GRADED])
def test_ranks_of_each_grade_follow_the_curve(curve: str, coupling: str) -> None:
    # counts of a grade among ten slices of the ranks against n times the mass of the slice; few cells
    # and many items, so that the mixture is put to work. False alarm 1e-6 per grade.
    n = 100_000
    a_design = design(curve, [n], coupling=coupling, seed=5)
    relevance = a_design.population.scorers["a"]
    gains = np.array(sequences(a_design, 0)[0][0])
    edges = np.array([0, 0.0005, 0.002, 0.01, 0.05, 0.15, 0.3, 0.5, 0.7, 0.9, 1.0])
    sizes = np.diff(np.round(edges * n))
    for grade, gain in enumerate(relevance.gains):
        seen = np.add.reduceat(gains == gain, np.round(edges[:-1] * n).astype(int))
        p = grades.mean(relevance, grade, edges[:-1], edges[1:])
        # rank r/n and depth differ by O(n^-1/2): allow the shift of the slice's ends
        slope = np.abs(np.diff(grades.value(relevance, grade, edges)))
        variance = sizes * p * (1 - p) + slope**2 * n * edges[1:] + 1
        assert stats.chi2.sf(np.sum((seen - sizes * p) ** 2 / variance), len(p)) > 1e-6
        assert stats.chi2.sf(np.sum((seen - sizes * p.mean()) ** 2 / variance), len(p)) < 1e-6


def test_mixture_is_exact_within_one_wide_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    # a single cell: nearly half of the items come by rejection and are merged in
    monkeypatch.setattr(rank_order, "_FEWEST_CELLS", 1)
    rank_order.cells.cache_clear()
    try:
        draws = ndcgs(design(LINEAR, [5, 50], ["nDCG(log)", "nDCG(zipf)"]), 3000)[:, 0]
    finally:
        rank_order.cells.cache_clear()
    expected = {(0, 0): 0.76853711, (0, 1): 0.84210544, (1, 0): 0.70900858, (1, 1): 0.71220179}
    for (i, j), value in expected.items():
        assert abs(z_score(draws[:, i, j], value)) <= LIMIT
    # the uninformative scorer of the same label law, for n = 5 and the log discount
    blank = naive.expected_ndcg({1.0: [0.4]}, lambda r: 1 / math.log(1 + r), 5)
    assert abs(z_score(draws[:, 0, 0], blank)) > LIMIT


def test_shuffles_are_uniform() -> None:
    # orders of four items of distinct codes under a constant curve: 24 equally likely. False alarm 1e-6.
    a_design = design("constant(1)", [1, 2, 3, 4])
    labels = label_counts(a_design, 0)
    rng = np.random.default_rng(8)
    seen: dict[tuple[int, ...], int] = {}
    for _ in range(4800):
        (codes,) = rank_order.blocks(a_design.population.scorers["a"], labels, rng)
        key = tuple(codes.tolist())
        seen[key] = seen.get(key, 0) + 1
    assert len(seen) == 24
    assert stats.chisquare(list(seen.values())).pvalue > 1e-6


def test_empirical_graded_curve(tmp_path: Path) -> None:
    content = {
        "format": "ndcg-asymptotics curve 1",
        "gains": [2, 1],
        "depth": [0, 0.3, 1],
        "probability": [[0.6, 0.2, 0.0], [0.2, 0.3, 0.1]],
    }
    path = tmp_path / "curve.json"
    path.write_text(json.dumps(content))
    a_design = design({"a": f'empirical("{path}")'}, [1, 2000], ["nDCG(power(0.5))", "nDCG"])
    draws = ndcgs(a_design, 300)
    # Theorem 10 for r^-1/2 up to a bias of order n^-1/2: int E[Y|t] t^-1/2 / 2 / (2 R1^1/2 + R2^1/2 - R1^1/2)
    m = a_design.population.scorers["a"]
    top = float(mpmath.quad(lambda u: float(m.mean_gain(float(u * u))), [0, math.sqrt(0.3), 1]))
    r1, r2 = m.masses[0], sum(m.masses)
    assert draws[:, 0, 0, 1].mean() == pytest.approx(top / (math.sqrt(r1) + math.sqrt(r2)), abs=0.02)


# --- the Gaussian coupling --------------------------------------------------------------------


def test_full_correlation_of_equal_scorers_is_one_ranking() -> None:
    a_design = design({"a": LINEAR, "b": LINEAR}, [10, 3000], coupling="gaussian(1)", pairs=[("a", "b")])
    draw = items.simulate(a_design, 0)
    np.testing.assert_array_equal(draw["ndcg"][0], draw["ndcg"][1])
    assert np.all(draw["order"] == 0)


def test_correlation_reaches_the_scorers() -> None:
    # the correlation of two scorers' NDCG, given the labels' share, grows with rho
    def correlation(coupling: str) -> float:
        draws = ndcgs(design({"a": LINEAR, "b": LINEAR}, [200], ["nDCG(power(0.3))"], coupling), 500)
        return float(np.corrcoef(draws[:, :, 0, 0].T)[0, 1])

    apart, half, close = (correlation(f"gaussian({rho})") for rho in (0, 0.5, 0.95))
    # the standard error of each is at most 0.045, the expected gaps are 0.3 and more
    assert half - apart > 0.1
    assert close - half > 0.1


def test_no_correlation_is_the_independent_coupling() -> None:
    values = [
        ndcgs(design({"a": LINEAR, "b": LINEAR}, [100], coupling=coupling), 1000)[:, :, 0, 0]
        for coupling in ("independent", "gaussian(0)", "gaussian(0.9)")
    ]
    gaps = [v[:, 0] - v[:, 1] for v in values]
    # false alarm 1e-6; a correlation of 0.9 is rejected by the same test
    assert stats.ks_2samp(gaps[0], gaps[1]).pvalue > 1e-6
    assert stats.ks_2samp(gaps[0], gaps[2]).pvalue < 1e-6


# --- limits of the engine ---------------------------------------------------------------------


def test_check_refuses_what_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    items.check(design(LINEAR, [10**6]))
    with pytest.raises(InputError, match=r"n = 3e\+09 is beyond 2e\+09; the cells engine can do it"):
        items.check(design(LINEAR, [3 * 10**9]))
    monkeypatch.setattr(items.os, "sysconf", {"SC_PHYS_PAGES": 1000, "SC_PAGE_SIZE": 4096}.__getitem__)
    with pytest.raises(InputError, match=r"takes 8.* bytes, here are 4.1e\+06; the cells engine can do it"):
        items.check(design(LINEAR, [10**6]))
    items.check(design(LINEAR, [10**6], ["nDCG@10"]))  # a table of ten ranks


def test_memory_of_the_largest_asked_for() -> None:
    five = ["nDCG", "nDCG(power(0.25))", "nDCG(power(0.5))", "nDCG(zipf)", "nDCG(linear)"]
    for coupling in ("independent", "gaussian(0.5)"):
        a_design = design({"a": LINEAR, "b": "random"}, [10**3, 10**7], five, coupling)
        assert items.memory(a_design) <= 7e8


def test_warm_leaves_results_alone() -> None:
    a_design = design(LINEAR, [10, 1000], ["nDCG", "nDCG(linear)@0.2n"])
    before = items.simulate(a_design, 0)["ndcg"]
    items.warm(dataclasses.replace(a_design, sizes=(5, 77)))
    np.testing.assert_array_equal(items.simulate(a_design, 0)["ndcg"], before)
