"""Effect sizes of measures, against drawn lists."""

import math

import numpy as np
import pytest

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory import effect_sizes
from ndcg_asymptotics.theory.deviation.standard import moments

GOOD, BLANK = "linear(0.1, 0.7)", "constant(0.4)"
EXPONENTS = [f"nDCG(power({b}))" for b in (0.1, 0.5, 0.9, 1.5)]
CUTOFFS = [f"nDCG@{k}" for k in (1, 2, 5, 10, 20, 40)]


def test_effect_sizes_are_means_over_deviations() -> None:
    measures = [*EXPONENTS, *CUTOFFS]
    for measure, effect in zip(measures, effect_sizes(GOOD, BLANK, 40, measures), strict=True):
        mean, sd = moments((Relevance.of(GOOD), Relevance.of(BLANK)), Measure.of(measure), 40)
        assert effect == pytest.approx(mean / sd)
    # k = n is the whole list
    assert effect_sizes(GOOD, BLANK, 40, ["nDCG@40", "nDCG"]).std() < 1e-3


def test_an_effect_size_is_that_of_drawn_lists() -> None:
    n, count, k = 30, 40_000, 5
    rng = np.random.default_rng(4)
    depth = np.sort(rng.random((count, n)), axis=1)
    labels = rng.random(depth.shape) < 0.7 - 0.6 * depth
    other = rng.permuted(labels, axis=1)  # the same labels, in an order that knows nothing
    discount = np.where(np.arange(n) < k, 1 / np.log(np.arange(2.0, n + 2)), 0.0)
    ideal = np.append(1.0, np.cumsum(discount))[labels.sum(axis=1)]
    d = (labels @ discount - other @ discount) / ideal
    effect, wrong = effect_sizes(GOOD, BLANK, n, [f"nDCG@{k}", f"nDCG@{k + 1}"])
    # 5 standard errors of a mean over its standard deviation: a false alarm in 2e6 tests
    room = 5 * math.sqrt((1 + effect**2 / 2) / count)
    assert abs(d.mean() / d.std() - effect) < room < abs(d.mean() / d.std() - wrong)


def test_what_is_not_known_is_not_a_number() -> None:
    known = effect_sizes(GOOD, BLANK, 1000, ["nDCG", "nDCG(power(40))"])
    assert np.isfinite(known).tolist() == [True, False]
    with pytest.raises(InputError, match="share their labels"):
        effect_sizes(GOOD, "constant(0.5)", 10, ["nDCG"])
    with pytest.raises(InputError, match="n: must be"):
        effect_sizes(GOOD, BLANK, 0, ["nDCG"])
