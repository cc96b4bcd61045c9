"""Standard deviations of long lists from the label counts, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from oracles.deviations import Pieces, moments

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.deviation import ndcg_std
from ndcg_asymptotics.theory.deviation.counts import variance_by_counts


def step(upper: float, lower: float, depth: float) -> tuple[str, Pieces]:
    return f"step({lower}, {upper}, {1 - depth!r})", Pieces((depth, 1.0), ((upper,), (lower,)))


@pytest.mark.slow
@pytest.mark.parametrize("items", [3.5, 70.0, 110.0])
@pytest.mark.parametrize("cutoff", [None, 180])
def test_jumps_of_a_curve(items: float, cutoff: int | None) -> None:
    """Among the ranks that are summed one by one, and the cutoff close to it; against sums over pieces."""
    n = 300
    text, pieces = step(0.9, 0.4, round(items / n, 6))
    d = 1 / np.log(np.arange(2.0, n + 2))
    d[cutoff or n :] = 0.0
    _, expected = moments([pieces], [1.0], d)
    measure = Measure.of("nDCG" + (f"@{cutoff}" if cutoff else ""))
    found = variance_by_counts((Relevance.of(text),), measure, n)
    assert abs(found.value - expected**2) <= found.error < 0.12 * expected**2
    assert math.sqrt(found.value) == pytest.approx(expected, rel=8e-3)
    _, other = moments([Pieces(pieces.ends, ((0.95,), (0.4,)))], [1.0], d)
    assert math.sqrt(found.value) != pytest.approx(other, rel=8e-3)


@pytest.mark.parametrize(("n", "k"), [(18_270, 3000), (100_000, 20_300)])
def test_a_jump_beyond_the_first_ranks(n: int, k: int) -> None:
    """DCG(constant)@k is the number of relevant items among k, from N ~ Bin(n, x) items above the jump."""
    q, p, x = 0.5, 0.9, 0.2
    found = variance_by_counts((Relevance.of("step(0.5, 0.9, 0.8)"),), Measure.of(f"DCG(constant)@{k}"), n)
    mean, sd = n * x, math.sqrt(n * x * (1 - x))
    items = np.arange(math.floor(mean - 12 * sd), math.ceil(mean + 12 * sd))
    law = np.exp(-((items - mean) ** 2) / (2 * sd**2))
    law /= law.sum()
    above = np.minimum(items, k)
    value = p * above + q * (k - above)
    within = p * (1 - p) * above + q * (1 - q) * (k - above)
    expected = float(law @ within + law @ (value - law @ value) ** 2)
    assert found.value == pytest.approx(expected, rel=2e-3)
    assert abs(found.value - expected) < found.error


def test_the_terms_of_second_order_matter() -> None:
    """A steep curve whose cutoff lies at its middle; the value is that of enumeration over label counts."""
    found = ndcg_std("binormal(0.3066, 2.38)", "nDCG(constant)@0.154n", [6483])
    assert found.value[0] == pytest.approx(FINE, rel=2e-4)  # without them 2.9e-4 off
    assert abs(found.value[0] - FINE) <= found.error[0]


def test_the_first_ranks_are_exact() -> None:
    """A curve that falls within a few ranks, which the formula alone misses by 3%."""
    found = variance_by_counts((Relevance.of("power(0, 1, 30)"),), Measure.of("nDCG(zipf)"), 1000)
    assert math.sqrt(found.value) == pytest.approx(STEEP, rel=2e-3)


FINE, STEEP = 0.0062148702, 0.0703201689


@pytest.mark.parametrize(
    ("curve", "measure", "n", "expected"),
    [
        ("binormal(0.0559, 2.56)", "DCG(linear)@18.4log(n)", 576_586_742, 31568118.438763),
        ("binormal(0.7357, 1.48)", "DCG(constant)@29665", 777_296_475, 2.909543682978),
        ("binormal(0.3112, 2.67)", "nDCG(linear)", 1_124_954, 1.1729368930640e-4),
        ("binormal(0.5179, 2.37)", "DCG(power(0.25))@0.636n", 2169, 3.595061849973),
    ],
)
def test_steep_curves_whose_labels_are_hardly_random(
    curve: str, measure: str, n: int, expected: float
) -> None:
    """Against integrals of the covariances of pairs of items; the cutoffs of the first two are short."""
    found = ndcg_std(curve, measure, [n])
    assert found.evaluators == ("label counts",)
    assert abs(found.value[0] - expected) <= found.error[0] < 0.02 * expected
