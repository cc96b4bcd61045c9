"""The steps of the items engine, each against its definition; quick as plain Python too."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from cases import design
from engines_cases import at_length, fits, sequences
from numpy.polynomial import Polynomial
from oracles import naive
from oracles.discounts import CUTOFFS, DISCOUNTS, formula
from oracles.first_labels import binary, not_greater
from scipy import stats

from ndcg_asymptotics.engines import items
from ndcg_asymptotics.engines.items import kernels, lists, rank_order
from ndcg_asymptotics.engines.items.orders import rank_orders
from ndcg_asymptotics.engines.shared.grades import draw_label_counts
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance

CURVES = {  # the probabilities of the gains as polynomials in depth
    "linear(0.25, 0.75)": {1.0: (Fraction(3, 4), Fraction(-1, 2))},
    "graded(2=linear(0.5, 0), 1=linear(0, 0.5))": {
        2.0: (0, Fraction(1, 2)),
        1.0: (Fraction(1, 2), Fraction(-1, 2)),
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("coupling", ["independent", "gaussian(0.5)"])
@pytest.mark.parametrize("text", CURVES)
def test_labels_have_the_law_of_their_ranks(
    text: str, coupling: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All sequences of labels of four items, two of which come first; one wide slice has them all."""
    monkeypatch.setattr(rank_order, "_FEWEST_SLICES", 1)
    rank_order.slices.cache_clear()
    what, size = design(text, (2, 4), coupling=coupling), 2500
    found = [sequences(what, r)[0] for r in range(size)]
    rank_order.slices.cache_clear()
    for j, n in enumerate(what.sizes):
        law = {gains: float(chance) for gains, chance in naive.label_law(CURVES[text], n)}
        drawn = [tuple(one[j]) for one in found]
        assert fits(drawn, law)
        assert not fits(drawn, {gains[::-1]: chance for gains, chance in law.items()})


def test_items_of_one_slice_stand_in_every_order() -> None:
    """24 orders of four uniform items, and the places of two that are given beforehand."""
    rng = np.random.Generator(np.random.SFC64(1))
    counts, none = np.ones((1, 4), np.int32), np.empty(0, np.int64)
    drawn: Counter[tuple[float, ...]] = Counter()
    for _ in range(2400):
        codes = np.empty(4, np.int32)
        words = rng.bit_generator.random_raw(4).view(np.int64)
        kernels.arrange(counts, none.astype(np.int32), none, np.zeros(2, np.int64), words, none, codes)
        drawn[tuple(codes.tolist())] += 1
    assert len(drawn) == 24
    assert stats.chisquare(list(drawn.values())).pvalue > 1e-6
    for before in ([0, 0], [0, 3], [1, 2], [3, 3]):
        codes, words = np.empty(5, np.int32), rng.bit_generator.random_raw(4).view(np.int64)
        kernels.arrange(
            np.array([[3]], np.int32),
            np.array([7, 8], np.int32),
            np.array(before),
            np.array([0, 2]),
            words,
            none,
            codes,
        )
        expected = [0, 0, 0]
        for place, code in ((before[1], 8), (before[0], 7)):
            expected.insert(place, code)
        assert codes.tolist() == expected


def test_words_that_favour_an_answer_are_replaced() -> None:
    """Of a number below 3 the word 0 is one too many; a spare word takes its place, with its upper half."""
    counts, none = np.array([[1, 1, 1]], np.int32), np.empty(0, np.int64)
    codes, words = np.empty(3, np.int32), np.zeros(2, np.int64)

    def needed(*spare: int) -> int:
        given = np.array(spare, np.uint64).view(np.int64)
        return kernels.arrange(
            counts, none.astype(np.int32), none, np.zeros(2, np.int64), words, given, codes
        )

    assert needed() == 1
    assert needed(0) == 2
    seen = []
    for third in range(3):
        word = (third * 2**32 + 2**31) // 3
        assert needed(word << 32) == 1
        seen.append(codes.tolist())
    assert seen == [[1, 2, 0], [2, 0, 1], [1, 0, 2]]
    assert needed(0, word << 32) == 2
    assert codes.tolist() == seen[-1]


def test_replicates_drawn_together_are_those_drawn_alone() -> None:
    scorers = {
        "a": "graded(3=linear(0.1, 0.4), 1=constant(0.2))",
        "b": "graded(3=constant(0.25), 1=constant(0.2))",
    }
    for sizes, coupling in (((5,), "independent"), ((2, 30), "independent"), ((2, 30), "gaussian(0.5)")):
        what = design(scorers, sizes, ("nDCG", "nDCG(linear)@4"), pairs=(("a", "b"),), coupling=coupling)
        together = items.simulate_block(what, [7, 2, 9])
        for i, replicate in enumerate((7, 2, 9)):
            for name, values in items.simulate(what, replicate).items():
                assert np.array_equal(together[name][i], values)


MEASURES = {
    f"nDCG({d}){c}": (DISCOUNTS[d], CUTOFFS[c])
    for d in ("log", "power(0.5)", "zipf", "geometric(2)", "linear", "constant")
    for c in ("", "@10", "@0.2n", "@n^0.5")
    if (d, c) != ("constant", "")
}
TWO_GRADES = {
    "a": "graded(3=linear(0.1, 0.4), 1=constant(0.2))",
    "b": "graded(3=constant(0.25), 1=linear(0.3, 0.1))",
}


@pytest.mark.parametrize("coupling", ["independent", "gaussian(0.5)"])
@pytest.mark.parametrize(
    "scorers",
    [
        TWO_GRADES,
        *(dict.fromkeys("ab", curve) for curve in ("constant(0)", "constant(1)", "step(0, 1, 0.6)")),
        {"a": "step(0, 1, 0.7)", "b": "random"},
    ],
)
def test_values_are_those_of_the_labels(
    scorers: dict[str, str], coupling: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NDCG of every list length, by measures with every kind of cutoff, from the labels in rank order."""
    monkeypatch.setattr(kernels, "CHUNK", 32)  # sizes around the width of a lane and of a chunk
    sizes = (1, 2, 10, 15, 16, 17, 31, 32, 33, 100)
    what = design(scorers, sizes, list(MEASURES), coupling, pairs=(("a", "b"), ("b", "a")))
    for replicate in range(2):
        drawn, lists_drawn = items.simulate(what, replicate), sequences(what, replicate)
        exact = np.array(
            [
                [
                    [naive.ndcg(gains, at_length(D, n), k(n)) for n, gains in zip(sizes, one, strict=True)]
                    for D, k in MEASURES.values()
                ]
                for one in lists_drawn
            ]
        )
        np.testing.assert_allclose(drawn["ndcg"], exact, atol=1e-12)
        gap = exact[0] - exact[1]
        clear = np.abs(gap) > 1e-12  # smaller ones may be rounding
        for order, sign in zip(drawn["order"], (np.sign(gap), -np.sign(gap)), strict=True):
            assert np.array_equal(order[clear], sign[clear])
            assert not order[:, [a == b for a, b in zip(*lists_drawn, strict=True)]].any()
        assert draw_label_counts(what, [replicate]).sum() == 100


def test_two_scorers_have_the_stated_correlation() -> None:
    """Of the depths of items, given their labels, which are told by their list lengths: each adds one."""
    rho = 0.4
    what = design(
        {"a": "constant(0.5)", "b": "constant(0.5)"}, range(1, 401), "nDCG@1", coupling="gaussian(0.4)"
    )
    correlations = []
    for replicate in range(5):
        orders = rank_orders(what, [replicate], draw_label_counts(what, [replicate]))
        places = [np.argsort(np.concatenate(list(blocks)) // 2) for blocks in orders]
        correlations.append(np.corrcoef(places)[0, 1])
    mean, exact = float(np.mean(correlations)), 6 / math.pi * math.asin(rho / 2)  # of ranks
    assert mean == pytest.approx(exact, abs=5 / math.sqrt(5 * 400))
    assert mean != pytest.approx(6 / math.pi * math.asin(rho**2 / 2), abs=5 / math.sqrt(5 * 400))


# --- many lists drawn together ------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["nDCG", "nDCG@2", "nDCG(zipf)@3"])
def test_orders_of_lists_drawn_together(text: str) -> None:
    """Each of two shares is beyond five standard errors with probability 6e-7."""
    size, (discount, k) = 8000, formula(text, 4)
    weights = discount(np.arange(1.0, k + 1))
    depth = {"linear(0, 1)": [1, -1], "constant(0.5)": [0.5], "linear(1, 0)": [0, 1]}
    for a, b in (("linear(0, 1)", "constant(0.5)"), ("linear(1, 0)", "linear(0, 1)")):
        (found,) = lists.count_orders(
            Relevance.of(a), Relevance.of(b), [Measure.parse(text)], 4, size, seed=2
        )
        first, second = (binary(Polynomial(depth[curve])) for curve in (a, b))
        chances = [1 - not_greater(*pair, 4, weights, 0.5) for pair in ((first, second), (second, first))]
        for count, chance in zip(found, chances, strict=True):
            assert abs(count - size * chance) < 5 * math.sqrt(size * chance * (1 - chance))
            assert abs(count - size * (chance + 0.06)) > 5 * math.sqrt(size * chance * (1 - chance))


def test_orders_by_a_few_of_many_ranks() -> None:
    """A perfect list of 16 against a random one, by three ranks: a tie if these are relevant, else ahead."""
    size, perfect, random = 4000, Relevance.of("step(0, 1, 0.5)"), Relevance.of("constant(0.5)")
    ahead, behind = lists.count_orders(perfect, random, [Measure.parse("nDCG@3")], 16, size, seed=1)[0]
    assert behind == 0
    assert abs(ahead - 0.875 * size) < 5 * math.sqrt(size * 0.875 * 0.125)


def test_orders_at_the_top_are_those_of_independent_labels() -> None:
    """Of two ranks; and where all labels are certain there, the sign is."""
    a, b, size = Relevance.of("linear(0, 0.9)"), Relevance.of("linear(0.8, 0.1)"), 4000
    found = lists.count_orders_at_the_top(a, b, Measure.parse("nDCG@2"), size, seed=1)
    labels, p = np.array(list(itertools.product((0, 1), repeat=4))), [0.9, 0.9, 0.1, 0.1]
    chances = np.prod(np.where(labels, p, 1 - np.array(p)), axis=1)
    gaps = (labels[:, :2] - labels[:, 2:]) @ [1, math.log(2) / math.log(3)]
    for count, sign in zip(found, (1, -1), strict=True):
        chance = chances[sign * gaps > 0].sum()
        assert abs(count - chance * size) < 5 * math.sqrt(size * chance * (1 - chance))
        assert abs(count - 0.9 * chance * size) > math.sqrt(size * chance * (1 - chance))
    never, always = Relevance.of("linear(0.5, 0)"), Relevance.of("linear(0.5, 1)")
    assert lists.count_orders_at_the_top(never, always, Measure.parse("nDCG(power(1.5))"), 50, seed=1) == (
        0,
        50,
    )
