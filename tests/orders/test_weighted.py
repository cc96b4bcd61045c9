"""Estimates from weighted draws whose truth is known, and the error exponents fitted to them."""

import math

import numpy as np
import pytest
from cases import refused, simulated, study
from scipy import stats

from ndcg_asymptotics.checks.checking import check
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.orders.distinguishing import distinguish
from ndcg_asymptotics.orders.weighted import fit_exponent, rates_from_n_on, weighted_rate
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.stats.rates import Rate
from ndcg_asymptotics.studies import Study

RARE = {"sharp": "linear(0.1, 0.5)", "flat": "linear(0.2, 0.4)"}
A, B = (Relevance.parse(text) for text in RARE.values())
NONE = np.zeros(2000, bool)


def tail(c: float, draws: int = 2000, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """P(N(0,1) > c) by a normal law with mean c: log weights and whether the draw is beyond c."""
    x = np.random.default_rng(seed).normal(c, 1, draws)
    return c * c / 2 - c * x, x > c


@pytest.mark.parametrize("c", [1.0, 5.0, 20.0, 37.0])
def test_the_tail_of_a_normal_law(c: float) -> None:
    """37 is beyond the smallest double. Beyond 4 relative standard errors with probability 6e-5 each."""
    point = weighted_rate(10, *tail(c), NONE)
    exact = float(stats.norm.logsf(c)) / math.log(10)
    assert point.reliable
    error = point.relative_se / math.log(10)
    assert abs(point.log10_wrong - exact) < 4 * error
    assert abs(point.log10_wrong - (exact + 0.3)) > 4 * error  # twice as likely is rejected


def test_uneven_weights_give_no_estimate() -> None:
    log_weight = np.zeros(2000)
    log_weight[0] = 12.0  # e^12 against 1999 ones
    point = weighted_rate(10, log_weight, ~NONE, NONE)
    assert not point.reliable
    assert point.log10_wrong is None
    assert math.isnan(point.rate)
    assert point.largest_share > 0.9
    assert not weighted_rate(10, np.zeros(2000), NONE, NONE).reliable  # nothing wrong was drawn


def test_unknown_orders_widen_the_interval() -> None:
    log_weight, wrong = tail(3.0)
    unknown = wrong & (np.arange(2000) % 10 == 0)
    sure, unsure = weighted_rate(10, log_weight, wrong, NONE), weighted_rate(10, log_weight, wrong, unknown)
    assert unsure.low == sure.low  # of the right order, as if the unknown were wrong
    assert unsure.high > sure.high  # as if they were right
    assert 0.03 < unsure.undecided < 0.07
    assert not weighted_rate(10, log_weight, wrong, wrong & (np.arange(2000) % 10 > 0)).reliable


def test_from_on_is_the_sum_over_last_wrong_sizes() -> None:
    rng = np.random.default_rng(2)
    log_weight, last = rng.normal(-5, 1, (500, 3)), rng.random((500, 3)) < 0.4
    found = rates_from_n_on((10, 100, 1000), log_weight, last, np.zeros((500, 3), bool))
    sums = np.cumsum((np.exp(log_weight) * last)[:, ::-1], axis=1)[:, ::-1]
    assert [10**p.log10_wrong for p in found] == pytest.approx(sums.mean(axis=0))
    errors = sums.std(axis=0, ddof=1) / sums.mean(axis=0) / np.sqrt(500)
    assert [p.relative_se for p in found] == pytest.approx(errors)


def made_up(exponent: float, relative: float = 0.05) -> list[Rate]:
    rng = np.random.default_rng(4)
    sizes = [round(10 ** (k / 2)) for k in range(4, 13)]
    logs = [-(0.5 * n**exponent) / math.log(10) + rng.normal(0, relative / math.log(10)) for n in sizes]
    return [Rate(n, 1 - 10**x, 0, 1, x, relative, True) for n, x in zip(sizes, logs, strict=True)]


def test_an_error_exponent_is_fitted_and_others_are_rejected() -> None:
    found = fit_exponent(made_up(0.5), A, B, Measure.parse("nDCG@n^0.5"))
    assert found.interval[0] < 0.5 < found.interval[1]
    assert not found.interval[0] < 0.6 < found.interval[1]
    assert (found.predicted, found.range[1]) == (0.5, 10**6)
    flat = fit_exponent(made_up(0.0), A, B, Measure.parse("nDCG@10"))
    assert flat.predicted == 0
    assert fit_exponent(made_up(0.5)[:2], A, B, Measure.parse("nDCG")).exponent is None


@pytest.fixture(scope="module")
def weighted() -> Study:
    return study(RARE, (100, 1000, 4000), ("nDCG", "nDCG@10"), engine="rare", pairs=[("sharp", "flat")])


@pytest.mark.slow
def test_distinguish_reads_weighted_draws(weighted: Study) -> None:
    found = distinguish(simulated(weighted, 60))
    assert not any(np.isnan(pair.points[0].rate) for pair in found.pairs)
    plain = found.as_dict()["pairs"][0]
    assert {"n", "log10_wrong", "relative_se", "reliable"} <= plain["points"][0].keys()
    assert {"exponent", "interval", "predicted"} <= plain["error_exponent"].keys()
    assert plain["right"] == "sharp"
    assert plain["points"][2]["log10_wrong"] == pytest.approx(-2.73, abs=0.35)  # 5 standard errors
    text = str(found)
    assert "never settles" in text
    assert "effective sample size" in text
    refused("use distinguish", check, simulated(weighted, 2))
