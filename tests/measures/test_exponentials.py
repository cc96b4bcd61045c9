"""Sums of exponentials against the discounts themselves, in high precision."""

from __future__ import annotations

import numpy as np
import pytest
from cases import refused

from ndcg_asymptotics.measures.discounts import Discount, Linear, Log, Power, Zipf
from ndcg_asymptotics.measures.discounts import discount as own_discount
from ndcg_asymptotics.measures.exponentials import exponential_sum

SMOOTH = ["log", "power(0.1)", "power(0.5)", "zipf", "power(1.5)", "power(2)"]


def stairs(rank):  # non-increasing, and no mixture of exponentials
    return np.where(np.asarray(rank) < 10, 1.0, 0.5)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("texts", "largest"),
    [
        *(([text], largest) for text in SMOOTH for largest in (1, 50, 1e3, 1e6, 1e12, 1e18, 9e18)),
        *((SMOOTH, largest) for largest in (1e4, 1e18)),
    ],
)
def test_relative_errors_of_one_sum_and_of_several_with_the_same_rates(texts, largest):
    discounts = [Discount.parse(text) for text in texts]
    fit = exponential_sum(discounts, largest)
    assert fit.error <= 1e-11
    ranks = np.union1d(np.arange(1.0, min(largest, 500) + 1), np.rint(np.geomspace(1, largest, 2000)))
    assert np.all(np.diff(fit.rates) > 0)
    assert fit.rates[0] > 0
    powers = np.exp(-np.outer(ranks, fit.rates))
    for discount, weights in zip(discounts, fit.weights, strict=True):
        truth, values = discount(ranks), powers @ weights
        kept = truth > 1e-280
        assert np.abs(values[kept] / truth[kept] - 1).max() <= 1.01e-11
        # nothing cancels: rounding stays within a few units of 1e-15
        assert np.max((powers @ np.abs(weights))[kept] / truth[kept]) < 15


def test_few_terms():
    assert exponential_sum([Log(), Power(0.5), Zipf()], 1e6).rates.size <= 52
    assert exponential_sum([Log(), Power(0.5), Zipf()], 1e18).rates.size <= 140


def test_geometric_is_one_exact_term():
    fit = exponential_sum([Discount.parse("geometric(3)")], 1e18)
    assert fit.rates.tolist() == [np.log(3)]
    assert fit.weights.tolist() == [[1.0]]
    assert fit.error == 0


@pytest.mark.parametrize("text", [*SMOOTH, "geometric(2)", "power(5)"])
def test_sums(text):
    discount = Discount.parse(text)
    k = np.array([0, 1, 2, 10, 1000, 10**5])
    assert exponential_sum([discount], 1e5).cumulative(k)[0] == pytest.approx(
        discount.cumulative(k), rel=1.1e-11
    )


def test_not_a_mixture_of_exponentials():
    refused("1e-11 is needed", exponential_sum, [own_discount(stairs, largest=1e6)], 1e3)
    refused("depends on the list length", exponential_sum, [Linear()], 10)
    refused("falls faster", exponential_sum, [Power(40)], 10)
    refused("largest must be", exponential_sum, [Zipf()], 0)
