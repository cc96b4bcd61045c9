"""The tilt: against a general optimiser, published error exponents and its own definition."""

import numpy as np
import pytest
from scipy import optimize, stats

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.orders import tilt
from ndcg_asymptotics.theory.orders.cells import MeanDiscount, grade_masses

A, B = Relevance.parse("linear(0.1, 0.5)"), Relevance.parse("linear(0.2, 0.4)")
RISING, FALLING = Relevance.parse("linear(0.2, 0.6)"), Relevance.parse("linear(0.45, 0.35)")
GRADED = Relevance.parse("graded(3=polynomial(0.5, -0.4), 1=polynomial(0.1, 0.2))")
GRADED_LEVEL = Relevance.parse("graded(3=constant(0.3), 1=constant(0.2))")


def exact_mean_discount(measure: Measure, n: int, H: float) -> float:
    above = np.arange(min(measure.cutoff(n), n))
    return float(measure.discount(above + 1.0, float(n)) @ stats.binom.pmf(above, n - 1, H))


@pytest.mark.parametrize(
    "text", ["nDCG", "nDCG(zipf)", "nDCG(power(0.7))@0.2n", "nDCG@7", "nDCG(linear)", "nDCG(constant)@0.1n"]
)
@pytest.mark.parametrize("n", [1, 5, 200, 5000])
def test_mean_discount_is_the_mean_over_ranks(text: str, n: int) -> None:
    measure = Measure.parse(text)
    for H in (0.3 / n, 0.01, 0.15, 0.5, 0.97):
        exact = exact_mean_discount(measure, n, H)
        largest = float(measure.discount(1.0, float(n)))
        # beyond 60 expected items: two points for the rank's law, and a normal law at the cutoff
        assert MeanDiscount(measure, n)(np.array([H]))[0] == pytest.approx(
            exact, rel=2e-3, abs=3e-3 * largest
        )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("a", "b", "text", "n"),
    [
        (RISING, FALLING, "nDCG(zipf)", 1000),
        (GRADED, GRADED_LEVEL, "nDCG(power(0.5))", 20),
    ],
)
def test_no_other_law_is_nearer(a: Relevance, b: Relevance, text: str, n: int) -> None:
    """A general optimiser over all laws of an item, depths independent given its label, with level means."""
    measure, cells = Measure.parse(text), 12
    found = tilt(a, b, measure, n, cells)
    joint = [grade_masses(relevance, found.edges) for relevance in (a, b)]
    law = joint[0].sum(axis=1)
    true = [m / law[:, None] for m in joint]
    J, C = true[0].shape
    gains = np.array([*a.gains, 0.0])

    def laws(x: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
        labels = law * np.exp(x[:J])
        sides = [true[s] * np.exp(x[J + s * J * C : J + (s + 1) * J * C].reshape(J, C)) for s in (0, 1)]
        return labels / labels.sum(), [side / side.sum(axis=1, keepdims=True) for side in sides]

    def cost(x: np.ndarray) -> float:
        labels, sides = laws(x)
        nats = float(labels @ np.log(labels / law))
        for side, before in zip(sides, true, strict=True):
            nats += float(labels @ np.sum(side * np.log(side / before), axis=1))
        return n * nats

    def gap(x: np.ndarray) -> float:
        labels, sides = laws(x)
        means = []
        for side in sides:
            both = labels[:, None] * side
            ends = np.concatenate(([0.0], np.cumsum(both.sum(axis=0))))
            weight = MeanDiscount(measure, n)(np.minimum(ends, 1.0))
            means.append(n * float(gains @ both @ (weight[1:] + weight[:-1]) / 2))
        return means[0] - means[1]

    start = np.zeros(J + 2 * J * C)
    best = optimize.minimize(
        cost,
        start,
        constraints={"type": "eq", "fun": gap},
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    )
    assert abs(gap(best.x)) < 1e-6
    # the tilt takes W(H) to be linear in each cell, and 12 cells are few
    assert best.fun == pytest.approx(found.cost, rel=1e-2)
    assert best.fun > 0.5 * found.cost  # and it is no trivial law


@pytest.mark.parametrize(
    "text", ["nDCG", "nDCG(zipf)", "nDCG(power(0.7))", "nDCG@0.2n", "nDCG@n^0.5", "nDCG@10"]
)
@pytest.mark.parametrize("n", [1, 10, 10**6, 10**12, 10**18])
def test_the_tilt_converges_to_consistent_laws(text: str, n: int) -> None:
    found = tilt(RISING, FALLING, Measure.parse(text), n, cells=300, leader=1)
    assert found.residual < 1e-4
    for side in found.sides:
        assert np.allclose(side.tilted.sum(axis=1), 1)
        assert np.allclose(side.tilted, side.true * np.exp(-side.log_ratio), rtol=1e-6)
    assert found.tilted_law.sum() == pytest.approx(1)


def test_swapping_the_pair_changes_the_leader_only() -> None:
    one, other = tilt(A, B, Measure("log"), 1000), tilt(B, A, Measure("log"), 1000)
    assert (one.leader, other.leader) == (1, -1)
    assert one.cost == pytest.approx(other.cost, rel=1e-9)


def test_a_leader_that_is_behind_has_no_tilt() -> None:
    found = tilt(A, B, Measure("log"), 1000, leader=-1)
    assert (found.theta, found.cost) == (0.0, 0.0)
    assert np.allclose(found.sides[0].tilted, found.sides[0].true, rtol=1e-12)


def test_pairs_without_a_tilt_are_refused() -> None:
    with pytest.raises(InputError, match="the same relevance curve"):
        tilt(A, A, Measure("log"), 100)
    with pytest.raises(InputError, match="share their labels"):
        tilt(A, RISING, Measure("log"), 100)
    with pytest.raises(InputError, match="the same mean DCG"):  # the mean rank of the relevant items decides
        tilt(A, Relevance.parse("polynomial(0.4, 0.2, -0.6)"), Measure("linear"), 100)
    with pytest.raises(InputError, match="it is impossible, or a tie"):
        tilt(Relevance.parse("step(0, 1, 0.8)"), Relevance.parse("step(0.1, 0.6, 0.8)"), Measure("log"), 100)


@pytest.mark.slow
def test_a_tilt_far_below_the_end_of_its_bracket_is_searched_for() -> None:
    """B is irrelevant for certain near the top: theta is 1e-14 of what the search tries first."""
    a = Relevance.parse("step(0.53688049110478608, 0.11521316518576077, 0.63825399365394109)")
    b = Relevance.parse("step(0.60218036043397882, 0, 0.63825399365394109)")
    # the search ends in one of two ways, which the last bits decide: they differ between processors
    with pytest.raises(InputError, match=r"does not converge|makes the wrong order likely"):
        tilt(a, b, Measure.parse("nDCG(zipf)"), 10**18)
