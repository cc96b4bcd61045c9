"""Laws of NDCG about its mean, against known distribution functions and simulation."""

import math

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from oracles.discounts import formula
from oracles.orders import chance_not_greater
from scipy import stats

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.fluctuations.laws import regime, right_rate, series_law
from ndcg_asymptotics.theory.prediction import predict


@pytest.mark.slow
@pytest.mark.parametrize("base", [1.5, 2, 3])
def test_distribution_functions_end_at_one(base: float) -> None:
    """They are probabilities, although those of many atoms are added."""
    for top in (0.1, 0.3, 0.6, 0.77, 0.9):
        pair = (Relevance.of(f"linear(0.05, {top})"), Relevance.of("constant(0.4)"))
        law = series_law(pair, Measure.of(f"nDCG(geometric({base}))"))
        assert law.cdf(30.0) == 1.0
        sums = law.cdfs(np.linspace(-8, 8, 999))
        assert np.all(np.diff(sums) >= 0)
        assert sums.max() <= 1


HALF, LINEAR = Relevance.of("constant(0.5)"), Relevance.of("linear(0.2, 0.6)")


REGIMES = {
    "normal": ["nDCG", "nDCG(linear)", "nDCG(power(0.5))", "nDCG@0.2n", "nDCG(power(0.5))@0.5n"],
    "top ranks": ["nDCG(power(0.7))", "nDCG(zipf)", "nDCG(zipf)@0.5n", "nDCG(power(0.7))@n^0.5"],
    "lasting": ["nDCG(power(1.5))", "nDCG@10", "nDCG(geometric(2))"],
}


@pytest.mark.parametrize(
    ("expected", "measure"), [(law, text) for law, some in REGIMES.items() for text in some]
)
def test_regimes(measure: str, expected: str) -> None:
    assert regime((LINEAR,), Measure.of(measure)) == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("curve", "measure", "cut", "exponent"),
    [("constant(0.02)", "nDCG(zipf)@0.5n", 500, 1.0), ("linear(0, 0.1)", "nDCG(power(0.7))@n^0.5", 32, 0.7)],
)
def test_quantiles_under_a_growing_cutoff(curve: str, measure: str, cut: int, exponent: float) -> None:
    """The quantiles of 20,000 lists of 1000 items; a normal law would be far off."""
    rng, count, n = np.random.default_rng(9), 20_000, 1000
    weights = np.arange(1.0, n + 1) ** -exponent
    sums = np.cumsum(np.append(0.0, weights * (np.arange(n) < cut)))
    values = []
    for _ in range(count // 1000):
        constant = curve.startswith("constant")
        chance = 0.02 if constant else 0.1 - 0.1 * np.sort(rng.random((1000, n)), axis=1)
        labels = rng.random((1000, n)) < chance
        ideal = sums[labels.sum(axis=1)]
        values.append((labels[:, :cut] @ weights[:cut]) / np.where(ideal > 0, ideal, 1.0))
    sample = np.concatenate(values)
    (row,) = predict(curve, measure, n)
    assert row.quantiles is not None
    assert row.expectation is not None
    assert row.sd is not None
    for p, value in row.quantiles.items():
        # the law of long lists is off by 0.015 at n = 1000; false alarm: 6e-7 each
        off = 0.015 + 5 * math.sqrt(float(p) * (1 - float(p)) / count)
        assert abs(np.mean(sample <= value) - float(p)) < off
    normal = row.expectation + row.sd * stats.norm.ppf(0.05)
    assert np.mean(sample <= normal) < 0.05 - 0.02


def test_a_certain_top_leaves_no_variance() -> None:
    assert regime((Relevance.of("linear(0, 1)"),), Measure.of("nDCG@10")) == "certain"


def test_fair_labels_and_powers_of_two_are_uniform() -> None:
    law = series_law((HALF,), Measure.of("nDCG(geometric(2))"))
    for p in (0.01, 0.3, 0.5, 0.9):
        assert law.cdf((p - 0.5) * math.sqrt(12)) == pytest.approx(p, abs=1e-4)
        assert law.quantile(p) == pytest.approx((p - 0.5) * math.sqrt(12), abs=1e-3)


@pytest.mark.parametrize(
    "measure", ["nDCG(zipf)", "nDCG(power(0.7))", "nDCG(power(1.5))", "nDCG@8", "nDCG@40"]
)
def test_draws(measure: str) -> None:
    weights = Measure.of(measure).discount(np.arange(1.0, Measure.of(measure).cutoff(3000) + 1), 3000.0)
    rng, count = np.random.default_rng(7), 20_000
    draws = np.concatenate([(rng.random((1000, weights.size)) < 0.6) @ weights for _ in range(count // 1000)])
    draws = (draws - 0.6 * weights.sum()) / math.sqrt(0.24 * float((weights**2).sum()))
    law = series_law((LINEAR,), Measure.of(measure))
    x = np.array([-2.0, -1.0, -0.3, 0.3, 1.0, 1.7])
    seen = np.array([np.mean(draws <= at) for at in x])
    said = np.array([law.cdf(at) for at in x])
    # ranks beyond 3000 and the rounding of atoms; false alarm: 6 · 6e-7
    assert np.abs(seen - said).max() < 5 * 0.5 / math.sqrt(count) + 0.004
    if measure in ("nDCG(zipf)", "nDCG@8"):  # no normal law
        assert np.abs(seen - stats.norm.cdf(x)).max() > 5 * 0.5 / math.sqrt(count) + 0.004


@pytest.mark.slow
def test_a_law_far_out_and_one_with_a_heavy_tail() -> None:
    measure = Measure.of("nDCG(power(0.7))")
    assert [series_law((LINEAR,), measure).cdf(x) for x in (-1200.0, 1200.0)] == [0.0, 1.0]
    # one relevant item in 500 at the top: a single one is 18 standard deviations
    rare, weights = Relevance.of("linear(0.001, 0.002)"), np.arange(1.0, 20_001) ** -0.7
    rng, count = np.random.default_rng(8), 20_000
    draws = np.concatenate(
        [(rng.random((1000, 4000)) < 0.002) @ weights[:4000] for _ in range(count // 1000)]
    )
    below = 0.002 * 0.998 * float((weights[4000:] ** 2).sum())  # the terms beyond 4000 are nearly normal
    draws += rng.normal(0.0, math.sqrt(below), count) - 0.002 * weights[:4000].sum()
    unit = math.sqrt(0.002 * 0.998 * float((np.arange(1.0, 2e6) ** -1.4).sum() + 2e6**-0.4 / 0.4))
    law = series_law((rare,), measure)
    for x in (-0.8, -0.4, 0.2, 1.0, 6.0, 18.2):
        seen, said = float(np.mean(draws <= x * unit)), law.cdf(x)
        # the normal part is cut at rank 20,000; false alarm: 6 · 6e-7
        assert abs(seen - said) < 5 * math.sqrt(said * (1 - said) / count) + 0.01
    assert 1 - law.cdf(12.0) > 5e-4  # the normal law has none


def test_a_law_of_many_ranks_is_that_of_its_characteristic_function() -> None:
    """Gil-Pelaez' integral by the trapezoid rule, each rank a factor: no series, and other nodes."""
    law = series_law((LINEAR, HALF), Measure.of("nDCG(power(0.7))@3000"))
    u = np.arange(0.005, 12.0, 0.01)  # at 12 the function has fallen to e^-72
    phi = np.exp(-0.5 * law.rest * u**2) + 0j
    for weight in law.weights:
        phi *= np.exp(1j * np.outer(weight * u, law.values)) @ law.chances
    for x in (-2.5, -0.3, 0.0, 1.0, 3.1):
        expected = 0.5 - float((np.imag(phi * np.exp(-1j * u * x)) / u).sum()) * 0.01 / math.pi
        assert law.cdf(x) == pytest.approx(expected, abs=1e-9)


def test_an_order_that_theorem_4_says_settles() -> None:
    bowl, measure = Relevance.of("polynomial(0.54, -0.96, 1.32)"), Measure.of("nDCG(power(0.8))")
    rates = [right_rate(HALF, bowl, measure, n) for n in (10**4, 10**6, 10**9)]
    assert max(rates) - min(rates) < 0.01
    assert rates[-1] == pytest.approx(0.563, abs=0.003)


def test_the_order_under_a_fixed_cutoff_is_that_at_n() -> None:
    """Not that of long lists, where one scorer has all labels 1 at the top."""
    good, blank = Relevance.of("linear(0.3, 1)"), Relevance.of("constant(0.65)")
    wrong = chance_not_greater(Polynomial([1.0, -0.7]), Polynomial([0.65]), 8, *formula("nDCG@2", 8))
    assert 1 - right_rate(good, blank, Measure.of("nDCG@2"), 8) == pytest.approx(wrong, abs=1e-9)
    assert abs(wrong - 0.65**2) > 0.05


@pytest.mark.parametrize("measure", ["nDCG(zipf)", "nDCG(power(0.9))", "nDCG@200"])
def test_the_table_of_a_law_has_its_distribution_function(measure):
    law = series_law((Relevance.parse("linear(0.1, 0.5)"),), Measure.parse(measure))
    assert not law.enumerable
    x = np.append(np.linspace(-3.9, 4.1, 41), [-50.0, 50.0])
    # lines between places 16/4096 apart are off by (16/4096)^2/8 of the second derivative, which is below 1
    assert law.cdfs(x) == pytest.approx([law.cdf(float(at)) for at in x], rel=0, abs=2e-6)
