"""What exact means share with other sizes, measures and scorers changes no bit of them; what they cost."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.mean import cost, cut, expectation, expected_ndcg
from ndcg_asymptotics.theory.mean.memo import Memo
from ndcg_asymptotics.theory.mean.mesh import Mesh

SIZES = (10, 60, 250, 1000, 10**6)
MEASURES = ("nDCG", "nDCG(zipf)", "nDCG@5", "nDCG@0.2n", "nDCG(power(0.5))@n^0.5")


@pytest.fixture(autouse=True)
def nothing_held():
    expectation.forget()
    yield
    expectation.forget()


@pytest.mark.parametrize("measure", MEASURES)
def test_other_sizes_measures_and_scorers_change_no_bit(measure):
    alone = []
    for n in SIZES:
        expectation.forget()
        alone.append(expected_ndcg("linear(0.1, 0.5)", measure, [n]).value[0])
    expectation.forget()
    for curve in ("constant(0.3)", "power(0.05, 0.8, 2)"):  # of the same label law, which differs in rounding
        for other in MEASURES:
            expected_ndcg(curve, other, SIZES)
    assert expected_ndcg("linear(0.1, 0.5)", measure, SIZES).value.tolist() == alone


@pytest.mark.parametrize("curve", ["linear(0.1, 0.5)", "constant(0.3)", "step(0, 1, 0.7)", "linear(0, 1e-6)"])
def test_whole_counts_by_products(monkeypatch, curve):
    """Products of characteristic functions against every one of them as an exponential."""
    used = []

    def counting(*given):
        used.append(len(given[2]))
        return on_lattice(*given)

    on_lattice = cut._mean_discount_on_lattice
    monkeypatch.setattr(cut, "_mean_discount_on_lattice", counting)
    sizes = (10, 40, 130, 300)
    for measure in ("nDCG@3", "nDCG(zipf)@0.3n"):
        quick = expected_ndcg(curve, measure, sizes)
        with monkeypatch.context() as patch:
            patch.setattr(cut, "_mean_discount_on_lattice", cut._mean_discount)
            expectation.forget()
            slow = expected_ndcg(curve, measure, sizes)
        expectation.forget()
        assert quick.value == pytest.approx(slow.value, rel=1e-13)
    assert max(used) > 2


def test_sharp_curves_in_short_lists():
    """Nothing beyond depth q is relevant, the M items above it with chance a: over M and the C relevant ones.

    Ranks are all that matters: ``E[DCG | M, C] = C/M F(min(k, M))``.
    """
    n, k, q, a = 50, 8, 0.6, 0.9
    sums = np.concatenate(([0.0], np.cumsum(np.arange(1.0, k + 1) ** -0.5)))
    truth = sum(
        binom.pmf(m, n, q) * binom.pmf(c, m, a) * c / m * sums[min(k, m)] / sums[min(k, c)]
        for m in range(1, n + 1)
        for c in range(1, m + 1)
    )
    found = expected_ndcg("step(0, 0.9, 0.4)", "nDCG(power(0.5))@n^0.5", [n])
    assert abs(found.value[0] - truth) <= found.error[0] < 2e-11


def test_gaps_between_whole_counts():
    """Counts in any order, with gaps of more than one between them."""
    mesh = Mesh.of(Relevance.parse("linear(0.1, 0.5)"), 50)
    counts = np.array([[20.0, 29.0], [3.0, 46.0], [4.0, 45.0], [11.0, 38.0]])
    law = 49 * mesh.law
    frequencies = np.linspace(0, 2, 9)
    weights = np.exp(1j * frequencies)
    depths = mesh.between(np.array([0.1, 0.3, 0.5]))
    given = (depths, law, (counts - law)[:, :-1], 9.5, frequencies, weights)
    assert cut._mean_discount_on_lattice(*given) == pytest.approx(
        cut._mean_discount(*given), rel=1e-12, abs=1e-13
    )


def test_what_would_take_hours_is_refused_with_an_estimate():
    grades = ", ".join(f"{y}=constant(0.01)" for y in range(60, 0, -1))
    with pytest.raises(InputError, match=r"with 60 grades at 20 list lengths would take about 9 hours"):
        expected_ndcg(f"graded({grades})", "nDCG@10", range(10, 30))
    two = Relevance.parse("graded(2=constant(0.1), 1=constant(0.2))")
    assert cost.seconds(two, Measure("log", 10), 60) < 10


def test_what_is_held_is_bounded():
    memo = Memo[bytes](100, len)
    for size in (60, 30, 50, 300):  # the first is let go for the third, the last is too large to be held
        assert memo.get(size, lambda size=size: b"x" * size) == b"x" * size
    assert [memo.get(size, lambda: b"new") == b"new" for size in (50, 30, 60)] == [False, False, True]
