"""Required list lengths against exact rates of short lists and against lists drawn by the definition."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from oracles.first_labels import binary, not_greater

from ndcg_asymptotics.core.caching import clear_caches
from ndcg_asymptotics.engines.items.lists import count_orders
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.orders.long_run import long_run
from ndcg_asymptotics.orders.wrong_order import drawn_orders
from ndcg_asymptotics.plans.planning import plan
from ndcg_asymptotics.plans.required_length import Length, required_length
from ndcg_asymptotics.populations import Scorer


def required(a: str, b: str, measure: str, rate: float) -> Length:
    """The required length by one measure."""
    return required_length(Scorer.of(a), Scorer.of(b), Measure.of(measure), rate)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("a", "b", "measure", "wanted", "cut"),
    [
        ((1.0, -1.0), (0.0, 1.0), "nDCG@1", 0.79, 1),
        ((1.0, -1.0), (0.0, 1.0), "nDCG@3", 0.9, 3),
        ((0.9, -0.8), (0.5,), "nDCG", 0.8, 99),
    ],
)
def test_short_lengths_have_the_rate(
    a: tuple[float, ...], b: tuple[float, ...], measure: str, wanted: float, cut: int
) -> None:
    first, second = (f"polynomial({', '.join(map(str, c))})" for c in (a, b))
    found = required(first, second, measure, wanted)
    assert found.method == "counted"
    assert found.between[0] <= found.n <= found.between[1]
    curves = binary(Polynomial(a)), binary(Polynomial(b))
    wrong = [
        not_greater(*curves, n, 1 / np.log1p(np.arange(1.0, min(cut, n) + 1)), 0.5)
        for n in (found.n - 1, found.n)
    ]
    # some 10,000 lists of each length: 5 standard errors
    assert wrong[0] > 1 - wanted - 0.02
    assert wrong[1] <= 1 - wanted + 0.02


@pytest.mark.parametrize("n", [50, 10**5])
def test_a_measure_draws_the_same_lists_alone_and_beside_others(n: int) -> None:
    pair = Scorer.of("linear(0.1, 0.9)"), Scorer.of("constant(0.5)")
    measures = [Measure.of(text) for text in ("nDCG", "nDCG@3", "nDCG(zipf)")]
    together = drawn_orders(measures, *pair, n, 0.1)
    clear_caches()
    assert [drawn_orders([measure], *pair, n, 0.1)[0] for measure in measures] == together
    assert (together[0] is None) is (n > 50)
    assert len({str(drawn) for drawn in together}) == 3


@pytest.mark.slow
def test_rounding_is_no_difference() -> None:
    (row,) = plan("linear(0.1, 0.7)", "constant(0.4)", "nDCG@5", n=1, rate=0.6).rows
    assert row.difference.mean == 0
    assert row.queries.required is None
    assert "equal to within their error bounds" in row.reason
    (longer,) = plan("linear(0.1, 0.7)", "constant(0.4)", "nDCG@5", n=2, rate=0.6).rows
    assert longer.difference.mean != 0
    assert longer.queries.required is not None


# both curves are 1 at the very top; there 1/r settles, no faster than a power of n
CERTAIN = ("linear(0, 1)", "polynomial(1, -1.5, 0.75)")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pair", "measure", "settles"),
    [
        (("linear(0.1, 0.7)", "constant(0.4)"), "nDCG(zipf)", True),
        (("linear(0.1, 0.7)", "constant(0.4)"), "nDCG@3", False),
        (("linear(0.1, 0.7)", "constant(0.4)"), "nDCG(geometric(2))", False),
        (("linear(0, 0.8)", "linear(0.07, 0.73)"), "nDCG(zipf)", True),
        (CERTAIN, "nDCG(geometric(2))", None),
        (CERTAIN, "nDCG(zipf)", True),
    ],
)
def test_a_length_is_required_exactly_where_the_long_run_has_the_rate(
    pair: tuple[str, str], measure: str, settles: bool | None
) -> None:
    a, b = map(Scorer.of, pair)
    run = long_run(a, b, Measure.of(measure))
    length = required_length(a, b, Measure.of(measure), 0.95, effort=0.1)
    assert run.end.settles is settles
    assert (run.rate == 1) is (settles is True)
    assert (run.rate is None) is (settles is None)
    if settles is None:
        assert length.reason.startswith("at n = ")
    else:
        assert (length.n is not None) is (run.rate >= 0.95)


@pytest.mark.slow
def test_an_order_may_be_shown_by_shorter_lists_alone() -> None:
    """Both curves tend to 1 at the top; NDCG@10 decides lists of 1,000 documents and ties on endless ones."""
    texts, measure = ("binormal(0.05, 2)", "binormal(0.05, 1)"), Measure.of("nDCG@10")
    a, b = map(Scorer.of, texts)
    found = required(*texts, "nDCG@10", 0.95)
    assert found.n < 1000 < found.last
    assert long_run(a, b, measure).rate == 0
    told = plan(*texts, measure, n=1000).answers
    assert told[0].endswith("on none by nDCG@10, as both become equal.")
    assert f"from {found.n:,} to {found.last:,} documents by nDCG@10, but not longer ones" in told[1]
    never = plan("linear(0.1, 0.7)", "constant(0.4)", "nDCG@3", n=1000).answers
    assert "Ever longer lists do not show the order of long lists with probability 0.95." in never
    sizes = found.n // 2, found.n, 1000, found.last, 3 * found.last
    shares = [count_orders(a, b, [measure], n, 20_000, seed=5)[0, 0] / 20_000 for n in sizes]
    # five standard errors of these lists are 0.008, and as many of those that gave the lengths 0.02
    assert shares[1] == pytest.approx(0.95, abs=0.025)
    assert shares[3] == pytest.approx(0.95, abs=0.025)
    assert max(shares[0], shares[4]) < 0.925
    assert shares[2] > 0.98


@pytest.mark.slow
def test_a_length_is_found_where_longer_lists_have_no_normal_law() -> None:
    """In long lists the probability of the right order rounds to 1, and the deviation is not available."""
    pair = Scorer.of("constant(0.074)"), Scorer.of("binormal(0.074, 0.77)")
    length = required_length(*pair, Measure.of("nDCG(zipf)"), 0.9, effort=0.1)
    assert length.between[0] <= 229 <= length.between[1]
    assert length.last is None
