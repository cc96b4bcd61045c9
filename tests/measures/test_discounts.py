"""D and F against mpmath and exact sums, from rank 1 to 1e18."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cases import refused
from mpmath import mp
from oracles.discounts import DISCOUNTS
from oracles.sums import log_sum, power_sum

from ndcg_asymptotics.core.errors import InputError, NotAvailableError
from ndcg_asymptotics.measures.asymptotics import (
    ConstantDecay,
    LinearDecay,
    LogDecay,
    PowerDecay,
    UnknownDecay,
)
from ndcg_asymptotics.measures.discounts import Discount
from ndcg_asymptotics.measures.discounts.custom import discount

RANKS = [
    1,
    2,
    3,
    10,
    999,
    4095,
    4096,
    4097,
    5000,
    10**5 + 3,
    10**6,
    123_456_789,
    10**9,
    10**12 + 7,
    10**15,
    10**18,
]
EXPONENTS = ["0.01", "0.1", "0.5", "0.9", "0.999999", "1", "1.000001", "1.5", "2", "7.25", "30"]


@pytest.fixture(autouse=True)
def precision():
    with mp.workdps(60):
        yield


def worst(text: str, exact) -> float:
    values = Discount.parse(text).cumulative(RANKS)
    return max(float(abs(v / exact(k) - 1)) for v, k in zip(values.tolist(), RANKS, strict=True))


def geometric_sum(base):
    return lambda k: (1 - mp.mpf(base) ** -k) / (mp.mpf(base) - 1)


def rank_biased_sum(p):
    return lambda k: 1 - mp.mpf(p) ** k


def clipped_log_sum(b):
    ones = math.floor(b)
    return lambda k: k if k <= b else ones + mp.log(b) * (log_sum(k - 1) - log_sum(ones - 1))


def test_the_oracle_for_log_is_a_sum():
    assert float(abs(log_sum(5000) - mp.fsum(1 / mp.log(1 + r) for r in range(1, 5001)))) < 1e-25


SUMS = {
    "log": log_sum,
    "zipf": mp.harmonic,
    "constant": lambda k: k,
    **{f"power({b})": power_sum(b) for b in EXPONENTS},
    **{f"geometric({base!r})": geometric_sum(base) for base in (1.000001, 1.01, 2.0, 10.0, 1e6)},
    **{f"rbp({p!r})": rank_biased_sum(p) for p in (1e-6, 0.5, 0.95, 0.999999)},
    **{f"clipped_log({b})": clipped_log_sum(b) for b in (2, 2.5, 10, 999)},
}


@pytest.mark.slow
@pytest.mark.parametrize("text", SUMS)
def test_sums(text):
    assert worst(text, SUMS[text]) < 1e-13


def test_the_discounts_of_rbp_add_up_to_1():
    assert Discount.parse("rbp(0.8)").total == 1


def test_linear_sums():
    for n in (1, 2, 7, 10**6, 10**18):
        ranks = [k for k in RANKS if k <= n]
        values = Discount.parse("linear").cumulative(ranks, float(n))
        for value, k in zip(values.tolist(), ranks, strict=True):
            assert value == pytest.approx(k * n - k * (k + 1) // 2, rel=1e-13)


@pytest.mark.parametrize("text", [text for text in DISCOUNTS if "custom" not in text])
def test_values(text):
    ranks = np.array([1.0, 2.0, 2.5, 100.0, 1000.0])
    np.testing.assert_allclose(Discount.parse(text)(ranks, 5000.0), DISCOUNTS[text](ranks, 5000), rtol=1e-12)


@pytest.mark.parametrize("text", ["log", "zipf", "power(0.3)", "linear", "constant"])
def test_the_basis_adds_up(text):
    discount = Discount.parse(text)
    ranks, n = np.arange(1.0, 51), 50
    parts = zip(discount.coefficients(n), discount.basis(), strict=True)
    np.testing.assert_allclose(sum(a * b(ranks) for a, b in parts), discount(ranks, float(n)), rtol=1e-15)


@pytest.mark.parametrize(
    "asymptotics", [ConstantDecay(), LogDecay(), LinearDecay(), PowerDecay(0.3), PowerDecay(0.9)]
)
def test_the_integral_of_the_profile_has_the_profile_as_its_derivative(asymptotics):
    t, h = np.linspace(0.1, 0.9, 9), 1e-6  # central differences: relative error about h^2 + 1e-16/h
    slope = (asymptotics.profile_integral(t + h) - asymptotics.profile_integral(t - h)) / (2 * h)
    np.testing.assert_allclose(slope, asymptotics.profile(t) * np.ones_like(t), rtol=1e-8)


def test_linear_needs_the_list_length():
    refused("linear needs the list length n", Discount.parse("linear"), [1, 2])


def test_custom_discount():
    discount = Discount.parse('custom("numpy:reciprocal", 5000)')
    zipf = Discount.parse("zipf")
    ranks = np.arange(0, 5001)
    np.testing.assert_allclose(discount.cumulative(ranks), zipf.cumulative(ranks), rtol=1e-14)
    np.testing.assert_array_equal(discount(ranks[1:]), zipf(ranks[1:]))
    assert discount.asymptotics == UnknownDecay()
    refused("knows its sums up to rank 5000, got 5001", discount.cumulative, 5001)


@pytest.mark.parametrize("part", [4097, 5000, 200_000, 2**18 + 3, 299_999.0, 1e7, 1e15])
def test_discounts_that_differ_at_any_rank_are_different(part):
    """Equal discounts share what caches hold of them, so they must have the same values at every rank."""
    alike, other = (
        discount(f, name="own", largest=3e5)
        for f in (lambda r: 1 / r, lambda r: np.where(r < part, 1, 1 - 1e-12) / r)
    )
    assert alike == discount(lambda r: r**-1.0, name="own", largest=3e5)
    assert hash(alike) == hash(discount(lambda r: r**-1.0, name="own", largest=3e5))
    assert alike != other
    whole = np.arange(1, 300_001.0)
    for one in (alike, other):
        exact = math.fsum(one(whole))
        assert float(one.cumulative(3e5)) == pytest.approx(exact, rel=1e-15, abs=0)


def test_a_table_is_a_discount_up_to_its_last_rank():
    table = 1 / np.arange(1, 101.0)
    found = discount(lambda r: table[np.asarray(r, int) - 1], name="table", largest=100)
    assert float(found.cumulative(100)) == pytest.approx(table.sum(), rel=1e-15)
    assert found != discount(lambda r: 1 / r, name="table", largest=100)  # which is known beyond
    for unknown in (lambda: found(101), lambda: found.cumulative(101)):
        with pytest.raises(NotAvailableError):
            unknown()


def test_a_function_that_fails_at_its_known_ranks_is_an_input_error():
    fails: list[bool] = []

    def function(rank):
        if fails:
            raise OSError("no such file")
        return 1 / rank

    found = discount(function, name="fails", largest=100)
    fails.append(True)
    with pytest.raises(InputError, match="no such file") as caught:
        found([1.0, 100.0])
    assert not isinstance(caught.value, NotAvailableError)  # which callers take for a missing exact value


def test_a_discount_with_a_state_is_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(InputError, match="must depend on the rank alone"):
        discount(lambda r: 1 / (r + 1e-9 * rng.random()), name="random", largest=100)
    scale = [1.0]
    found = discount(lambda r: scale[0] / r, name="scaled", largest=100)
    scale[0] = 2.0
    refused("does not give the values that it gave before", found.cumulative, 50)
    scale[0] = 1.0
    assert float(found.cumulative(2)) == 1.5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("falls", "function", "like", "largest"),
    [
        (False, lambda r: 1 / r, "log", 1e6),
        (False, lambda r: 1 / np.log1p(r) ** 2, "log", 1e7),
        (False, lambda r: r**-0.49, "power(0.5)", 1e6),
        (False, lambda r: r**-0.5 * np.log1p(r) / np.log(2), "power(0.5)", 1e6),
        (False, lambda r: 3.0**-r, "geometric(2)", 1e6),
        (False, lambda r: r**-1.2, "power(1.1)", 1e6),
        (True, lambda r: 7 / np.log(2 + r), "log", 1e7),
        (True, lambda r: 1 / np.log1p(r + 1000), "log", 1e5),
        (True, lambda r: 1 / np.sqrt(r + 3), "power(0.5)", 500),
        (True, lambda r: 5 * 2.0**-r, "geometric(2)", 1e6),
        (True, lambda r: 3 * r**-1.1, "power(1.1)", 1e6),
        (True, lambda r: 1 / r, "log", 100),  # too few ranks to tell
    ],
)
def test_a_discount_must_fall_as_declared(falls, function, like, largest):
    options = {"name": "said", "largest": largest, "like": like}
    if falls:
        assert discount(function, **options).like == str(Discount.parse(like))
    else:
        refused("does not fall like", discount, lambda r: np.minimum(1.0, function(r)), **options)
