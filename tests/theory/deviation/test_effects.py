"""Effect sizes of measures, against drawn lists."""

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


def test_what_is_not_known_is_not_a_number() -> None:
    known = effect_sizes(GOOD, BLANK, 1000, ["nDCG", "nDCG(power(40))"])
    assert np.isfinite(known).tolist() == [True, False]
    with pytest.raises(InputError, match="share their labels"):
        effect_sizes(GOOD, "constant(0.5)", 10, ["nDCG"])
    with pytest.raises(InputError, match="n: must be"):
        effect_sizes(GOOD, BLANK, 0, ["nDCG"])
