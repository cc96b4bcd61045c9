"""The law of a label count and its rules, against sums over all numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from ndcg_asymptotics.theory.rules.counts import CountLaw


def every_number(size, p):
    """All likely numbers and their probabilities, from ratios of neighbours (scipy 1.15 is off by 2e-8)."""
    middle, reach = int(size * p), int(10 * (size * p * (1 - p)) ** 0.5) + 40
    x = np.arange(max(0, middle - reach), min(size, middle + reach) + 1.0)
    logs = np.cumsum(np.append(0.0, np.log((size - x[:-1]) / x[1:] * (p / (1 - p)))))
    law = np.exp(logs - logs.max())
    return x, law / law.sum()


@pytest.mark.parametrize(
    ("size", "p", "least"), [(40, 0.3, 5), (40, 0.3, 27), (3000, 0.01, 30), (10**6, 0.4, 400_000)]
)
def test_the_part_from_a_number_on(size, p, least):
    law = CountLaw(size, p, least=least)
    every = np.arange(least, size + 1)
    chances = binom.pmf(every, size, p)
    for x, w in (law.gauss(13), law.nodes(13)):
        assert len(x) < 200
        for f in (np.ones_like, lambda v: np.log(1 + v), lambda v: np.sqrt(v) - math.sqrt(least)):
            assert w @ f(x) == pytest.approx(chances @ f(every.astype(float)), rel=1e-9)
        # a number more is not
        assert w.sum() != pytest.approx(binom.sf(least - 2, size, p), rel=1e-6, abs=0)


@pytest.mark.parametrize(
    ("size", "p", "kink"),
    [
        (50, 0.3, 16),
        (400, 0.25, 130),
        (10**4, 0.4, 4000),
        (10**4, 0.99, 9900),
        (10**7, 0.4, 4 * 10**6),
        (10**9, 0.4, 4 * 10**8),
    ],
)
def test_functions_with_a_kink(size, p, kink):
    """Beyond 20,000 numbers by the density: the sum over all of them, which is short enough for numpy."""
    every, law = every_number(size, p)
    x, w = CountLaw(size, p, kinks=(kink,)).nodes(11)
    assert len(x) < 200
    for f in (np.ones_like, lambda v: 1 / np.log(2 + np.minimum(v + 1, kink)), lambda v: 1 / (2 + size - v)):
        assert w @ f(x) == pytest.approx(law @ f(every), rel=2e-12)
    # the kink one further is seen
    x, w = CountLaw(size, p, kinks=(kink,)).gauss(11)
    assert abs(w @ np.minimum(x + 1, kink + 1.0) - law @ np.minimum(every + 1, kink)) > 1e-4


def test_every_number_of_few():
    law = CountLaw(2, 0.5)
    assert law.number == 3
    assert law.nodes(2).weights == pytest.approx([0.25, 0.5, 0.25], rel=1e-14)


@pytest.mark.parametrize(("size", "p", "expected"), [(100, 1.0, [100]), (0, 0.3, [0]), (7, 0.0, [0])])
def test_certain_counts(size, p, expected):
    for x, w in (CountLaw(size, p).nodes(5), CountLaw(size, p).every()):
        assert x == pytest.approx(expected)
        assert w == pytest.approx([1.0])
    assert CountLaw(size, p, least=size + 1).gauss(3).numbers.size == 0


def test_a_rare_count_of_at_least_one():
    x, w = CountLaw(10**6, 1e-30, least=1).nodes(9)
    assert x[0] == 1
    assert w[0] == pytest.approx(1e-24, rel=1e-9)


def test_how_many_nodes():
    """The estimate holds for 1/log(1 + x), where 20 items of the rarer class are expected and more."""
    for rarer, count, digits in ((20, 6, 1e-4), (100, 7, 1e-8), (1000, 6, 1e-12)):
        size, p = 4 * rarer, 0.25
        every, law = every_number(size, p)
        x, w = CountLaw(size, p).gauss(count)
        assert w @ (1 / np.log(1 + x)) == pytest.approx(
            law @ (1 / np.log(1 + np.maximum(every, 1))), rel=digits
        )
